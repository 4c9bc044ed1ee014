import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, hour, newAccount, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('callers', (subject) => {
  const newCredential = (accountId: number, clientId = unique('credential')) =>
    subject.store.callers.createCredential({
      accountId,
      clientId,
      secretDigest: 'digest',
      scopes: ['manage_all'],
      createdAt: now,
      revokedAt: null,
    });

  test('credentials are found in their account only, and revoked once', async () => {
    const { callers } = subject.store;
    const [{ id: accountId }, { id: otherId }] = [await newAccount(subject.store), await newAccount(subject.store)];
    const credential = await newCredential(accountId);
    const second = await newCredential(accountId);
    assert.deepEqual(await callers.findCredential(accountId, credential.clientId), credential);
    assert.deepEqual(await callers.listCredentials(accountId), [credential, second]);
    assert.equal(await callers.findCredential(otherId, credential.clientId), null);
    assert.deepEqual(await callers.listCredentials(otherId), []);
    assert.equal(await failureOf(newCredential(accountId, credential.clientId)), 'conflict client_id');
    assert.equal(await callers.revokeCredential(otherId, credential.clientId, now), false);
    assert.equal(await callers.revokeCredential(accountId, 'nobody', now), false);
    assert.equal(await callers.revokeCredential(accountId, credential.clientId, now + 1), true);
    assert.equal(await callers.revokeCredential(accountId, credential.clientId, now + 2), false);
    assert.equal((await callers.findCredential(accountId, credential.clientId))?.revokedAt, now + 1);
  });

  test('a token is read with the credential it was issued to', async () => {
    const { callers } = subject.store;
    const [{ id: accountId }, { id: otherId }] = [await newAccount(subject.store), await newAccount(subject.store)];
    const credential = await newCredential(accountId);
    const given = { accountId, digest: unique(), credentialId: credential.id, createdAt: now, expiresAt: now + hour };
    const token = await callers.addToken({ ...given, revokedAt: null });
    assert.deepEqual(await callers.findToken(accountId, token.id), { token, credential });
    assert.equal(await callers.findToken(otherId, token.id), null);
    assert.equal(await callers.findToken(accountId, token.id + 1000), null);
    await callers.revokeToken(otherId, token.id, now);
    assert.equal((await callers.findToken(accountId, token.id))?.token.revokedAt, null);
    await callers.revokeToken(accountId, token.id, now + 1);
    await callers.revokeToken(accountId, token.id, now + 2);
    await callers.revokeCredential(accountId, credential.clientId, now + 3);
    const found = await callers.findToken(accountId, token.id);
    assert.equal(found?.token.revokedAt, now + 1);
    assert.equal(found?.credential.revokedAt, now + 3);
    const foreign = callers.addToken({ ...given, accountId: otherId, revokedAt: null });
    assert.equal(await failureOf(foreign), 'not_found');
  });

  test('an API key names its account', async () => {
    const { callers } = subject.store;
    const [{ id: accountId }, { id: otherId }] = [await newAccount(subject.store), await newAccount(subject.store)];
    const given = { accountId, name: 'legacy', digest: unique('key'), createdAt: now, revokedAt: null };
    const key = await callers.createApiKey(given);
    assert.deepEqual(await callers.findApiKey(key.digest), key);
    assert.equal(await callers.findApiKey('nobody'), null);
    assert.deepEqual(await callers.listApiKeys(accountId), [key]);
    assert.deepEqual(await callers.listApiKeys(otherId), []);
    assert.equal(await failureOf(callers.createApiKey(given)), 'conflict digest');
    assert.equal(await callers.revokeApiKey(otherId, key.id, now), false);
    assert.equal(await callers.revokeApiKey(accountId, key.id, now), true);
    assert.equal(await callers.revokeApiKey(accountId, key.id, now), false);
    assert.equal((await callers.findApiKey(key.digest))?.revokedAt, now);
  });
});
