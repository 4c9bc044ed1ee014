/** Rights that are taken between a write's first look at them and its commit; on SQLite nothing comes between. */

import assert from 'node:assert/strict';
import { AsyncResource } from 'node:async_hooks';
import { test } from 'node:test';
import type { Account } from '../../../src/domain/accounts/account.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../../../src/domain/callers/api-keys.ts';
import { issueCredentialToken } from '../../../src/domain/callers/credential-tokens.ts';
import { createCredential, listCredentials, revokeCredential } from '../../../src/domain/callers/credentials.ts';
import { type Admitted, storeWhileAdmitted } from '../../../src/domain/callers/still-admitted.ts';
import { digestOf } from '../../../src/domain/secrets.ts';
import type { Store } from '../../../src/store/store.ts';
import { createTestAccount, type TestServices } from '../../support/services.ts';
import { onServices } from '../subject.ts';

async function pairOf(services: TestServices, account: Account) {
  const credential = await createCredential(services, account, ['manage_all']);
  const record = (await listCredentials(services, account)).find(({ id }) => id === credential.id) ?? assert.fail();
  const { accessToken } = await issueCredentialToken(services, account, record);
  return { ...credential, admitted: { authorization: `Bearer ${accessToken}`, scopes: ['manage_all'] } };
}

/** The store of a call of `admitted`; each of its transactions does `amid` after the first look, as somebody else. */
function storeOf(services: TestServices, account: Account, admitted: Admitted, amid: () => Promise<unknown>): Store {
  const store = storeWhileAdmitted(services, account, admitted);
  const apart = AsyncResource.bind(amid);
  return {
    ...store,
    transaction: (work) =>
      store.transaction(async (tx) => {
        await apart();
        return work(tx);
      }),
  };
}

onServices(
  'rights taken amid a write',
  (subject) => {
    test('a write of a credential that was revoked before it commits is refused', async () => {
      const { services } = subject;
      const account = await createTestAccount(services);
      const pair = await pairOf(services, account);
      const other = await pairOf(services, account);
      const store = storeOf(services, account, pair.admitted, () => revokeCredential(services, account, pair.clientId));
      await assert.rejects(createCredential({ ...services, store }, account, ['manage_all']), {
        code: 'caller_unauthenticated',
      });
      const left = await listCredentials(services, account);
      assert.deepEqual(
        left.map(({ id }) => id),
        [other.id],
      );
    });

    test('of two that revoke each other one is refused', async () => {
      const { services } = subject;
      const account = await createTestAccount(services);
      const [one, other] = [await pairOf(services, account), await pairOf(services, account)];
      const bothLooked = Promise.withResolvers<void>();
      let looked = 0;
      const look = () => {
        looked += 1;
        if (looked === 2) bothLooked.resolve();
        return bothLooked.promise;
      };
      const revokes = (caller: typeof one, clientId: string) => {
        const store = storeOf(services, account, caller.admitted, look);
        return revokeCredential({ ...services, store }, account, clientId);
      };
      const ends = await Promise.allSettled([revokes(one, other.clientId), revokes(other, one.clientId)]);
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []));
      assert.deepEqual(refused, ['caller_unauthenticated']);
      assert.equal((await listCredentials(services, account)).length, 1);
    });

    test('a caller may give up its own right, and what others do to others refuses nobody', async () => {
      const { services } = subject;
      const account = await createTestAccount(services);
      const [one, other] = [await pairOf(services, account), await pairOf(services, account)];
      const store = storeOf(services, account, one.admitted, () => revokeCredential(services, account, other.clientId));
      await revokeCredential({ ...services, store }, account, one.clientId);
      assert.deepEqual(await listCredentials(services, account), []);
    });

    test('a write of an API key that was revoked before it commits is refused', async () => {
      const { services } = subject;
      const account = await createTestAccount(services);
      const { id, apiKey } = await createApiKey(services, account, 'one');
      const admitted = { keyDigest: digestOf(apiKey) };
      const store = storeOf(services, account, admitted, () => revokeApiKey(services, account, id));
      await assert.rejects(createApiKey({ ...services, store }, account, 'another'), { code: 'api_key_invalid' });
      assert.deepEqual(await listApiKeys(services, account), []);
    });
  },
  ['postgres'],
);
