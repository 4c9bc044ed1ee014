/** Keys at the addresses of clients: cached, bounded, fetched again when a kid is unknown. */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createClientKeys } from '../../../src/domain/clients/client-keys.ts';
import type { Egress, EgressRequest } from '../../../src/domain/egress.ts';
import { Failure } from '../../../src/domain/failure.ts';
import { type TestKey, testKey } from '../../support/assertions.ts';
import { fetched } from '../../support/egress.ts';
import { testClock } from '../../support/services.ts';

const uri = 'https://client.example.com/jwks';
const operators = { accountId: 1, registeredBy: 'token' } as const;
let one: TestKey;
let two: TestKey;
before(async () => {
  [one, two] = [await testKey('ES256', 'one'), await testKey('RS256', 'two')];
});

function answering(body: () => unknown, status = 200) {
  const asked: EgressRequest[] = [];
  const egress: Egress = {
    fetch: async (request) => {
      asked.push(request);
      return fetched(request.url, body(), status);
    },
  };
  const clock = testClock();
  return { asked, clock, keys: createClientKeys({ egress, clock }) };
}

const knows = (kid: string) => (keys: readonly { readonly kid?: string }[]) => keys.some((key) => key.kid === kid);

test('are fetched once for many callers, and kept for ten minutes', async () => {
  const { asked, clock, keys } = answering(() => ({ keys: [one.jwk] }));
  using _ = clock.hold();
  const read = () => keys.read(operators, uri, knows('one'));
  const all = await Promise.all(Array.from({ length: 20 }, read));
  assert.ok(all.every((found) => found?.length === 1));
  clock.advance(599_999);
  await read();
  assert.equal(asked.length, 1);
  clock.advance(1);
  await read();
  assert.equal(asked.length, 2);
  assert.deepEqual([asked[0]?.method, asked[0]?.redirect, asked[0]?.accountId], ['GET', 'error', 1]);
});

test('are refetched for an unknown kid, at most every thirty seconds', async () => {
  let published = [one.jwk];
  const { asked, clock, keys } = answering(() => ({ keys: published }));
  await keys.read(operators, uri, knows('one'));
  published = [one.jwk, two.jwk];
  assert.equal((await keys.read(operators, uri, knows('two')))?.length, 1);
  assert.equal(asked.length, 1);
  clock.advance(30_000);
  const found = await Promise.all(Array.from({ length: 10 }, () => keys.read(operators, uri, knows('two'))));
  assert.ok(found.every((some) => some?.length === 2));
  assert.equal(asked.length, 2);
});

test('are separate per account; an unreadable document is null and not refetched at once', async () => {
  const { asked, clock, keys } = answering(() => 'not JSON');
  for (let round = 0; round < 5; round += 1) assert.equal(await keys.read(operators, uri, () => true), null);
  assert.equal(asked.length, 1);
  await keys.read({ ...operators, accountId: 2 }, uri, () => true);
  assert.equal(asked.length, 2);
  clock.advance(30_000);
  await keys.read(operators, uri, () => true);
  assert.equal(asked.length, 3);
});

test('other answers, formats and keys are ignored', async () => {
  for (const [body, status] of [
    [{ keys: [{}] }, 404],
    [[], 200],
    ['null', 200],
    [{ keys: 'x' }, 200],
  ] as const) {
    assert.equal(await answering(() => body, status).keys.read(operators, uri, () => true), null);
  }
  const others = [
    null,
    5,
    {},
    { kty: 'oct', k: 'AA' },
    { ...one.jwk, use: 'enc' },
    { ...one.jwk, crv: 'P-384' },
    { ...two.jwk, e: 'AQAAAAE' },
    { ...two.jwk, n: 'A'.repeat(1366) },
    one.jwk,
  ];
  assert.equal((await answering(() => ({ keys: others })).keys.read(operators, uri, () => true))?.length, 1);
  const many = Array.from({ length: 200 }, () => one.jwk);
  assert.equal((await answering(() => ({ keys: many })).keys.read(operators, uri, () => true))?.length, 50);
});

test('other data beside the keys is not kept, nor more keys than are useful (L10)', async () => {
  const ballast = { x5c: ['A'.repeat(100_000)], comment: 'A'.repeat(100_000) };
  const long = { ...two.jwk, kid: 'K'.repeat(256) };
  const { keys } = answering(() => ({ keys: [{ ...one.jwk, ...ballast }, long, ...Array(200).fill(two.jwk)] }));
  const found = await keys.read(operators, uri, knows('one'));
  assert.deepEqual(found?.[0], one.jwk);
  assert.ok(found?.every(({ kid }) => kid === 'one' || kid === 'two'));
  const characters = JSON.stringify(found).length;
  assert.ok(found.length > 20 && characters <= 32_768, `${found.length} keys, ${characters} characters`);
});

/** An address that answers as `state` says. */
function changing() {
  const state: { answer: 'keys' | 'busy' | 'timeout' | 404 } = { answer: 'keys' };
  const asked: EgressRequest[] = [];
  const egress: Egress = {
    fetch: async (request) => {
      asked.push(request);
      const { answer } = state;
      if (answer === 'busy' || answer === 'timeout') return { ok: false, failure: answer };
      return fetched(request.url, { keys: [one.jwk] }, answer === 404 ? 404 : 200);
    },
  };
  const clock = testClock();
  return { state, asked, clock, keys: createClientKeys({ egress, clock }) };
}

for (const failure of ['timeout', 404] as const) {
  test(`the last good keys stay in use for a day while their URL fails (${failure})`, async () => {
    const { state, clock, keys } = changing();
    const read = async () => (await keys.read(operators, uri, knows('one')))?.length ?? null;
    assert.equal(await read(), 1);
    state.answer = failure;
    for (const minutes of [11, 60, 1000]) {
      clock.advance(minutes * 60_000);
      assert.equal(await read(), 1, `${minutes} minutes more`);
    }
    // An unknown kid does not remove the known keys either.
    clock.advance(31_000);
    assert.equal((await keys.read(operators, uri, knows('two')))?.length, 1);
    assert.equal(await read(), 1);
    clock.advance(24 * 60 * 60_000);
    assert.equal(await read(), null);
    state.answer = 'keys';
    clock.advance(31_000);
    assert.equal(await read(), 1);
  });
}

test('without a free place nothing is fetched: known keys are used, else it is unavailable and retried at once', async () => {
  const { state, asked, clock, keys } = changing();
  const read = (kid = 'one') => keys.read(operators, uri, knows(kid));
  state.answer = 'busy';
  const unavailable = (error: unknown) => error instanceof Failure && error.code === 'unavailable';
  await assert.rejects(read(), unavailable);
  state.answer = 'keys';
  assert.equal((await read())?.length, 1);
  clock.advance(600_001);
  state.answer = 'busy';
  assert.equal((await read())?.length, 1);
  await assert.rejects(read('two'), unavailable);
  state.answer = 'keys';
  const before = asked.length;
  assert.equal((await read())?.length, 1);
  assert.equal(asked.length, before + 1, 'keys that were not fetched count as stale');
});

for (const [title, others] of [
  ['another account', { accountId: 2, registeredBy: 'token' }],
  ['clients of the account that registered in the open', { accountId: 1, registeredBy: 'open' }],
] as const) {
  test(`the last good keys stay however many URLs ${title} fetched (L10)`, async () => {
    const { state, clock, keys } = changing();
    const own = Array.from({ length: 3 }, (_, index) => `${uri}/${index}`);
    for (const address of own) await keys.read(operators, address, knows('one'));
    for (let index = 0; index < 1_500; index += 1) await keys.read(others, `${uri}/other/${index}`, knows('one'));
    state.answer = 'timeout';
    clock.advance(11 * 60_000);
    for (const address of own) assert.equal((await keys.read(operators, address, knows('one')))?.length, 1, address);
  });
}

test("an account's least recently used keys are dropped first", async () => {
  const { asked, clock, keys } = changing();
  using _ = clock.hold();
  const read = (index: number) => keys.read(operators, `${uri}/${index}`, knows('one'));
  for (let index = 0; index < 1_000; index += 1) {
    await read(index);
    await read(0);
  }
  await read(1_000);
  assert.equal(asked.length, 1_001);
  await read(0);
  assert.equal(asked.length, 1_001, 'used last');
  await read(1);
  assert.equal(asked.length, 1_002, 'used longest ago');
});
