import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../../src/domain/accounts/account.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../../../src/domain/callers/api-keys.ts';
import { authenticatePair } from '../../../src/domain/callers/authenticate-pair.ts';
import {
  authenticateBearer,
  issueCredentialToken,
  revokeCredentialToken,
} from '../../../src/domain/callers/credential-tokens.ts';
import { createCredential, listCredentials, revokeCredential } from '../../../src/domain/callers/credentials.ts';
import { credentialScopes } from '../../../src/domain/callers/scopes.ts';
import { digestOf } from '../../../src/domain/secrets.ts';
import type { CredentialRecord } from '../../../src/store/callers.ts';
import { failureOf } from '../../store/samples.ts';
import { onEachDatabase } from '../../store/suite.ts';
import { execute } from '../../support/rows.ts';
import { createTestAccount, type TestServices, testClock, testServices } from '../../support/services.ts';
import { onServices } from '../subject.ts';

/** Authenticates a pair sent as members of the body. */
function authenticate(services: TestServices, account: Account, clientId: string, clientSecret: string) {
  return authenticatePair(services, account, { authorization: undefined, clientId, clientSecret, source: '127.0.0.1' });
}

async function pairOf(services: TestServices, account: Account): Promise<CredentialRecord> {
  const { clientId, clientSecret } = await createCredential(services, account, ['read_users']);
  return authenticate(services, account, clientId, clientSecret);
}

onServices('callers', (subject) => {
  test('a credential pair is shown once, and only its digest is stored', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    const pair = await createCredential(services, account, ['manage_all', 'read_users', 'manage_all']);
    assert.match(pair.clientId, /^ac_[A-Za-z0-9_-]{43}$/);
    assert.match(pair.clientSecret, /^cs_[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(pair.scopes, ['manage_all', 'read_users']);
    const [stored] = await listCredentials(services, account);
    assert.equal(stored?.secretDigest, digestOf(pair.clientSecret));
    assert.ok(!JSON.stringify(stored).includes(pair.clientSecret));
    const found = await authenticate(services, account, pair.clientId, pair.clientSecret);
    assert.deepEqual(found, stored);
  });

  test('only the six scopes exist, and a credential has at least one', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    for (const scopes of [[], ['root'], ['manage_all', ''], ['MANAGE_ALL'], ['__proto__']]) {
      assert.equal(await failureOf(createCredential(services, account, scopes)), 'value_invalid scope');
    }
    assert.equal((await createCredential(services, account, credentialScopes)).scopes.length, 6);
  });

  test('a wrong, a revoked and another account’s pair get the same refusal', async () => {
    const { services } = subject;
    const [mine, theirs] = [await createTestAccount(services), await createTestAccount(services)];
    const pair = await createCredential(services, mine, ['manage_all']);
    for (const [account, id, secret] of [
      [mine, pair.clientId, `${pair.clientSecret}x`],
      [mine, pair.clientId, ''],
      [mine, 'ac_nobody', pair.clientSecret],
      [theirs, pair.clientId, pair.clientSecret],
    ] as const) {
      assert.equal(await failureOf(authenticate(services, account, id, secret)), 'credential_authentication_failed');
    }
    await revokeCredential(services, mine, pair.clientId);
    const again = authenticate(services, mine, pair.clientId, pair.clientSecret);
    assert.equal(await failureOf(again), 'credential_authentication_failed');
    assert.equal(await failureOf(revokeCredential(services, mine, pair.clientId)), 'not_found credential');
    assert.deepEqual(await listCredentials(services, mine), []);
  });

  test('a token identifies its caller for ten hours', async () => {
    const services = await testServices(subject.services.store, { clock: testClock() });
    using _ = services.clock.hold();
    const account = await createTestAccount(services);
    const credential = await pairOf(services, account);
    const token = await issueCredentialToken(services, account, credential);
    assert.match(token.accessToken, /^ct_[0-9a-z]{1,6}_[\w-]{43}$/);
    assert.equal(token.expiresInSeconds, 36_000);
    assert.equal(token.createdAt, services.clock.now());
    assert.deepEqual(await authenticateBearer(services, account, token.accessToken), {
      accountId: account.id,
      actor: { type: 'credential', id: credential.id },
      limitedBy: { credential: credential.clientId },
      scopes: ['read_users'],
    });
    services.clock.advance(36_000_000 - 1);
    await authenticateBearer(services, account, token.accessToken);
    services.clock.advance(1);
    assert.equal(await failureOf(authenticateBearer(services, account, token.accessToken)), 'caller_unauthenticated');
  });

  test('no other text is accepted as a token', async () => {
    const { services } = subject;
    const [account, other] = [await createTestAccount(services), await createTestAccount(services)];
    const { accessToken } = await issueCredentialToken(services, account, await pairOf(services, account));
    const [, id, secret] = accessToken.split('_');
    for (const text of [
      '',
      id,
      accessToken.slice(0, -1),
      `${accessToken}x`,
      `ct_zzzzzz_${secret}`,
      `ct_0_${secret}`,
      `ct_${id}_${'A'.repeat(43)}`,
      `ct_0${id}_${secret}`,
    ]) {
      assert.equal(
        await failureOf(authenticateBearer(services, account, String(text))),
        'caller_unauthenticated',
        text,
      );
    }
    assert.equal(await failureOf(authenticateBearer(services, other, accessToken)), 'caller_unauthenticated');
  });

  test('a credential may have several valid tokens, which end one by one or with it', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    const [credential, stranger] = [await pairOf(services, account), await pairOf(services, account)];
    const issue = async () => (await issueCredentialToken(services, account, credential)).accessToken;
    const [one, two] = [await issue(), await issue()];
    const revoke = (by: CredentialRecord, token: string) => revokeCredentialToken(services, account, by, token);
    const outcome = (token: string) => failureOf(authenticateBearer(services, account, token));
    await revoke(stranger, one);
    await revoke(credential, 'no token');
    assert.equal(await outcome(one), 'nothing');
    await revoke(credential, one);
    await revoke(credential, one);
    assert.deepEqual([await outcome(one), await outcome(two)], ['caller_unauthenticated', 'nothing']);
    await revokeCredential(services, account, credential.clientId);
    assert.equal(await outcome(two), 'caller_unauthenticated');
  });

  test('an API key is shown once and revoked by its id', async () => {
    const { services } = subject;
    const [account, other] = [await createTestAccount(services), await createTestAccount(services)];
    const { id, apiKey } = await createApiKey(services, account, 'import');
    assert.match(apiKey, /^ak_[\w-]{43}$/);
    const [listed] = await listApiKeys(services, account);
    assert.deepEqual([listed?.id, listed?.name, listed?.digest], [id, 'import', digestOf(apiKey)]);
    assert.equal(await failureOf(revokeApiKey(services, other, id)), 'not_found api key');
    await revokeApiKey(services, account, id);
    assert.equal(await failureOf(revokeApiKey(services, account, id)), 'not_found api key');
    assert.deepEqual(await listApiKeys(services, account), []);
    assert.equal(await failureOf(createApiKey(services, account, 'a\nb')), 'value_invalid name');
  });
});

onEachDatabase('the number of callers', (subject) => {
  test('an account has 1,000 pairs and 1,000 API keys at most, of two made at once too; one revoked makes room', async () => {
    const services = await testServices(subject.store);
    const account = await createTestAccount(services);
    const numbers = 'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 999)';
    const made = `select ${account.id}, 'old ${account.id} ' || n`;
    await execute(
      subject.url,
      `insert into credentials (account_id, client_id, secret_digest, scopes, created_at)
         ${numbers} ${made}, 'x', '["read_users"]', 1 from numbers;
         insert into api_keys (account_id, digest, name, created_at) ${numbers} ${made}, 'old', 1 from numbers`,
    );
    const pair = () => createCredential(services, account, ['read_users']);
    const key = () => createApiKey(services, account, 'new');
    for (const [make, count, refused] of [
      [pair, listCredentials, 'credential cannot be added: the account has 1000 credentials already'],
      [key, listApiKeys, 'api_key cannot be added: the account has 1000 API keys already'],
    ] as const) {
      const ends = await Promise.allSettled([make(), make(), make()]);
      const reasons = ends.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      assert.deepEqual(
        reasons.map(({ code, message }) => [code, message]),
        [
          ['value_invalid', refused],
          ['value_invalid', refused],
        ],
      );
      assert.equal((await count(services, account)).length, 1_000);
    }
    await revokeCredential(services, account, `old ${account.id} 7`);
    const [first] = await listApiKeys(services, account);
    await revokeApiKey(services, account, first?.id ?? 0);
    await pair();
    await key();
    assert.equal(await failureOf(pair()), 'value_invalid credential');
    assert.equal(await failureOf(key()), 'value_invalid api_key');
  });
});
