import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { FactorDeviceRecord } from '../../src/store/second-factors.ts';
import type { Store } from '../../src/store/store.ts';
import { purgeAll } from '../support/purge.ts';
import { type Cast, minute, newCast, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

function newDevice(store: Store, { accountId, userId }: Cast, given: Partial<FactorDeviceRecord> = {}) {
  return store.secondFactors.createDevice({
    accountId,
    userId,
    kind: 'totp',
    name: 'Phone',
    enrolmentId: randomUUID(),
    sealedSecret: 'sealed',
    lastStep: -1,
    lastUsedAt: null,
    createdAt: now,
    expiresAt: null,
    acceptedAt: now,
    ...given,
  });
}

onEachDatabase('second factors', (subject) => {
  test('a device counts once it is accepted by one of many callers before it expires', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { accountId, userId } = cast;
    const waiting = await newDevice(store, cast, { acceptedAt: null, expiresAt: now + minute });
    assert.deepEqual(await store.secondFactors.findEnrolment(accountId, userId, waiting.enrolmentId), waiting);
    assert.equal(await store.secondFactors.findEnrolment(accountId, userId + 1, waiting.enrolmentId), null);
    assert.deepEqual(await store.secondFactors.listDevices(accountId, userId), []);
    assert.equal(await store.secondFactors.countDevices(accountId, userId, now), 1);
    assert.equal(await store.secondFactors.countDevices(accountId, userId, now + minute), 0);
    assert.equal(await store.secondFactors.useStep(accountId, waiting.id, 5, now), false);
    assert.equal(await store.secondFactors.acceptDevice(accountId, waiting.id, 5, now + minute), false);
    const accept = () => store.secondFactors.acceptDevice(accountId, waiting.id, 5, now + 1);
    const accepted = await Promise.all(Array.from({ length: 20 }, accept));
    assert.equal(accepted.filter(Boolean).length, 1);
    const counting = { ...waiting, acceptedAt: now + 1, expiresAt: null, lastStep: 5 };
    assert.deepEqual(await store.secondFactors.listDevices(accountId, userId), [counting]);
    assert.equal(await store.secondFactors.removeDevice(accountId, userId + 1, waiting.id), false);
    assert.equal(await store.secondFactors.removeDevice(accountId, userId, waiting.id), true);
    assert.equal(await store.secondFactors.removeDevice(accountId, userId, waiting.id), false);
  });

  test('one of 50 callers uses a time step, and never an older one', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { id } = await newDevice(store, cast);
    const use = (step: number) => store.secondFactors.useStep(cast.accountId, id, step, now + step);
    const used = await Promise.all(Array.from({ length: 50 }, () => use(7)));
    assert.equal(used.filter(Boolean).length, 1);
    assert.deepEqual([await use(6), await use(7), await use(8)], [false, false, true]);
    const [device] = await store.secondFactors.listDevices(cast.accountId, cast.userId);
    assert.deepEqual([device?.lastStep, device?.lastUsedAt], [8, now + 8]);
  });

  test('of 50 simultaneous attempts ten count, the tenth locks; an expired lock restarts the count', async () => {
    const { store } = subject;
    const { accountId, userId } = await newCast(store);
    const attempt = (at = now) =>
      store.secondFactors.countAttempt({ accountId, userId, now: at, maximum: 10, lockedUntil: at + minute });
    const counted = await Promise.all(Array.from({ length: 50 }, () => attempt()));
    assert.equal(counted.filter((one) => one === 'counted').length, 9);
    assert.equal(counted.filter((one) => one === 'last').length, 1);
    assert.equal(await attempt(now + minute - 1), null);
    const closedUntil = () => store.secondFactors.findClosedUntil(accountId, userId);
    assert.equal(await closedUntil(), now + minute);
    assert.equal(await attempt(now + minute), 'counted');
    assert.equal(await closedUntil(), null);
    await store.secondFactors.clearAttempts(accountId, userId);
    for (let count = 1; count < 10; count += 1) assert.equal(await attempt(), 'counted');
    assert.equal(await attempt(), 'last');
    await store.secondFactors.clearAttempts(accountId, userId);
    const only = { accountId, userId, now, maximum: 1, lockedUntil: now + minute };
    assert.deepEqual([await store.secondFactors.countAttempt(only), await attempt()], ['last', null]);
    const other = await newCast(store);
    const first = { ...only, accountId: other.accountId, userId: other.userId };
    assert.deepEqual(
      [await store.secondFactors.countAttempt(first), await store.secondFactors.countAttempt(first)],
      ['last', null],
    );
  });

  test('a recovery code is used once; new ones replace all others', async () => {
    const { store } = subject;
    const { accountId, userId } = await newCast(store);
    const { replaceRecoveryCodes, useRecoveryCode, countRecoveryCodes } = store.secondFactors;
    await replaceRecoveryCodes(accountId, userId, ['a', 'b', 'c']);
    const used = await Promise.all(Array.from({ length: 20 }, () => useRecoveryCode(accountId, userId, 'a', now)));
    assert.equal(used.filter(Boolean).length, 1);
    assert.equal(await useRecoveryCode(accountId, userId + 1, 'b', now), false);
    assert.equal(await countRecoveryCodes(accountId, userId), 2);
    await replaceRecoveryCodes(accountId, userId, ['d']);
    assert.equal(await useRecoveryCode(accountId, userId, 'b', now), false);
    assert.equal(await countRecoveryCodes(accountId, userId), 1);
    await replaceRecoveryCodes(accountId, userId, []);
    assert.equal(await countRecoveryCodes(accountId, userId), 0);
  });

  test('a verification is accepted once, in time, and removed with its device and user', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { accountId, userId } = cast;
    const { id: deviceId } = await newDevice(store, cast);
    const verification = {
      accountId,
      id: unique('v'),
      userId,
      deviceId,
      createdAt: now,
      expiresAt: now + minute,
      acceptedAt: null,
    };
    await store.secondFactors.createVerification(verification);
    const find = () => store.secondFactors.findVerification(accountId, userId, verification.id);
    assert.deepEqual(await find(), verification);
    const accept = (at: number) => store.secondFactors.acceptVerification(accountId, verification.id, at);
    assert.equal(await accept(now + minute), false);
    assert.deepEqual((await Promise.all([accept(now), accept(now)])).sort(), [false, true]);
    assert.equal((await find())?.acceptedAt, now);
    await store.secondFactors.removeDevice(accountId, userId, deviceId);
    assert.equal(await find(), null);
    await newDevice(store, cast);
    await store.secondFactors.replaceRecoveryCodes(accountId, userId, ['a']);
    assert.equal(await store.users.remove(accountId, userId, now), true);
    assert.deepEqual(await store.secondFactors.listDevices(accountId, userId), []);
    assert.equal(await store.secondFactors.countRecoveryCodes(accountId, userId), 0);
  });

  test('devices that were never accepted and old verifications are purged', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { accountId, userId } = cast;
    const waiting = await newDevice(store, cast, { acceptedAt: null, expiresAt: now });
    const kept = await newDevice(store, cast);
    await purgeAll(store, now);
    assert.equal(await store.secondFactors.findEnrolment(accountId, userId, waiting.enrolmentId), null);
    assert.deepEqual(await store.secondFactors.listDevices(accountId, userId), [kept]);
  });
});
