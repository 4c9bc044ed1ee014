import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Egress } from '../../../src/domain/egress.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { shown, sign, type TestKey, testKey } from '../../support/assertions.ts';
import { fetched } from '../../support/egress.ts';
import { codeVerifier, makeUser, redirectUri, registerClient, signInForCode } from '../../support/sign-in.ts';
import { assertError, unlimited } from './asking.ts';

/** A client with a `jwks_uri`. On a separate application with a simulated Internet. */
export function rotatingClients(kind: 'sqlite' | 'postgres'): void {
  const uri = 'https://app.example.com/jwks.json';
  let published: TestKey[] = [];
  let app: TestApp;
  const egress: Egress = {
    fetch: async ({ url }) => {
      assert.equal(url, uri);
      return fetched(url, { keys: published.map(({ jwk }) => jwk) });
    },
  };
  before(async () => {
    app = await openTestApp(kind, { settings: unlimited, services: { egress } });
  });
  after(() => app.dispose());

  it('jwks_uri: its key authenticates the client; after a rotation only the new one, also for a refresh', async () => {
    const [one, two] = [await testKey('RS256', 'one'), await testKey('RS256', 'two')];
    published = [one];
    const method = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: uri };
    const client = await registerClient(app, method);
    const user = await makeUser(app, client.app_id);
    const code = (await signInForCode(app, client, user)).get('code') ?? '';
    const ask = async (key: TestKey, form: Record<string, string>) =>
      app.send('POST', '/oauth2/token', { form: { ...form, ...shown(await sign(app, client.client_id, key)) } });
    const redemption = { code, redirect_uri: redirectUri, code_verifier: codeVerifier };
    const first = await ask(one, { grant_type: 'authorization_code', ...redemption });
    assert.equal(first.status, 200, first.text);
    published = [two];
    app.services.clock.advance(60_000);
    const next = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token };
    const second = await ask(two, next);
    assert.equal(second.status, 200, second.text);
    const last = { grant_type: 'refresh_token', refresh_token: second.body.refresh_token };
    assertError(await ask(one, last), 400, 'invalid_client');
    assert.equal((await ask(two, last)).status, 200);
  });
}
