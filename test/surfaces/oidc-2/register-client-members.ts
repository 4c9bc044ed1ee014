/** Each member of a registration: what is taken, what is left out, and what is 400 invalid_client_metadata. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import type { TestApp } from '../../support/app.ts';
import { assertCharacters, patternedTexts } from '../../support/patterned-texts.ts';
import { sampled } from '../../support/sample.ts';
import { assertRefused, minimal, register, registered } from './door.ts';
import { key, reduced, refused, taken } from './metadata-values.ts';

export function registerClientMembers(app: () => TestApp): void {
  for (const [name, values] of Object.entries(taken)) {
    it(`accepts ${name} and returns it as sent`, async () => {
      for (const value of sampled(values, 2))
        assert.deepEqual((await registered(app(), { [name]: value }))[name], value);
    });
  }

  it('omits grant types, response types and scopes that the account does not know (RFC 7591 §3.2.1)', async () => {
    for (const [name, value, left] of reduced) {
      assert.deepEqual((await registered(app(), { [name]: value }))[name], left);
    }
  });

  for (const [name, values] of Object.entries(refused)) {
    it(`refuses a bad ${name} with invalid_client_metadata, naming it`, async () => {
      for (const value of sampled(values, 2)) {
        assertRefused(await register(app(), { ...minimal, [name]: value }), 'invalid_client_metadata', name, value);
      }
    });
  }

  it('texts have the characters that their patterns allow', async () => {
    for (const text of patternedTexts('oidc-2')) {
      assert.equal(text.operation.operationId, 'registerClient');
      await assertCharacters(text, minimal, (body) => register(app(), body));
    }
  });

  it('registration_roles: some or none of the roles of the setting get access, and never another role', async () => {
    const one = await app().another({ 'limit.register': 'off' });
    for (const name of ['Staff', 'Guests', 'Admins']) await createRole(one.services, one.account, { name });
    const rolesOf = async (member?: readonly string[]) => {
      const { app_id } = await registered(one, member && { registration_roles: member });
      const { roles } = one.services.store;
      const named = await Promise.all(
        ['Staff', 'Guests', 'Admins'].map((name) => roles.findByName(one.account.id, name)),
      );
      const headers = { authorization: `Bearer ${await one.bearer('read_all')}` };
      const { body } = await one.send('GET', `/api/2/apps/${app_id}`, { headers });
      return named.filter((role) => body.role_ids.includes(role?.id)).map((role) => role?.name);
    };
    assert.deepEqual(await rolesOf(), [], 'by default an app is assigned to nobody');
    await setAccount(one.services, one.account.subdomain, { registration_roles: 'Staff, Guests' });
    assert.deepEqual(await rolesOf(), ['Staff', 'Guests']);
    assert.deepEqual(await rolesOf(['Guests']), ['Guests']);
    assert.deepEqual(await rolesOf([]), []);
    const more = { ...minimal, registration_roles: ['Staff', 'Admins'] };
    assertRefused(await register(one, more), 'invalid_client_metadata', 'registration_roles[1]', more);
  });

  it('refuses jwks beside jwks_uri (RFC 7591 §2)', async () => {
    const both = { ...minimal, jwks: { keys: [key] }, jwks_uri: 'https://app.example.com/jwks.json' };
    assertRefused(await register(app(), both), 'invalid_client_metadata', 'jwks', both);
  });

  it('stores only the public members of a key', async () => {
    const { jwks } = await registered(app(), {
      jwks: { keys: [{ ...key, kid: 'k1', x5c: ['cert'], extra: 'member' }] },
    });
    assert.deepEqual(jwks, { keys: [{ ...key, kid: 'k1' }] });
  });

  it('refuses a body that is not a JSON object', async () => {
    for (const body of [[], ['x'], [minimal]]) {
      assertRefused(await register(app(), body), 'invalid_client_metadata', 'the body', body);
    }
    const headers = { authorization: `Bearer ${await app().bearer('manage_all')}`, 'content-type': 'application/json' };
    for (const raw of ['', '{', '"text"', 'null', '7', '{"client_name":"x",}', 'client_name=x', '\ufeff{', '{}{}']) {
      const answer = await app().send('POST', '/oidc/2/register', { headers, raw });
      assert.equal(answer.status, 400, raw);
      assert.match(answer.body.error, raw === '' ? /^invalid_redirect_uri$/ : /^invalid_request$/, raw);
    }
  });

  it('refuses media types other than application/json', async () => {
    const authorization = `Bearer ${await app().bearer('manage_all')}`;
    const types = [
      'application/x-www-form-urlencoded',
      'text/plain',
      'text/json',
      'application/json-patch+json',
      'json',
    ];
    for (const type of types) {
      const headers = { authorization, 'content-type': type };
      const answer = await app().send('POST', '/oidc/2/register', { headers, raw: JSON.stringify(minimal) });
      assertRefused(answer, 'invalid_request', 'Content-Type must be application/json', type);
    }
    const untyped = await app().send('POST', '/oidc/2/register', {
      headers: { authorization },
      raw: Buffer.from(JSON.stringify(minimal)),
    });
    assertRefused(untyped, 'invalid_request', 'Content-Type must be application/json', 'none');
  });

  it('accepts application/json with parameters and in any case', async () => {
    const authorization = `Bearer ${await app().bearer('manage_all')}`;
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8']) {
      const headers = { authorization, 'content-type': type };
      const answer = await app().send('POST', '/oidc/2/register', { headers, raw: JSON.stringify(minimal) });
      assert.equal(answer.status, 200, `${type}: ${answer.text}`);
    }
  });
}
