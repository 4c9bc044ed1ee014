import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InFlight } from '../../src/store/authorizations.ts';
import { type Cast, minute, newCast, newClient, newCode, newDeviceCode, newUser, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('what was approved and is not redeemed', (subject) => {
  /** A code, a device that was let in and a sign-in in progress of one user for one app, all of the session `sid`. */
  const putInFlight = async (cast: Cast, sid = 'sid') => {
    const { authorizations, deviceCodes } = subject.store;
    const { accountId, userId, appId } = cast;
    const code = newCode(cast, { sid });
    await authorizations.createCode(code);
    const device = newDeviceCode(cast);
    await deviceCodes.create(device);
    const allowed = { decision: 'allow', userId, amr: ['pwd'], authenticatedAt: now, sid, decidedAt: now } as const;
    await deviceCodes.decide(accountId, device.digest, { ...allowed, apiScopes: [] }, now);
    const [half, decided] = [0, 1].map(() => ({
      accountId,
      digest: unique(),
      browserDigest: 'browser',
      appId,
      parameters: code.parameters,
      authenticatedAt: null,
      sid: null,
      decision: null,
      decidedBy: null,
      passwordUserId: null,
      passwordCheckedAt: null,
      hookPolicyId: null,
      hookPolicyUserId: null,
      hookTraits: null,
      methods: null,
      createdAt: now,
      expiresAt: now + 10 * minute,
    }));
    assert.ok(half && decided);
    await authorizations.keepFirstFactor(half, { userId, checkedAt: now, methods: ['pwd'] }, 'browser');
    await authorizations.decide(decided, 'allow', userId, []);
    return {
      half,
      /** Which of them are left: code, device, the two sign-ins. */
      left: async () => [
        (await authorizations.findCode(accountId, code.digest)) !== null,
        (await deviceCodes.find(accountId, device.digest))?.decision === 'allow',
        (await authorizations.findRequest(accountId, half.digest)) !== null,
        (await authorizations.findRequest(accountId, decided.digest)) !== null,
      ],
      code,
    };
  };

  const end = async (accountId: number, whose: InFlight, except?: string) => {
    const { authorizations, deviceCodes } = subject.store;
    await authorizations.endRequests(accountId, whose, except);
    await authorizations.endCodes(accountId, whose);
    await deviceCodes.endAllowed(accountId, whose);
  };
  const all = [true, true, true, true];
  const none = [false, false, false, false];

  test('ends by user, except one sign-in, and only for that user', async () => {
    const cast = await newCast(subject.store);
    const { accountId } = cast;
    const { id: otherId } = await newUser(subject.store, accountId);
    const [own, others] = [await putInFlight(cast), await putInFlight({ ...cast, userId: otherId })];
    await end((await newCast(subject.store)).accountId, { userId: cast.userId });
    assert.deepEqual(await own.left(), all, 'of another account');
    await end(accountId, { userId: cast.userId }, own.half.digest);
    assert.deepEqual(await own.left(), [false, false, true, false]);
    await end(accountId, { userId: cast.userId });
    assert.deepEqual([await own.left(), await others.left()], [none, all]);
  });

  test('ends by session, except sign-ins, which belong to none', async () => {
    const cast = await newCast(subject.store);
    const [one, other] = [await putInFlight(cast, 'one'), await putInFlight(cast, 'other')];
    await end(cast.accountId, { userId: cast.userId, sid: 'one' });
    assert.deepEqual([await one.left(), await other.left()], [[false, false, true, true], all]);
  });

  test('ends by app', async () => {
    const cast = await newCast(subject.store);
    const { appId } = await newClient(subject.store, cast.accountId);
    const [one, other] = [await putInFlight(cast), await putInFlight({ ...cast, appId })];
    await end(cast.accountId, { userId: cast.userId, appId });
    assert.deepEqual([await one.left(), await other.left()], [all, none]);
  });

  test('ends for users who can no longer use the app, directly or through a role', async () => {
    const { access, roles } = subject.store;
    const cast = await newCast(subject.store);
    const { accountId, userId, appId } = cast;
    const flight = await putInFlight(cast);
    const { id: roleId } = await roles.create({ accountId, name: 'staff', createdAt: now });
    await roles.link(accountId, 'users', roleId, [userId], now);
    await access.grant(accountId, appId, { roleId }, now);
    await access.revoke(accountId, appId, { userId });
    await end(accountId, { unassigned: { userIds: [userId] } });
    assert.deepEqual(await flight.left(), all);
    await roles.unlink(accountId, 'users', roleId, [userId]);
    await end(accountId, { unassigned: { appId: appId + 1000 } });
    assert.deepEqual(await flight.left(), all);
    await end(accountId, { unassigned: { appId } });
    assert.deepEqual(await flight.left(), none);
  });

  test('a used code stays; an ended sign-in is not revived', async () => {
    const { authorizations } = subject.store;
    const cast = await newCast(subject.store);
    const { code, half, left } = await putInFlight(cast);
    await authorizations.consumeCode(cast.accountId, code.digest, now);
    await end(cast.accountId, { userId: cast.userId });
    await authorizations.decide(half, 'allow', cast.userId, []);
    assert.deepEqual(await left(), [true, false, false, false]);
    assert.equal(await authorizations.finishRequest(half), false);
  });
});
