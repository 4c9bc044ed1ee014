/** A3: `openid-client`, unmodified, walks the standard door of a service. The one option is plain http on loopback. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as client from 'openid-client';
import { redirectUri } from '../support/sign-in.ts';
import { databases } from '../support/stores.ts';
import { metadata, methods, openProvider, type Provider } from './provider.ts';

type Method = (typeof methods)[number];

const authentication: Readonly<Record<NonNullable<Method>, () => client.ClientAuth>> = {
  client_secret_basic: () => client.ClientSecretBasic(),
  client_secret_post: () => client.ClientSecretPost(),
  none: () => client.None(),
};

/** Discovers the issuer and registers; without a method the library decides by itself how it sends the secret. */
function register({ issuer, initialAccessToken }: Provider, method: Method): Promise<client.Configuration> {
  return client.dynamicClientRegistration(
    issuer,
    { ...metadata, ...(method && { token_endpoint_auth_method: method }) },
    method ? authentication[method]() : undefined,
    { initialAccessToken, execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] },
  );
}

async function signIn({ browse }: Provider, config: client.Configuration) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const expectedNonce = client.randomNonce();
  const authorizationUrl = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
  });
  const callback = await browse(authorizationUrl);
  return client.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
  });
}

for (const database of databases) {
  describe(`openid-client on ${database}`, () => {
    let provider: Provider;
    before(async () => {
      provider = await openProvider(database);
    });
    after(() => provider.close());

    for (const method of methods) {
      it(`registers, signs in, refreshes, introspects and revokes: ${method ?? 'no method named'}`, async () => {
        const config = await register(provider, method);
        const registered = config.clientMetadata();
        assert.equal(registered['token_endpoint_auth_method'], method ?? 'client_secret_basic');
        assert.equal(registered['client_secret'] === undefined, method === 'none');
        await provider.assign(registered['app_id']);

        const first = await signIn(provider, config);
        const subject = first.claims()?.sub ?? '';
        const claims = await client.fetchUserInfo(config, first.access_token, subject);
        assert.equal(claims.email, provider.email);

        let tokens: client.TokenEndpointResponse = first;
        const seen = new Set([first.refresh_token]);
        for (let round = 0; round < 3; round += 1) {
          const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
          assert.equal(next.claims()?.sub, subject);
          seen.add(next.refresh_token);
          tokens = next;
        }
        assert.equal(seen.size, 4, 'every refresh gives another token');
        await client.fetchUserInfo(config, tokens.access_token, subject);

        const active = await client.tokenIntrospection(config, tokens.access_token);
        assert.equal(active.active, true);
        assert.equal(active.sub, subject);
        await client.tokenRevocation(config, tokens.refresh_token ?? '');
        const revoked = await client.tokenIntrospection(config, tokens.access_token);
        assert.equal(revoked.active, false, 'the grant ends with its refresh token');
        await assert.rejects(client.refreshTokenGrant(config, tokens.refresh_token ?? ''), { error: 'invalid_grant' });
      });
    }
  });
}
