/** A3: `openid-client`, unmodified, walks the standard door of a service. The one option is plain http on loopback. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { sampledDatabases } from '../support/sample.ts';
import { redirectUri } from '../support/sign-in.ts';
import { metadata, methods, openProvider, type Provider } from './provider.ts';

type Method = (typeof methods)[number];

const authentication: Readonly<Record<NonNullable<Method>, () => client.ClientAuth>> = {
  client_secret_basic: () => client.ClientSecretBasic(),
  client_secret_post: () => client.ClientSecretPost(),
  none: () => client.None(),
};

/** Discovers the issuer and registers; without a method the library decides by itself how it sends the secret. */
function register(
  { issuer, initialAccessToken }: Provider,
  method: Method,
  more: object = {},
): Promise<client.Configuration> {
  return client.dynamicClientRegistration(
    issuer,
    { ...metadata, ...more, ...(method && { token_endpoint_auth_method: method }) },
    method ? authentication[method]() : undefined,
    { initialAccessToken, execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] },
  );
}

async function signIn(
  { browse }: Provider,
  config: client.Configuration,
  asked: Readonly<Record<string, string>> = { scope: 'openid profile email' },
  DPoP?: client.DPoPHandle,
) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const expectedNonce = client.randomNonce();
  const parameters = {
    redirect_uri: redirectUri,
    ...asked,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
  };
  // A client that proves a key does so from the first request on (RFC 9449 §10.1).
  const authorizationUrl = DPoP
    ? await client.buildAuthorizationUrlWithPAR(config, parameters, { DPoP })
    : client.buildAuthorizationUrl(config, parameters);
  const callback = await browse(authorizationUrl);
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
  return client.authorizationCodeGrant(config, callback, checks, undefined, DPoP && { DPoP });
}

for (const database of sampledDatabases) {
  describe(`openid-client on ${database}`, () => {
    let provider: Provider;
    before(async () => {
      provider = await openProvider(database);
    });
    after(() => provider.close());

    it('gets JWT access tokens for an API that its client is linked to, chosen by resource (RFC 8707, RFC 9068)', async () => {
      const grant_types = ['authorization_code', 'refresh_token', 'client_credentials'];
      const config = await register(provider, 'client_secret_post', { grant_types });
      await provider.assign(config.clientMetadata()['app_id']);
      const resource = 'https://api.example.com/orders';
      await provider.link(config.clientMetadata()['app_id'], resource, ['orders:read', 'orders:write']);
      const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri ?? ''));
      const { issuer } = config.serverMetadata();
      const atGateway = async (token: string) =>
        (await jwtVerify(token, keys, { issuer, audience: resource, typ: 'at+jwt', algorithms: ['RS256'] })).payload;

      const first = await signIn(provider, config, { scope: 'openid email orders:read', resource });
      assert.equal((await atGateway(first.access_token))['scope'], 'openid email orders:read');
      const subject = first.claims()?.sub ?? '';
      assert.equal((await client.fetchUserInfo(config, first.access_token, subject)).email, provider.email);
      const next = await client.refreshTokenGrant(config, first.refresh_token ?? '', { resource });
      assert.equal((await atGateway(next.access_token)).sub, subject);
      assert.deepEqual((await client.tokenIntrospection(config, next.access_token)).aud, resource);

      const own = await client.clientCredentialsGrant(config, { scope: 'orders:write', resource });
      assert.equal((await atGateway(own.access_token)).sub, config.clientMetadata().client_id);
      const elsewhere = { resource: 'https://api.example.com/other' };
      await assert.rejects(client.clientCredentialsGrant(config, elsewhere), { error: 'invalid_target' });
      await client.tokenRevocation(config, own.access_token);
      assert.equal((await client.tokenIntrospection(config, own.access_token)).active, false);
    });

    it('binds its tokens to a key (RFC 9449), nonces included', async () => {
      const config = await register(provider, 'none', { dpop_bound_access_tokens: true });
      await provider.assign(config.clientMetadata()['app_id']);
      const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair());
      const thumbprint = await DPoP.calculateThumbprint();
      const first = await signIn(provider, config, { scope: 'openid email', dpop_jkt: thumbprint }, DPoP);
      assert.equal(first.token_type, 'dpop');
      const subject = first.claims()?.sub ?? '';
      assert.equal((await client.fetchUserInfo(config, first.access_token, subject, { DPoP })).email, provider.email);
      const next = await client.refreshTokenGrant(config, first.refresh_token ?? '', undefined, { DPoP });
      assert.equal((await client.fetchUserInfo(config, next.access_token, subject, { DPoP })).email, provider.email);
      const seen = await client.tokenIntrospection(config, next.access_token);
      assert.deepEqual(seen.cnf, { jkt: thumbprint });
      const thief = client.getDPoPHandle(config, await client.randomDPoPKeyPair());
      const stolen = client.refreshTokenGrant(config, next.refresh_token ?? '', undefined, { DPoP: thief });
      await assert.rejects(stolen, { error: 'invalid_grant' });
    });

    it('signs a device in (RFC 8628)', async () => {
      const grant_types = ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'];
      const config = await register(provider, 'none', { grant_types, redirect_uris: undefined });
      await provider.assign(config.clientMetadata()['app_id']);
      const codes = await client.initiateDeviceAuthorization(config, { scope: 'openid email' });
      await provider.allowDevice(new URL(codes.verification_uri_complete ?? ''));
      const tokens = await client.pollDeviceAuthorizationGrant(config, codes);
      const subject = tokens.claims()?.sub ?? '';
      assert.equal((await client.fetchUserInfo(config, tokens.access_token, subject)).email, provider.email);
      const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
      assert.equal(next.claims()?.sub, subject);
    });

    it('signs in by the implicit flow with an id token (OpenID Connect Core §3.2)', async () => {
      const { issuer, initialAccessToken } = provider;
      await provider.set('grant.implicit=on');
      const more = { ...metadata, grant_types: ['implicit'], response_types: ['id_token'] };
      const config = await client.dynamicClientRegistration(issuer, more, undefined, {
        initialAccessToken,
        execute: [client.allowInsecureRequests, client.useIdTokenResponseType],
      });
      await provider.assign(config.clientMetadata()['app_id']);
      const [nonce, state] = [client.randomNonce(), client.randomState()];
      const asked = { redirect_uri: redirectUri, scope: 'openid email', nonce, state };
      const callback = await provider.browse(client.buildAuthorizationUrl(config, asked));
      const claims = await client.implicitAuthentication(config, callback, nonce, { expectedState: state });
      assert.equal(claims['email'], provider.email);
      await assert.rejects(client.implicitAuthentication(config, callback, 'another', { expectedState: state }));
    });

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
