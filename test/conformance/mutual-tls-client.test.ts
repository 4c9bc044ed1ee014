/**
 * Mutual TLS with `openid-client`, unmodified, through a proxy where TLS ends: FAPI 2.0 by a certificate that the
 * client registered, and tokens that are bound to it. Only its `fetch` has a certificate.
 */

import assert from 'node:assert/strict';
import { Agent, request } from 'node:https';
import { after, before, describe, it } from 'node:test';
import * as client from 'openid-client';
import { newCertificate, pemOf, type TestCertificate } from '../support/client-certificates.ts';
import { sampledDatabases } from '../support/sample.ts';
import { redirectUri } from '../support/sign-in.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';
import { metadata, openProvider, type Provider } from './provider.ts';

/** A `fetch` whose connections show the certificate, where they are TLS. */
function certifiedFetch(certificate: TestCertificate, ca: string): client.CustomFetch {
  const agent = new Agent({ ...pemOf(certificate), ca });
  return async (url, { method, headers, body }) => {
    if (!url.startsWith('https:')) return fetch(url, { method, headers, body: body as string });
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    request(url, { method, headers, agent }, async (answer) => {
      const text = Buffer.concat(await answer.toArray());
      const sent = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
      resolve(new Response(text, { status: answer.statusCode ?? 0, headers: sent }));
    })
      .once('error', reject)
      .end(body == null ? undefined : String(body));
    return promise;
  };
}

for (const database of sampledDatabases) {
  describe(`openid-client by mutual TLS on ${database}`, () => {
    let provider: Provider;
    let proxy: Awaited<ReturnType<typeof startTlsProxy>>;
    before(async () => {
      provider = await openProvider(database, { TRUST_PROXY: '127.0.0.1' });
      proxy = await startTlsProxy(provider.issuer);
      for (const setting of ['security_profile=fapi2', 'mutual_tls=any', `mutual_tls_origin=${proxy.origin}`]) {
        await provider.set(setting);
      }
    });
    after(async () => {
      proxy.close();
      await provider.close();
    });

    it('finds the addresses for certificates, signs in, and uses, refreshes, and introspects bound tokens', async () => {
      const [mine, other] = [newCertificate(), newCertificate()];
      const members = {
        ...metadata,
        token_endpoint_auth_method: 'self_signed_tls_client_auth',
        jwks: { keys: [mine.jwk] } as never,
      };
      const registered = await client.dynamicClientRegistration(provider.issuer, members, client.TlsClientAuth(), {
        initialAccessToken: provider.initialAccessToken,
        execute: [client.allowInsecureRequests],
      });
      const by = (certificate: TestCertificate) => {
        const known = { ...registered.clientMetadata(), use_mtls_endpoint_aliases: true };
        const made = new client.Configuration(
          registered.serverMetadata(),
          known.client_id,
          known,
          client.TlsClientAuth(),
        );
        client.allowInsecureRequests(made);
        made[client.customFetch] = certifiedFetch(certificate, proxy.ca);
        return made;
      };
      const config = by(mine);
      assert.equal(config.serverMetadata().mtls_endpoint_aliases?.token_endpoint, `${proxy.origin}/oauth2/token`);
      await provider.assign(config.clientMetadata()['app_id']);
      const pkceCodeVerifier = client.randomPKCECodeVerifier();
      const expectedNonce = client.randomNonce();
      const pushed = await client.buildAuthorizationUrlWithPAR(config, {
        redirect_uri: redirectUri,
        scope: 'openid email',
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        nonce: expectedNonce,
      });
      const callback = await provider.browse(pushed);
      const checks = { pkceCodeVerifier, expectedNonce, idTokenExpected: true };
      const first = await client.authorizationCodeGrant(config, callback, checks);
      assert.equal(first.token_type, 'bearer');
      const subject = first.claims()?.sub ?? '';
      assert.equal((await client.fetchUserInfo(config, first.access_token, subject)).email, provider.email);
      const next = await client.refreshTokenGrant(config, first.refresh_token ?? '');
      const seen = await client.tokenIntrospection(config, next.access_token);
      assert.deepEqual(seen.cnf, { 'x5t#S256': mine.thumbprint });
      const thief = by(other);
      await assert.rejects(client.fetchUserInfo(thief, next.access_token, subject), { status: 401 });
      await assert.rejects(client.refreshTokenGrant(thief, next.refresh_token ?? ''), { error: 'invalid_client' });
      await client.tokenRevocation(config, next.access_token);
    });
  });
}
