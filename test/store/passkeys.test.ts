import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { PasskeyRecord, StoredPasskey } from '../../src/store/passkeys.ts';
import type { Store } from '../../src/store/store.ts';
import { purgeAll } from '../support/purge.ts';
import { type Cast, minute, newCast, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

async function newPasskey(
  store: Store,
  { accountId, userId }: Cast,
  given: Partial<PasskeyRecord> = {},
): Promise<StoredPasskey> {
  const device = await store.secondFactors.createDevice({
    accountId,
    userId,
    kind: 'passkey',
    name: 'Laptop',
    enrolmentId: randomUUID(),
    sealedSecret: 'sealed',
    lastStep: -1,
    lastUsedAt: null,
    createdAt: now,
    expiresAt: null,
    acceptedAt: now,
  });
  const passkey = {
    accountId,
    deviceId: device.id,
    credentialId: unique('credential'),
    counter: 0,
    transports: ['internal', 'hybrid'],
    backupEligible: true,
    backedUp: false,
    ...given,
  };
  await store.passkeys.create(passkey);
  return { device, passkey };
}

onEachDatabase('passkeys', (subject) => {
  test('are found by their credential, in their account only, and listed with their device', async () => {
    const { store } = subject;
    const [one, other] = [await newCast(store), await newCast(store)];
    const [first, second] = [await newPasskey(store, one), await newPasskey(store, one)];
    const { credentialId } = first.passkey;
    assert.deepEqual(await store.passkeys.findByCredential(one.accountId, credentialId), first);
    assert.equal(await store.passkeys.findByCredential(other.accountId, credentialId), null);
    assert.deepEqual(await store.passkeys.list(one.accountId, one.userId), [first, second]);
    assert.deepEqual(await store.passkeys.list(other.accountId, other.userId), []);
  });

  test('a credential is unique in its account; another account may have it too', async () => {
    const { store } = subject;
    const [one, other] = [await newCast(store), await newCast(store)];
    const { passkey } = await newPasskey(store, one);
    const { credentialId } = passkey;
    await assert.rejects(newPasskey(store, one, { credentialId }), { code: 'conflict' });
    await newPasskey(store, other, { credentialId });
  });

  test('a use is stored if the counter grows, or is not supported; one of 20 uses with one counter is', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { accountId, userId } = cast;
    const { device, passkey } = await newPasskey(store, cast);
    const use = (counter: number, backedUp = false) =>
      store.passkeys.use(accountId, device.id, { counter, backedUp }, now + minute);
    assert.deepEqual([await use(0), await use(0, true)], [true, true], 'an authenticator that does not count');
    const [uncounted] = await store.passkeys.list(accountId, userId);
    assert.deepEqual(uncounted, {
      device: { ...device, lastUsedAt: now + minute },
      passkey: { ...passkey, backedUp: true },
    });
    assert.equal(await use(3), true);
    const used = await Promise.all(Array.from({ length: 20 }, () => use(7)));
    assert.equal(used.filter(Boolean).length, 1);
    assert.deepEqual([await use(6), await use(0), await use(8)], [false, false, true]);
    assert.equal(await store.passkeys.use(accountId, device.id + 1000, { counter: 9, backedUp: false }, now), false);
  });

  test('are removed with their device, which can be renamed', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { accountId, userId } = cast;
    const { device, passkey } = await newPasskey(store, cast);
    const { secondFactors } = store;
    assert.equal(await secondFactors.renameDevice(accountId, userId + 1, device.id, 'Mine'), false);
    assert.equal(await secondFactors.renameDevice(accountId, userId, device.id, 'Old laptop'), true);
    assert.equal((await store.passkeys.list(accountId, userId))[0]?.device.name, 'Old laptop');
    assert.equal(await secondFactors.removeDevice(accountId, userId, device.id), true);
    assert.equal(await secondFactors.renameDevice(accountId, userId, device.id, 'Gone'), false);
    assert.equal(await store.passkeys.findByCredential(accountId, passkey.credentialId), null);
    assert.equal(await store.passkeys.use(accountId, device.id, { counter: 1, backedUp: false }, now), false);
  });

  test('a challenge is used up once in each account; expired ones are purged', async () => {
    const { store } = subject;
    const [one, other] = [await newCast(store), await newCast(store)];
    const digest = unique('digest');
    const use = (accountId: number) => store.passkeys.useChallenge(accountId, digest, now + minute);
    const used = await Promise.all(Array.from({ length: 20 }, () => use(one.accountId)));
    assert.equal(used.filter(Boolean).length, 1);
    assert.equal(await use(other.accountId), true);
    await purgeAll(store, now + minute - 1);
    assert.equal(await use(one.accountId), false);
    await purgeAll(store, now + minute);
    assert.equal(await use(one.accountId), true, 'its row is gone');
  });
});
