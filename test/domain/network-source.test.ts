import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { networkSourceOf, networksAround, siteAround } from '../../src/domain/network-source.ts';

const sameSource: Readonly<Record<string, readonly string[]>> = {
  '2001:db8:7:1::/64': [
    '2001:db8:7:1::',
    '2001:db8:7:1::1',
    '2001:DB8:7:1::1',
    '2001:0db8:0007:0001:0000:0000:0000:0001',
    '2001:db8:7:1:ffff:ffff:ffff:ffff',
    '2001:db8:7:1:0:0:192.0.2.1',
    '2001:db8:7:1::1%eth0',
  ],
  '2001:db8:7:2::/64': ['2001:db8:7:2::1'],
  '2001:db8:0:0::/64': ['2001:db8::', '2001:db8::1:0:0:1'],
  '0:0:0:0::/64': ['::', '::1', '0:0:0:0:0:0:0:1'],
  '1:2:3:4::/64': ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7::', '1:2:3:4::8'],
  'fe80:0:0:0::/64': ['fe80::1%eth0', 'fe80::1%2', 'fe80::dead:beef'],
  '192.0.2.33': [
    '192.0.2.33',
    // IPv4-mapped
    '::ffff:192.0.2.33',
    '::FFFF:C000:0221',
    '0:0:0:0:0:ffff:192.0.2.33',
    '::ffff:192.0.2.33%eth0',
    // IPv4-translated
    '::ffff:0:192.0.2.33',
    // NAT64 with the well-known prefix
    '64:ff9b::192.0.2.33',
    '0064:FF9B::c000:221',
    // NAT64 with a prefix of 48, 56, 64 and 96 bits in 64:ff9b:1::/48 (RFC 6052 §2.4 has such a table)
    '64:ff9b:1:c000:2:2100::',
    '64:ff9b:1:abc0:0:221::',
    '64:ff9b:1:abcd:c0:2:2100:0',
    '64:ff9b:1:abcd::192.0.2.33',
    '64:ff9b:1::192.0.2.33',
    // 6to4
    '2002:c000:221::1',
    '2002:c000:221:ffff::1',
    // Teredo, with any server and port
    '2001:0:cb00:7101:0:1234:3fff:fdde',
    '2001::4136:e378:8000:63bf:3fff:fdde',
  ],
  unknown: [
    '',
    'unknown',
    '192.0.2',
    '192.0.2.033',
    '0xc0.0.2.1',
    '192.0.2.33:80',
    '[2001:db8::1]',
    '1::2::3',
    '::g',
    'a b',
  ],
};

describe('the source of a request, as limits count it', () => {
  for (const [source, addresses] of Object.entries(sameSource)) {
    for (const address of addresses) {
      test(`${address || '(nothing)'} is ${source}`, () => {
        assert.equal(networkSourceOf(address), source);
      });
    }
  }

  test('different addresses behind one translator, tunnel server or prefix are different sources', () => {
    const others = [
      '64:ff9b::c000:222',
      '64:ff9b:1::c000:222',
      '2002:c000:222::1',
      '2001:0:cb00:7101:0:1234:3fff:fddd',
    ];
    assert.deepEqual(others.map(networkSourceOf), Array<string>(4).fill('192.0.2.34'));
    assert.equal(networkSourceOf('2001:1::1'), '2001:1:0:0::/64', 'not Teredo');
    assert.equal(networkSourceOf('64:ff9b:2::1'), '64:ff9b:2:0::/64', 'not NAT64');
  });
});

test('the networks around a source that take turns for scarce resources', () => {
  const around = (address: string) => networksAround(networkSourceOf(address));
  assert.deepEqual(around('192.0.2.33'), ['192.0.0.0/16', '192.0.2.0/24']);
  assert.deepEqual(around('2002:c000:221:ffff::1'), ['192.0.0.0/16', '192.0.2.0/24']);
  assert.deepEqual(around('2001:db8:7:1::1'), ['2001:db8::/32', '2001:db8:7::/48']);
  assert.deepEqual(around('nowhere'), []);
});

test('the site around an IPv6 network is its /48; an IPv4 address has none, however it is written', () => {
  const site = (address: string) => siteAround(networkSourceOf(address));
  assert.equal(site('2001:db8:7:1::1'), '2001:db8:7::/48');
  assert.equal(site('2001:db8::1'), '2001:db8:0::/48');
  for (const address of ['192.0.2.33', '::ffff:192.0.2.33', '2002:c000:221:ffff::1', 'nowhere']) {
    assert.equal(site(address), null);
  }
});
