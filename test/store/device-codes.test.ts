import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, minute, newAccount, newCast, newDeviceCode, now } from './samples.ts';
import { onEachDatabase } from './suite.ts';

const second = 1_000;

onEachDatabase('codes of devices', (subject) => {
  const make = async (given: object = {}) => {
    const cast = await newCast(subject.store);
    const code = newDeviceCode(cast, given);
    await subject.store.deviceCodes.create(code);
    const { deviceCodes } = subject.store;
    const { accountId, digest } = code;
    return { cast, code, deviceCodes, accountId, digest };
  };
  const allow = (userId: number) =>
    ({
      decision: 'allow',
      userId,
      amr: ['pwd'],
      authenticatedAt: now - minute,
      sid: 'sid',
      decidedAt: now,
      apiScopes: ['write 1'],
    }) as const;

  test('a device code is found by either digest, in its account only', async () => {
    const { code, deviceCodes, accountId, digest } = await make();
    assert.deepEqual(await deviceCodes.find(accountId, digest), code);
    assert.deepEqual(await deviceCodes.findByUserCode(accountId, code.userCodeDigest), code);
    const other = await newAccount(subject.store);
    assert.equal(await deviceCodes.find(other.id, digest), null);
    assert.equal(await deviceCodes.findByUserCode(other.id, code.userCodeDigest), null);
    assert.equal(await failureOf(deviceCodes.create({ ...code, digest: 'another' })), 'conflict user_code_digest');
  });

  test('one caller decides in time; one uses up what was allowed', async () => {
    const { cast, deviceCodes, accountId, digest, code } = await make();
    assert.equal(await deviceCodes.consume(accountId, digest, now), false, 'not allowed yet');
    assert.equal(await deviceCodes.decide(accountId, digest, allow(cast.userId), code.expiresAt), false, 'too late');
    const decided = await Promise.all(
      Array.from({ length: 5 }, () => deviceCodes.decide(accountId, digest, allow(cast.userId), now)),
    );
    assert.equal(decided.filter(Boolean).length, 1);
    const found = await deviceCodes.find(accountId, digest);
    assert.deepEqual(found, { ...code, ...allow(cast.userId) });
    assert.equal(await deviceCodes.consume(accountId, digest, code.expiresAt), false, 'too late');
    const used = await Promise.all(Array.from({ length: 5 }, () => deviceCodes.consume(accountId, digest, now)));
    assert.equal(used.filter(Boolean).length, 1);
    assert.equal(await deviceCodes.find(accountId, digest), null);
  });

  test('a denied code is never used', async () => {
    const { cast, deviceCodes, accountId, digest } = await make();
    const nothing = { amr: null, authenticatedAt: null, sid: null, decidedAt: now, apiScopes: null };
    const denied = { decision: 'deny', userId: cast.userId, ...nothing } as const;
    assert.equal(await deviceCodes.decide(accountId, digest, denied, now), true);
    assert.equal(await deviceCodes.consume(accountId, digest, now), false);
    assert.equal(await deviceCodes.decide(accountId, digest, allow(cast.userId), now), false);
  });

  test('a poll waits for its interval, which grows with each early poll, up to a minute', async () => {
    const { deviceCodes, accountId, digest } = await make();
    const interval = async () => (await deviceCodes.find(accountId, digest))?.intervalSeconds;
    assert.equal(await deviceCodes.poll(accountId, digest, now), true);
    assert.equal(await deviceCodes.poll(accountId, digest, now + 4 * second), true, 'a second of jitter');
    assert.equal(await deviceCodes.poll(accountId, digest, now + 5 * second), false);
    assert.equal(await interval(), 10);
    assert.equal(await deviceCodes.poll(accountId, digest, now + 10 * second), false);
    assert.equal(await interval(), 15);
    assert.equal(await deviceCodes.poll(accountId, digest, now + 24 * second), true);
    for (let early = 0; early < 12; early += 1) await deviceCodes.poll(accountId, digest, now + 24 * second);
    assert.equal(await interval(), 60);
  });

  test('one of several simultaneous polls is in time', async () => {
    const { deviceCodes, accountId, digest } = await make();
    const asked = await Promise.all(Array.from({ length: 5 }, () => deviceCodes.poll(accountId, digest, now)));
    assert.equal(asked.filter(Boolean).length, 1);
  });

  test('it is removed with its client and with its user', async () => {
    const first = await make();
    await subject.store.clients.remove(first.accountId, first.code.appId, now);
    assert.equal(await first.deviceCodes.find(first.accountId, first.digest), null);
    const second = await make();
    await second.deviceCodes.decide(second.accountId, second.digest, allow(second.cast.userId), now);
    await subject.store.users.remove(second.accountId, second.cast.userId, now);
    assert.equal(await second.deviceCodes.find(second.accountId, second.digest), null);
  });
});
