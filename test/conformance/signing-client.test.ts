/**
 * `openid-client`, unmodified: a client that signs (private_key_jwt), reads and deletes its registration, and signs
 * out.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import * as client from 'openid-client';
import { sampled, sampledDatabases } from '../support/sample.ts';
import { redirectUri } from '../support/sign-in.ts';
import { metadata, openProvider, type Provider } from './provider.ts';

const afterwards = 'https://app.example.com/bye';
const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'];

for (const database of sampledDatabases) {
  describe(`openid-client that signs on ${database}`, () => {
    let provider: Provider;
    before(async () => {
      provider = await openProvider(database);
    });
    after(() => provider.close());

    for (const alg of sampled(['RS256', 'ES256', 'PS256', 'EdDSA'], 4)) {
      it(`${alg}: registers its key, gets tokens, introspects and revokes them, and ends the session`, async () => {
        const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
        const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg, kid: 'k1', use: 'sig' }] };
        const config = await client.dynamicClientRegistration(
          provider.issuer,
          {
            ...metadata,
            grant_types: grantTypes,
            jwks: jwks as never,
            token_endpoint_auth_method: 'private_key_jwt',
            post_logout_redirect_uris: [afterwards],
          },
          client.PrivateKeyJwt({ key: privateKey, kid: 'k1' }),
          { initialAccessToken: provider.initialAccessToken, execute: [client.allowInsecureRequests] },
        );
        const { app_id, registration_client_uri, registration_access_token } = config.clientMetadata();
        await provider.assign(app_id);
        assert.ok((await client.clientCredentialsGrant(config)).access_token);

        const pkceCodeVerifier = client.randomPKCECodeVerifier();
        const expectedState = client.randomState();
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: 'openid email',
          code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
          state: expectedState,
        });
        const checks = { pkceCodeVerifier, expectedState, idTokenExpected: true };
        const tokens = await client.authorizationCodeGrant(config, await provider.browse(url), checks);
        const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
        assert.equal((await client.tokenIntrospection(config, next.access_token)).active, true);
        await client.tokenRevocation(config, next.access_token);
        assert.equal((await client.tokenIntrospection(config, next.access_token)).active, false);

        const end = client.buildEndSessionUrl(config, {
          id_token_hint: tokens.id_token ?? '',
          post_logout_redirect_uri: afterwards,
          state: 's',
        });
        assert.equal(end.origin + end.pathname, `${provider.issuer.origin}/oauth2/logout`);
        const onward = await fetch(end, { redirect: 'manual' });
        assert.equal(onward.status, 303);
        const done = await fetch(new URL(onward.headers.get('location') ?? '', end), { redirect: 'manual' });
        assert.equal(done.headers.get('location'), `${afterwards}?state=s`);

        const headers = { authorization: `Bearer ${registration_access_token}` };
        const own = String(registration_client_uri);
        const read = (await (await fetch(own, { headers })).json()) as { readonly jwks: unknown };
        assert.deepEqual(read.jwks, jwks);
        assert.equal((await fetch(own, { method: 'DELETE', headers })).status, 204);
        await assert.rejects(client.clientCredentialsGrant(config), { error: 'invalid_client' });
      });
    }
  });
}
