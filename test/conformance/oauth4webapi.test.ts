/** A3: `oauth4webapi`, unmodified, walks the standard door of a service. The one option is plain http on loopback. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import { sampledDatabases } from '../support/sample.ts';
import { redirectUri } from '../support/sign-in.ts';
import { metadata, methods, openProvider, type Provider } from './provider.ts';

const options = { [oauth.allowInsecureRequests]: true };

/** A registered client at the server it discovered. */
interface Registered {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly authentication: oauth.ClientAuth;
}

async function register(provider: Provider, method: (typeof methods)[number]): Promise<Registered> {
  const { issuer, initialAccessToken } = provider;
  const discovered = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oidc' });
  const server = await oauth.processDiscoveryResponse(issuer, discovered);
  const answer = await oauth.dynamicClientRegistrationRequest(
    server,
    { ...metadata, ...(method && { token_endpoint_auth_method: method }) },
    { ...options, initialAccessToken },
  );
  const client = await oauth.processDynamicClientRegistrationResponse(answer);
  const secret = String(client['client_secret']);
  const ways = {
    client_secret_basic: () => oauth.ClientSecretBasic(secret),
    client_secret_post: () => oauth.ClientSecretPost(secret),
    none: () => oauth.None(),
  };
  // Who named no method is reported as Basic and may send the secret in the body all the same.
  return { server, client, authentication: ways[method ?? 'client_secret_post']() };
}

async function signIn(provider: Provider, { server, client, authentication }: Registered) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const nonce = oauth.generateRandomNonce();
  const authorizationUrl = new URL(server.authorization_endpoint ?? '');
  authorizationUrl.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  }).toString();
  const parameters = oauth.validateAuthResponse(server, client, await provider.browse(authorizationUrl), state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    redirectUri,
    verifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(server, answer, options);
  return tokens;
}

async function refresh({ server, client, authentication }: Registered, token: string) {
  const answer = await oauth.refreshTokenGrantRequest(server, client, authentication, token, options);
  const tokens = await oauth.processRefreshTokenResponse(server, client, answer);
  await oauth.validateApplicationLevelSignature(server, answer, options);
  return tokens;
}

async function introspect({ server, client, authentication }: Registered, token: string) {
  const answer = await oauth.introspectionRequest(server, client, authentication, token, options);
  return oauth.processIntrospectionResponse(server, client, answer);
}

async function readUserinfo({ server, client }: Registered, accessToken: string, subject: string) {
  const answer = await oauth.userInfoRequest(server, client, accessToken, options);
  return oauth.processUserInfoResponse(server, client, subject, answer);
}

for (const database of sampledDatabases) {
  describe(`oauth4webapi on ${database}`, () => {
    let provider: Provider;
    before(async () => {
      provider = await openProvider(database);
    });
    after(() => provider.close());

    for (const method of methods) {
      it(`registers, signs in, refreshes, introspects and revokes: ${method ?? 'no method named'}`, async () => {
        const registered = await register(provider, method);
        const { server, client, authentication } = registered;
        assert.equal(client['token_endpoint_auth_method'], method ?? 'client_secret_basic');
        await provider.assign(client['app_id']);

        let tokens = await signIn(provider, registered);
        const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? '';
        assert.equal((await readUserinfo(registered, tokens.access_token, subject)).email, provider.email);

        const seen = new Set([tokens.refresh_token]);
        for (let round = 0; round < 3; round += 1) {
          tokens = await refresh(registered, tokens.refresh_token ?? '');
          assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.sub, subject);
          seen.add(tokens.refresh_token);
        }
        assert.equal(seen.size, 4, 'every refresh gives another token');
        await readUserinfo(registered, tokens.access_token, subject);

        assert.equal((await introspect(registered, tokens.access_token)).active, true);
        const revoked = await oauth.revocationRequest(
          server,
          client,
          authentication,
          tokens.refresh_token ?? '',
          options,
        );
        await oauth.processRevocationResponse(revoked);
        assert.equal(
          (await introspect(registered, tokens.access_token)).active,
          false,
          'the grant ends with its token',
        );
        await assert.rejects(refresh(registered, tokens.refresh_token ?? ''), { error: 'invalid_grant' });
      });
    }
  });
}
