import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { readTable } from '../../support/rows.ts';
import { redirectUri } from '../../support/sign-in.ts';
import { type AppOf, assertError } from './asking.ts';

const table = readFileSync(new URL('../../../docs/registration.md', import.meta.url), 'utf8');
const rows = [...table.matchAll(/^\| `([^`]+)` \| [^|]+ \| (kept|refused|ignored) \|/gm)].map(
  ([, member = '', outcome = '']) => [member, outcome] as const,
);

/** A good value for every member of the standards; each tells itself apart from every default. */
const values: Readonly<Record<string, unknown>> = {
  redirect_uris: ['https://members.example.com/callback'],
  token_endpoint_auth_method: 'client_secret_post',
  grant_types: ['authorization_code', 'client_credentials'],
  response_types: ['code', 'id_token'],
  client_name: 'canary-name',
  client_uri: 'https://members.example.com/canary',
  logo_uri: 'https://members.example.com/logo.png',
  scope: 'openid email',
  contacts: ['canary@example.com'],
  tos_uri: 'https://members.example.com/tos',
  policy_uri: 'https://members.example.com/policy',
  jwks_uri: 'https://members.example.com/jwks',
  jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ', kid: 'k1', use: 'sig', alg: 'ES256' }] },
  software_id: 'canary-software',
  software_version: 'canary-version',
  software_statement: 'eyJhbGciOiJub25lIn0.e30.',
  'client_name#ja': 'canary-name',
  application_type: 'native',
  subject_type: 'public',
  sector_identifier_uri: 'https://members.example.com/sector',
  id_token_signed_response_alg: 'ES256',
  id_token_encrypted_response_alg: 'RSA-OAEP',
  id_token_encrypted_response_enc: 'A256GCM',
  userinfo_signed_response_alg: 'RS256',
  userinfo_encrypted_response_alg: 'RSA-OAEP',
  userinfo_encrypted_response_enc: 'A256GCM',
  authorization_signed_response_alg: 'PS256',
  authorization_encrypted_response_alg: 'RSA-OAEP',
  authorization_encrypted_response_enc: 'A256GCM',
  introspection_signed_response_alg: 'ES256',
  introspection_encrypted_response_alg: 'RSA-OAEP',
  introspection_encrypted_response_enc: 'A256GCM',
  security_profile: 'fapi2',
  request_object_signing_alg: 'ES256',
  request_object_encryption_alg: 'RSA-OAEP',
  request_object_encryption_enc: 'A256GCM',
  token_endpoint_auth_signing_alg: 'ES256',
  default_max_age: 77,
  require_auth_time: true,
  default_acr_values: ['canary-acr'],
  initiate_login_uri: 'https://members.example.com/start',
  request_uris: ['https://members.example.com/canary'],
  require_pushed_authorization_requests: true,
  require_signed_request_object: true,
  post_logout_redirect_uris: ['https://members.example.com/bye'],
  backchannel_logout_uri: 'https://members.example.com/ended',
  backchannel_logout_session_required: true,
  dpop_bound_access_tokens: false,
  tls_client_certificate_bound_access_tokens: true,
  tls_client_auth_subject_dn: 'CN=canary',
  tls_client_auth_san_dns: 'canary.example.com',
  tls_client_auth_san_uri: 'spiffe://example.com/canary',
  tls_client_auth_san_ip: '192.0.2.17',
  tls_client_auth_san_email: 'canary@example.com',
  frontchannel_logout_uri: 'https://members.example.com/canary',
  frontchannel_logout_session_required: true,
  login_url: 'https://members.example.com/login',
};

/** What a registration needs for the member. */
function besides(member: string): object {
  if (member.startsWith('tls_client_auth_')) return { token_endpoint_auth_method: 'tls_client_auth' };
  const needsKeys = ['require_signed_request_object', 'security_profile'].includes(member);
  return needsKeys ? { jwks: values['jwks'] } : {};
}

/** Every member of RFC 7591 §2, OpenID Connect Registration §2 and the standards of logout: docs/registration.md. */
export function registrationMembers(app: AppOf): void {
  it('the table lists exactly the members that are sent here', () => {
    assert.deepEqual(rows.map(([member]) => member).sort(), Object.keys(values).sort());
  });

  for (const [member, outcome] of rows) {
    it(`${member} is ${outcome}`, async () => {
      const json = { redirect_uris: [redirectUri], ...besides(member), [member]: values[member] };
      const one = member.startsWith('tls_') ? await app().another({ mutual_tls: 'verified' }) : app();
      const authorization = `Bearer ${await one.bearer('register_clients')}`;
      const answer = await one.send('POST', '/oauth2/register', { headers: { authorization }, json });
      if (outcome === 'refused') {
        const isStatement = member === 'software_statement';
        assertError(answer, 400, isStatement ? 'invalid_software_statement' : 'invalid_client_metadata');
        assert.ok(answer.body.error_description.includes(member.replaceAll('_', isStatement ? ' ' : '_')));
        return;
      }
      assert.equal(answer.status, 201, answer.text);
      if (outcome === 'kept') assert.deepEqual(answer.body[member], values[member]);
      else {
        assert.equal(member in answer.body, false);
        const stored = (await readTable(app().url, 'clients')) as { client_id: string }[];
        const row = JSON.stringify(stored.find(({ client_id: id }) => id === answer.body.client_id));
        assert.ok(row.length > 100 && !row.includes('canary'), 'never stored');
      }
      const read = await one.send('GET', `/oauth2/register/${answer.body.client_id}`, {
        headers: { authorization: `Bearer ${answer.body.registration_access_token}` },
      });
      assert.deepEqual(read.body[member], answer.body[member], 'read again as it was answered');
    });
  }

  it('the documented door ignores members that only the standard one reads, whatever their values', async () => {
    const headers = { authorization: `Bearer ${await app().bearer('register_clients')}` };
    for (const member of [
      'software_statement',
      'default_max_age',
      'require_auth_time',
      'userinfo_signed_response_alg',
    ]) {
      const json = { client_name: 'Document', redirect_uris: [redirectUri], [member]: { any: ['thing'] } };
      const answer = await app().send('POST', '/oidc/2/register', { headers, json });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([answer.body.require_auth_time, answer.body.registration_access_token], [false, undefined]);
    }
  });
}
