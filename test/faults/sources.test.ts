/**
 * Limits count networks, not addresses (L9): a /64 has 2^64 addresses, and an IPv4 address has many
 * spellings. Each door is tried with its default and with a small limit.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createApp } from '../../src/app.ts';
import { openTestApp, seenFrom, type TestApp } from '../support/app.ts';
import { countRows } from '../support/rows.ts';
import { sampled } from '../support/sample.ts';
import { createTestAccount } from '../support/services.ts';
import { refresh, signedIn } from '../support/sign-in.ts';
import { type Door, doors } from './source-doors.ts';

/** The first one counts; moving through the others does not help. */
const spellings = {
  'IPv6 /64': [
    '2001:db8:7:1::1',
    '2001:db8:7:1::2',
    '2001:DB8:7:1::3',
    '2001:0db8:0007:0001:0000:0000:0000:0004',
    '2001:db8:7:1:ffff:ffff:ffff:ffff',
  ],
  IPv4: ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:C000:0207', '64:ff9b::192.0.2.7', '64:ff9b:1::c000:207'],
} as const;

const elsewhere = '2001:db8:7:2::1';

describe('limits by network (L9)', () => {
  let app: TestApp;
  before(async () => {
    app = await openTestApp('sqlite');
  });
  after(() => app.dispose());

  async function behindProxy(
    settings: Readonly<Record<string, string>>,
    trustProxy: readonly string[] = ['loopback'],
  ): Promise<TestApp> {
    const given = { registration: 'open', 'grant.password': 'on', ...settings };
    const account = await createTestAccount(app.services, { settings: given });
    return seenFrom(account, createApp(app.services, { trustProxy }), app.services, app);
  }

  function from(behind: TestApp, address: string): TestApp {
    const send: TestApp['send'] = (method, path, sent = {}) =>
      behind.send(method, path, { ...sent, headers: { ...sent.headers, 'x-forwarded-for': address } });
    return { ...behind, send };
  }

  /** How many of `count` attempts were let through, each from the address that `addressOf` says. */
  async function letThrough(door: Door, behind: TestApp, count: number, addressOf: (index: number) => string) {
    const attempt = await door.prepare(from(behind, '203.0.113.1'));
    let passed = 0;
    for (let index = 0; index < count; index += 1) {
      if ((await attempt(from(behind, addressOf(index)), index)) !== 429) passed += 1;
    }
    const other = await attempt(from(behind, elsewhere), count);
    return { passed, other };
  }

  for (const [title, tried] of [
    ['wrong sign-ins', 70],
    ['open registrations', 40],
    ['links for a forgotten password', 25],
  ] as const) {
    const door = doors.find((one) => one.title === title) as Door;
    it(`${title}: ${door.allowed} of ${tried} pass from one /64, each from a different address`, async () => {
      const behind = await behindProxy({});
      const { passed, other } = await letThrough(door, behind, tried, (index) => `2001:db8:7:1::${index.toString(16)}`);
      assert.equal(passed, door.allowed);
      assert.notEqual(other, 429, 'another network is not limited');
    });
  }

  // Each door with one of the spellings, the next one with another; the drill M5 tries all of them.
  const networks = Object.entries(spellings);
  for (const [index, [network, addresses]] of networks.entries()) {
    for (const door of sampled(doors, networks.length, index)) {
      it(`${door.title}: 3 of ${addresses.length} pass from one ${network}, however it is written`, async () => {
        const behind = await behindProxy({ [`limit.${door.limit}`]: '3/h' });
        const { passed, other } = await letThrough(
          door,
          behind,
          addresses.length,
          (index) => addresses[index % addresses.length] ?? '',
        );
        assert.equal(passed, 3);
        assert.notEqual(other, 429, 'another network is not limited');
      });
    }
  }

  for (const door of sampled(doors, 8)) {
    it(`${door.title}: 16 times the limit passes from the networks of one /48`, async () => {
      const behind = await behindProxy({ [`limit.${door.limit}`]: '1/h' });
      const address = (index: number) => `2001:db8:7:${(index + 1).toString(16)}::1`;
      const attempt = await door.prepare(from(behind, '203.0.113.1'));
      let passed = 0;
      for (let index = 0; index < 18; index += 1) {
        if ((await attempt(from(behind, address(index)), index)) !== 429) passed += 1;
      }
      assert.equal(passed, 16);
      assert.notEqual(await attempt(from(behind, '2001:db8:8:1::1'), 18), 429, 'another site is not limited');
    });
  }

  it('a repeated refresh is recorded once for each network, at most eight times an hour', async () => {
    const behind = await behindProxy({ 'limit.sign-in': 'off', 'limit.register': 'off' });
    const { client, tokens } = await signedIn(behind);
    assert.equal((await refresh(behind, client, tokens.refresh_token)).status, 200);
    const told = () =>
      countRows(
        app.url,
        `select 1 as one from events where account_id = ${behind.account.id} and action = 'refresh.repeated'`,
      );
    const repeat = async (address: string) => {
      assert.equal((await refresh(from(behind, address), client, tokens.refresh_token)).status, 200);
    };
    for (let index = 0; index < 20; index += 1) await repeat(`2001:db8:7:1::${index.toString(16)}`);
    assert.equal(await told(), 1);
    for (let index = 0; index < 20; index += 1) await repeat(`2001:db8:8:${index.toString(16)}::1`);
    assert.equal(await told(), 8);
  });

  it('a known client is not limited by unknown ones in its network', async () => {
    const behind = await behindProxy({ 'limit.client-auth': '3/h' });
    const door = (title: string) => doors.find((one) => one.title === title) as Door;
    const unknown = await door('unknown clients, a different one each time').prepare(behind);
    const known = await door('wrong secrets of a client').prepare(behind);
    const here = from(behind, '192.0.2.7');
    for (let index = 0; index < 3; index += 1) assert.equal(await unknown(here, index), 401);
    assert.deepEqual([await unknown(here, 3), await known(here, 0)], [429, 401]);
  });

  it("a proxy that adds its peer's port does not turn all clients into one source", async () => {
    const behind = await behindProxy({ 'limit.sign-in': '3/h' });
    const door = doors.find(({ title }) => title === 'wrong sign-ins') as Door;
    const attempt = await door.prepare(from(behind, '203.0.113.1:1024'));
    const ports = ['192.0.2.7:1', '192.0.2.7:2', '192.0.2.7', '192.0.2.7:65535'];
    const answers: number[] = [];
    for (const [index, address] of ports.entries()) answers.push(await attempt(from(behind, address), index));
    assert.deepEqual(
      answers.map((status) => status === 429),
      [false, false, false, true],
    );
    assert.notEqual(await attempt(from(behind, '192.0.2.8:1'), 4), 429);
    assert.notEqual(await attempt(from(behind, '[2001:db8:7:1::1]:443'), 5), 429);
  });

  it('a trusted proxy is recognized at every hop, with ports and brackets', async () => {
    const behind = await behindProxy({}, ['loopback', '10.0.0.0/8', '2001:db8:ff::/48']);
    const [door] = doors as readonly [Door];
    const attempt = await door.prepare(behind);
    const forwarded = {
      '203.0.113.7, 10.0.0.2:4321': '203.0.113.7',
      '203.0.113.8:99, 10.0.0.2': '203.0.113.8',
      '203.0.113.9, 10.0.0.2:1, 10.0.0.3:2': '203.0.113.9',
      '203.0.113.10:5, [2001:db8:ff::1]:443': '203.0.113.10',
      '203.0.113.11, ::ffff:10.0.0.2': '203.0.113.11',
      // Not trusted, with or without a port: anything before it was written by a stranger.
      '203.0.113.12, 198.51.100.1:4321': '198.51.100.1',
      '203.0.113.13, unknown': 'unknown',
      '203.0.113.14, 10.0.0.2:': 'unknown',
    };
    for (const [header, source] of Object.entries(forwarded)) {
      await attempt(from(behind, header), 0);
      const [event] = await behind.services.store.events.listBefore(behind.account.id, null, 1);
      assert.equal(event?.source, source, header);
    }
  });

  it('the trail records the full address', async () => {
    const behind = await behindProxy({});
    const [door] = doors as readonly [Door];
    const attempt = await door.prepare(behind);
    await attempt(from(behind, '2001:db8:7:1::abcd'), 0);
    const events = await behind.services.store.events.listBefore(behind.account.id, null, 10);
    assert.ok(events.some(({ source }) => source === '2001:db8:7:1::abcd'));
  });
});
