import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RegistrationRules, readMetadata, registeredByCaller } from '../../../src/domain/clients/metadata.ts';
import type { RegistrationRequest } from '../../../src/domain/clients/registration-request.ts';
import { Failure } from '../../../src/domain/failure.ts';

const uri = 'https://app.example.com/callback';
const standard: RegistrationRules = {
  nameRequired: false,
  redirectUrisRequired: false,
  defaultGrantTypes: ['authorization_code', 'refresh_token'],
  defaultResponseTypes: ['code'],
};
const documented: RegistrationRules = {
  nameRequired: true,
  redirectUrisRequired: true,
  defaultGrantTypes: ['authorization_code', 'implicit', 'password', 'refresh_token', 'client_credentials'],
  defaultResponseTypes: ['code', 'id_token token', 'id_token'],
};

/** The member that a registration is refused for, behind the code. */
function refusal(request: RegistrationRequest, rules = standard): string {
  try {
    readMetadata(request, rules, registeredByCaller);
  } catch (error) {
    assert.ok(error instanceof Failure);
    assert.ok(error.message.startsWith(error.detail.name ?? '-'), 'the message names the member');
    return `${error.code} ${error.detail.name}`;
  }
  return 'accepted';
}

test('the two doors differ in their rules and in nothing else', () => {
  const request = { client_name: 'App', redirect_uris: [uri] };
  const { grantTypes, responseTypes, ...rest } = readMetadata(request, standard, registeredByCaller);
  const other = readMetadata(request, documented, registeredByCaller);
  assert.deepEqual([grantTypes, responseTypes], [['authorization_code', 'refresh_token'], ['code']]);
  assert.deepEqual(
    [other.grantTypes, other.responseTypes],
    [documented.defaultGrantTypes, documented.defaultResponseTypes],
  );
  assert.deepEqual({ ...other, grantTypes, responseTypes }, { ...rest, grantTypes, responseTypes });
  assert.equal(refusal({ redirect_uris: [uri] }, documented), 'client_metadata_invalid client_name');
  const service = { client_name: 'App', grant_types: ['client_credentials'] };
  assert.equal(refusal(service, documented), 'redirect_uri_invalid redirect_uris');
  assert.equal(refusal(service), 'accepted');
});

test('whether the method was named is stored, as an unnamed one allows both', () => {
  assert.equal(readMetadata({ redirect_uris: [uri] }, standard, registeredByCaller).authMethodNamed, false);
  const named = readMetadata(
    { redirect_uris: [uri], token_endpoint_auth_method: 'client_secret_basic' },
    standard,
    registeredByCaller,
  );
  assert.equal(named.authMethodNamed, true);
});

test('lists are stored in the known order, without repetitions and unknown values', () => {
  const { grantTypes, scope } = readMetadata(
    {
      redirect_uris: [uri],
      grant_types: ['refresh_token', 'x', 'authorization_code', 'refresh_token'],
      scope: 'email  openid email x',
    },
    standard,
    registeredByCaller,
  );
  assert.deepEqual(grantTypes, ['authorization_code', 'refresh_token']);
  assert.deepEqual(scope, ['openid', 'email']);
  assert.equal(
    readMetadata({ redirect_uris: [uri] }, standard, registeredByCaller).scope,
    null,
    'by default everything the account knows',
  );
});

test('a name is one non-empty line of text', () => {
  const invisible = ['\u200b', '\u00ad', '\u2800', '\u3164', '\u{e0041}', '\ufeff \u200d'];
  for (const name of ['App', 'Åse’s 注文 😀', '👩\u200d💻', 'می\u200cخواهم', '<b>', 'a'.repeat(255)]) {
    assert.equal(refusal({ client_name: name, redirect_uris: [uri] }), 'accepted', name);
  }
  for (const name of ['', ' ', '\u00a0', 'a\nb', 'a\tb', 'a\u0000', 'a\u0085b', 'a\u2028b', 'a\u009fb', ...invisible]) {
    const refused = refusal({ client_name: name, redirect_uris: [uri] });
    assert.equal(refused, 'client_metadata_invalid client_name', JSON.stringify(name));
  }
});

test('displayed addresses must be web addresses; an empty one counts as not set', () => {
  const members = ['logo_uri', 'login_url', 'client_uri', 'policy_uri', 'tos_uri', 'jwks_uri'] as const;
  for (const name of members) {
    const kept = readMetadata({ redirect_uris: [uri], [name]: 'https://a.example/x' }, standard, registeredByCaller);
    assert.equal(kept.extra[name], 'https://a.example/x');
    assert.ok(!(name in readMetadata({ redirect_uris: [uri], [name]: '' }, standard, registeredByCaller).extra));
    for (const bad of [
      'javascript:alert(1)',
      'data:,x',
      'ftp://a.example',
      '/x',
      'https://u@a.example/',
      'https://a b/',
      'https://',
    ]) {
      assert.equal(refusal({ redirect_uris: [uri], [name]: bad }), `client_metadata_invalid ${name}`, bad);
    }
  }
  assert.equal(
    refusal({ redirect_uris: [uri], initiate_login_uri: 'http://a.example/' }),
    'client_metadata_invalid initiate_login_uri',
  );
});

test('keys are stored with their public members only; private and symmetric keys are refused', () => {
  const key = { kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ', kid: '1', ext: true, key_ops: ['verify'] };
  const { extra } = readMetadata(
    { redirect_uris: [uri], jwks: { keys: [key], other: 1 } },
    standard,
    registeredByCaller,
  );
  assert.deepEqual(extra.jwks, { keys: [{ kty: 'EC', kid: '1', crv: 'P-256', x: 'eA', y: 'eQ' }] });
  for (const jwks of [
    {},
    { keys: [] },
    { keys: 'x' },
    { keys: [{ crv: 'P-256' }] },
    { keys: [{ kty: 1 }] },
    { keys: [{ kty: 'EC', x: 1 }] },
    { keys: [{ ...key, d: 'eA' }] },
    { keys: [{ kty: 'oct', k: 'eA' }] },
  ]) {
    assert.equal(refusal({ redirect_uris: [uri], jwks }), 'client_metadata_invalid jwks', JSON.stringify(jwks));
  }
});

test('a registration cannot set other members of the record', () => {
  const hostile = JSON.parse(
    `{"redirect_uris":["${uri}"],"client_id":"x","secretDigest":"x","registeredBy":"token","accountId":1,"extra":{"a":1}}`,
  );
  const kept = readMetadata(hostile, standard, registeredByCaller);
  assert.deepEqual(kept.extra, {});
  for (const name of ['client_id', 'clientId', 'secretDigest', 'registeredBy', 'accountId'])
    assert.ok(!(name in kept), name);
});
