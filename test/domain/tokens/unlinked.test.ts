import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authenticateClient } from '../../../src/domain/clients/authenticate-client.ts';
import { startGrant } from '../../../src/domain/opening/openers/grant.ts';
import { linkedServersOf } from '../../../src/domain/tokens/audience.ts';
import { refreshTokens } from '../../../src/domain/tokens/refresh.ts';
import type { Store } from '../../../src/store/store.ts';
import { newClient, newUser, now } from '../../store/samples.ts';
import { createTestAccount, testServices } from '../../support/services.ts';
import { onServices } from '../subject.ts';

/** The same store, counting what is asked of the two verbs that only a linked client needs. */
function counting(store: Store): { store: Store; asked: () => number } {
  let asked = 0;
  const { authorizationServers, grants } = store;
  return {
    asked: () => asked,
    store: {
      ...store,
      authorizationServers: {
        ...authorizationServers,
        ofClient: (...given) => {
          asked += 1;
          return authorizationServers.ofClient(...given);
        },
      },
      grants: {
        ...grants,
        find: (...given) => {
          asked += 1;
          return grants.find(...given);
        },
      },
    },
  };
}

onServices('refresh without a link', (subject) => {
  test('does not query the store for API authorization servers', async () => {
    const services = await testServices(subject.services.store);
    const account = await createTestAccount(services);
    const { clientId } = await newClient(services.store, account.id, { authMethod: 'none', secretDigest: null });
    const shown = { authorization: undefined, clientId, clientSecret: undefined, certificate: null };
    const presented = { ...shown, source: 'here' };
    const client = await authenticateClient(services, account, presented);
    const user = await newUser(services.store, account.id);
    await services.store.access.grant(account.id, client.appId, { userId: user.id }, now);
    const { store, asked } = counting(services.store);
    const counted = { ...services, store };
    const terms = {
      ...{ userId: user.id, serverId: null, scope: ['openid'], sid: null, nonce: null, amr: ['pwd'] },
      authenticatedAt: now,
      servers: () => linkedServersOf(counted, client),
    };
    const started = await store.transaction((tx) => startGrant(counted, tx, account, client, terms, null, 'password'));
    const sender = { binding: null, proof: null };
    const nothing = { scope: null, resource: null };
    const tokens = await refreshTokens(counted, account, client, started.refreshToken ?? '', nothing, sender);
    assert.match(tokens.accessToken, /^at_/);
    assert.equal(asked(), 0);
  });
});
