import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressIn } from '../../src/http/peer-address.ts';

describe('addresses as peers and proxies write them', () => {
  const written: Readonly<Record<string, readonly string[]>> = {
    '192.0.2.33': ['192.0.2.33', '192.0.2.33:80', '192.0.2.33:65535', '::ffff:192.0.2.33'],
    '2001:db8::1': ['2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:443'],
    'fe80::1%eth0': ['fe80::1%eth0', '[fe80::1%eth0]:443'],
    // Without brackets the last group is not a port.
    '2001:db8::1:443': ['2001:db8::1:443'],
    '2001:db8::': ['[2001:db8::]:1'],
  };
  for (const [address, texts] of Object.entries(written)) {
    for (const text of texts) test(`${text} is ${address}`, () => assert.equal(addressIn(text), address));
  }
  for (const text of [
    '',
    'unknown',
    '_hidden:80',
    '192.0.2.33:',
    '192.0.2.33:x',
    '192.0.2.33:123456',
    '192.0.2.33:80:80',
    ' 192.0.2.33',
    '[2001:db8::1',
    '2001:db8::1]',
    '[2001:db8::1]x',
    '[2001:db8::1]:',
    '[[2001:db8::1]]',
    '[]',
  ]) {
    test(`${text || '(nothing)'} is not an address`, () => assert.equal(addressIn(text), null));
  }
});
