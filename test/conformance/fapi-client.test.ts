/**
 * FAPI 2.0 with `openid-client`, unmodified: the security profile, and the signed answers of message signing. The
 * account follows it by one setting, and the client registers its keys and nothing else.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import * as client from 'openid-client';
import { sampledDatabases } from '../support/sample.ts';
import { redirectUri } from '../support/sign-in.ts';
import { metadata, openProvider, type Provider } from './provider.ts';

for (const database of sampledDatabases) {
  describe(`openid-client by FAPI 2.0 on ${database}`, () => {
    let provider: Provider;
    before(async () => {
      provider = await openProvider(database);
      await provider.set('security_profile=fapi2');
    });
    after(() => provider.close());

    for (const alg of ['PS256', 'ES256']) {
      it(`${alg}: pushes a signed request, reads a signed answer, and gets bound tokens, refreshed and introspected`, async () => {
        const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
        const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg, kid: 'k1', use: 'sig' }] };
        const key = { key: privateKey, kid: 'k1' };
        const members = { ...metadata, jwks: jwks as never, authorization_signed_response_alg: 'PS256' };
        const config = await client.dynamicClientRegistration(provider.issuer, members, client.PrivateKeyJwt(key), {
          initialAccessToken: provider.initialAccessToken,
          execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks, client.useJwtResponseMode],
        });
        await provider.assign(config.clientMetadata()['app_id']);
        const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair());
        const pkceCodeVerifier = client.randomPKCECodeVerifier();
        const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
        const asked = {
          redirect_uri: redirectUri,
          scope: 'openid email',
          code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
          state: expectedState,
          nonce: expectedNonce,
        };
        const signed = await client.buildAuthorizationUrlWithJAR(config, asked, key);
        const pushed = await client.buildAuthorizationUrlWithPAR(config, signed.searchParams, { DPoP });
        const callback = await provider.browse(pushed);
        assert.deepEqual([...callback.searchParams.keys()], ['response']);
        const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
        const first = await client.authorizationCodeGrant(config, callback, checks, undefined, { DPoP });
        assert.equal(first.token_type, 'dpop');
        const subject = first.claims()?.sub ?? '';
        assert.equal((await client.fetchUserInfo(config, first.access_token, subject, { DPoP })).email, provider.email);
        const next = await client.refreshTokenGrant(config, first.refresh_token ?? '', undefined, { DPoP });
        const seen = await client.tokenIntrospection(config, next.access_token);
        assert.deepEqual(seen.cnf, { jkt: await DPoP.calculateThumbprint() });
        await client.tokenRevocation(config, next.access_token);
      });
    }
  });
}
