/** `openid-client`, unmodified: requests that are pushed, signed, or both, of a client with pairwise subjects. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import * as client from 'openid-client';
import { sampledDatabases } from '../support/sample.ts';
import { redirectUri } from '../support/sign-in.ts';
import { metadata, openProvider, type Provider } from './provider.ts';

type Parameters = Readonly<Record<string, string>>;

for (const database of sampledDatabases) {
  describe(`openid-client that pushes and signs its requests on ${database}`, () => {
    let provider: Provider;
    before(async () => {
      provider = await openProvider(database);
    });
    after(() => provider.close());

    it('signs in by each (RFC 9126, RFC 9101), with the same pairwise subject', async () => {
      const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
      const key = { key: privateKey, kid: 'k1' };
      const config = await client.dynamicClientRegistration(
        provider.issuer,
        {
          ...metadata,
          jwks: { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'k1', use: 'sig' }] } as never,
          token_endpoint_auth_method: 'private_key_jwt',
          request_object_signing_alg: 'ES256',
          subject_type: 'pairwise',
        },
        client.PrivateKeyJwt(key),
        { initialAccessToken: provider.initialAccessToken, execute: [client.allowInsecureRequests] },
      );
      await provider.assign(config.clientMetadata()['app_id']);
      const signed = (parameters: Parameters) => client.buildAuthorizationUrlWithJAR(config, { ...parameters }, key);
      const ways: Readonly<Record<string, (parameters: Parameters) => Promise<URL>>> = {
        pushed: (parameters) => client.buildAuthorizationUrlWithPAR(config, { ...parameters }),
        signed,
        'signed and pushed': async (parameters) =>
          client.buildAuthorizationUrlWithPAR(config, (await signed(parameters)).searchParams),
      };
      const subjects = new Set<string | undefined>();
      for (const [way, urlOf] of Object.entries(ways)) {
        const pkceCodeVerifier = client.randomPKCECodeVerifier();
        const expectedState = client.randomState();
        const url = await urlOf({
          redirect_uri: redirectUri,
          scope: 'openid email',
          response_type: 'code',
          code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
          state: expectedState,
        });
        assert.equal(url.searchParams.has('scope'), false, way);
        const checks = { pkceCodeVerifier, expectedState, idTokenExpected: true };
        const tokens = await client.authorizationCodeGrant(config, await provider.browse(url), checks);
        const subject = tokens.claims()?.sub ?? '';
        assert.equal((await client.fetchUserInfo(config, tokens.access_token, subject)).email, provider.email);
        subjects.add(subject);
      }
      assert.equal(subjects.size, 1);
      assert.match([...subjects][0] ?? '', /^[\w-]{43}$/);
    });
  });
}
