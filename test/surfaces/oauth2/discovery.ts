import assert from 'node:assert/strict';
import { it } from 'node:test';
import { moveAccount } from '../../../src/domain/accounts/accounts.ts';
import { byTurns } from '../../support/sample.ts';
import type { AppOf } from './asking.ts';

const addresses = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];

/** The whole document of an account with default settings: any difference is an error. */
const methods = ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'];
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];

function wanted(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth2/authorize`,
    token_endpoint: `${issuer}/oauth2/token`,
    device_authorization_endpoint: `${issuer}/oauth2/device_authorization`,
    userinfo_endpoint: `${issuer}/oauth2/userinfo`,
    jwks_uri: `${issuer}/oauth2/jwks`,
    registration_endpoint: `${issuer}/oauth2/register`,
    end_session_endpoint: `${issuer}/oauth2/logout`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    introspection_endpoint: `${issuer}/oauth2/introspect`,
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    scopes_supported: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post', 'query.jwt', 'fragment.jwt', 'form_post.jwt', 'jwt'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:device_code',
      'urn:ietf:params:oauth:grant-type:token-exchange',
    ],
    subject_types_supported: ['public', 'pairwise'],
    id_token_signing_alg_values_supported: ['RS256', 'PS256', 'ES256'],
    token_endpoint_auth_methods_supported: methods,
    authorization_signing_alg_values_supported: ['RS256', 'PS256', 'ES256'],
    introspection_signing_alg_values_supported: ['RS256', 'PS256', 'ES256'],
    userinfo_signing_alg_values_supported: ['RS256', 'PS256', 'ES256'],
    token_endpoint_auth_signing_alg_values_supported: algorithms,
    introspection_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    revocation_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    code_challenge_methods_supported: ['S256'],
    dpop_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    acr_values_supported: ['urn:gatehouse:acr:single-factor', 'urn:gatehouse:acr:multi-factor'],
    claims_supported: [
      ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash', 'amr', 'acr', 'sid'],
      ...['name', 'given_name', 'family_name', 'preferred_username', 'updated_at'],
      ...['email', 'email_verified', 'groups'],
    ],
    display_values_supported: ['page'],
    ui_locales_supported: ['en'],
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: true,
    request_parameter_supported: true,
    request_uri_parameter_supported: true,
    require_request_uri_registration: true,
    request_object_signing_alg_values_supported: algorithms,
    require_signed_request_object: false,
    pushed_authorization_request_endpoint: `${issuer}/oauth2/par`,
    require_pushed_authorization_requests: false,
    service_documentation: `${issuer}/docs`,
  };
}

/** OpenID Connect Discovery §3 and §4, RFC 8414 §2 and §3. */
export function discovery(app: AppOf): void {
  for (const [row, address] of addresses.entries()) {
    const atTurn = byTurns(it, row, addresses.length);
    it(`${address} lists exactly what is switched on by default`, async () => {
      const account = await app().another();
      const answer = await account.send('GET', address);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, wanted(account.account.baseUrl));
      assert.match(answer.headers['content-type'] as string, /^application\/json/);
      assert.equal(answer.headers['cache-control'], 'public, max-age=300');
    });

    atTurn(`${address} names the registration endpoint unless registration is closed`, async () => {
      for (const [registration, named] of [
        ['closed', false],
        ['token', true],
        ['open', true],
      ] as const) {
        const { body } = await (await app().another({ registration })).send('GET', address);
        assert.equal('registration_endpoint' in body, named, registration);
      }
    });

    for (const grant of ['password', 'implicit']) {
      atTurn(`${address} lists the ${grant} grant and related members only where it is on`, async () => {
        const one = await app().another({ [`grant.${grant}`]: 'on' });
        const { body } = await one.send('GET', address);
        const usual = wanted(one.account.baseUrl);
        assert.deepEqual(body, {
          ...usual,
          grant_types_supported: [...(usual['grant_types_supported'] as string[]), grant],
          ...(grant === 'implicit' && { response_types_supported: ['code', 'id_token token', 'id_token'] }),
        });
      });
    }

    it(`${address} answers HEAD with the same headers and no body`, async () => {
      const answer = await app().send('HEAD', address);
      assert.equal(answer.status, 200);
      assert.equal(answer.text, '');
      assert.equal(answer.headers['cache-control'], 'public, max-age=300');
    });

    it(`${address} refuses a repeated parameter, and ignores an unknown one`, async () => {
      assert.equal((await app().send('GET', `${address}?v=1`)).status, 200);
      const answer = await app().send('GET', `${address}?v=1&v=2`);
      assert.equal(answer.status, 400);
      assert.deepEqual(answer.body, { error: 'invalid_request', error_description: 'v is given twice' });
    });
  }

  it('the issuer and every address come from the configured base URL, not from the request (I3)', async () => {
    const one = await app().another();
    const host = `login-${one.account.subdomain}.example`;
    await moveAccount(one.services, one.account, { hosts: [host], baseUrl: one.account.baseUrl });
    const forwarded = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example;proto=http',
    };
    for (const asked of [host, host.toUpperCase(), `${host}:443`, new URL(one.account.baseUrl).host.toUpperCase()]) {
      const { status, body } = await one.send('GET', addresses[0] ?? '', { host: asked, headers: forwarded });
      assert.equal(status, 200, asked);
      assert.deepEqual(body, wanted(one.account.baseUrl), asked);
    }
  });

  it('this account answers at every address that discovery names', async () => {
    const { body } = await app().send('GET', addresses[0] ?? '');
    for (const [name, address] of Object.entries<unknown>(body)) {
      if (!name.endsWith('_endpoint') && name !== 'jwks_uri') continue;
      const { origin, pathname } = new URL(String(address));
      assert.equal(origin, app().account.baseUrl);
      // A POST endpoint says 405 to GET, which is not the 404 of a path that does not exist.
      assert.notEqual((await app().send('GET', pathname)).status, 404, name);
    }
  });
}
