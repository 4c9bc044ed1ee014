import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { unseenStatuses } from '../../support/conforms.ts';
import { declareFaultCases } from '../../support/faults.ts';
import { unreadMembers } from '../../support/read-members.ts';
import { partsOn } from '../../support/sample.ts';
import { databases } from '../../support/stores.ts';
import { authorizeRedirects } from './authorize-redirects.ts';
import { refreshTokenAnswer } from './refresh-token-answer.ts';
import { refreshTokenClients } from './refresh-token-clients.ts';
import { refreshTokenLifetime } from './refresh-token-lifetime.ts';
import { refreshTokenOrder } from './refresh-token-order.ts';
import { refreshTokenStanding } from './refresh-token-standing.ts';
import { refreshTokenTable } from './refresh-token-table.ts';
import { registerClientAnswer } from './register-client-answer.ts';
import { registerClientCallers } from './register-client-callers.ts';
import { registerClientMembers } from './register-client-members.ts';
import { registerClientRedirectUris } from './register-client-redirect-uris.ts';
import { registerClientStorage } from './register-client-storage.ts';
import { routing } from './routing.ts';

for (const kind of databases) {
  describe(`the documented door on ${kind}`, () => {
    const part = partsOn(kind);
    let opened: TestApp;
    const app = () => opened;
    before(async () => {
      // Limits have accounts of their own.
      opened = await openTestApp(kind, { settings: { 'limit.register': 'off', 'limit.client-auth': 'off' } });
    });
    after(() => opened.dispose());

    part('routing', () => routing(app));
    part('POST /oidc/2/register: the answer', () => registerClientAnswer(app));
    part('POST /oidc/2/register: members', () => registerClientMembers(app));
    part('POST /oidc/2/register: redirect URIs', () => registerClientRedirectUris(app));
    part('POST /oidc/2/register: callers', () => registerClientCallers(app));
    part('POST /oidc/2/register: what is kept', () => registerClientStorage(app));
    part('GET /oauth2/authorize: where a client is answered', () => authorizeRedirects(app));
    part('POST /oidc/2/token: the answer', () => refreshTokenAnswer(app));
    part('POST /oidc/2/token: refusals', () => refreshTokenTable(app));
    part('POST /oidc/2/token: order of checks', () => refreshTokenOrder(app));
    part('POST /oidc/2/token: clients', () => refreshTokenClients(app));
    part('POST /oidc/2/token: standing', () => refreshTokenStanding(app));
    part('POST /oidc/2/token: lifetime and reuse', () => refreshTokenLifetime(app));
  });

  declareFaultCases('oidc-2', kind);
}

it('every documented status of oidc-2 was seen', () => {
  assert.deepEqual(unseenStatuses('oidc-2'), []);
});

it('every member of the request bodies of oidc-2 was read by a handler', () => {
  assert.deepEqual(unreadMembers('oidc-2'), []);
});
