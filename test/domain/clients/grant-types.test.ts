import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  canRegisterFor,
  grantTypesOf,
  hasGrantType,
  requireGrantType,
} from '../../../src/domain/clients/grant-types.ts';
import { deviceGrant, exchangeGrant, knownGrantTypes } from '../../../src/domain/clients/known-values.ts';
import { Failure } from '../../../src/domain/failure.ts';

const source = fileURLToPath(new URL('../../../src/', import.meta.url));

test('every grant type × kind of client × subjects × link: what is registered, and what can be used', () => {
  const redirected = ['authorization_code', 'implicit', 'refresh_token'];
  const open = [...redirected, deviceGrant];
  for (const [registeredBy, subjectType, linkedServers, usable] of [
    ['token', 'public', 0, knownGrantTypes],
    ['token', 'public', 1, knownGrantTypes],
    ['token', 'pairwise', 0, knownGrantTypes],
    ['open', 'public', 0, open],
    ['open', 'public', 1, [...open, exchangeGrant]],
    ['open', 'pairwise', 0, redirected],
    ['open', 'pairwise', 1, [...redirected, exchangeGrant]],
  ] as const) {
    const client = { registeredBy, subjectType, linkedServers, grantTypes: knownGrantTypes };
    assert.deepEqual(grantTypesOf(client), usable);
    for (const grantType of knownGrantTypes) {
      const mayUse = usable.some((one) => one === grantType);
      assert.equal(hasGrantType(client, grantType), mayUse, grantType);
      assert.equal(
        hasGrantType({ ...client, grantTypes: [] }, grantType),
        false,
        'a grant type that it did not register',
      );
      if (mayUse) requireGrantType(client, grantType);
      else assert.throws(() => requireGrantType(client, grantType), new Failure('client_not_authorized'));
      for (const implicitGrant of [false, true]) {
        const never = ['password', 'client_credentials', ...(implicitGrant ? [] : ['implicit'])].includes(grantType);
        const can = registeredBy === 'token' || !never;
        assert.equal(canRegisterFor({ registeredBy, implicitGrant }, grantType), can, grantType);
      }
    }
  }
});

test('only one module reads the grant types of a client', () => {
  const allowed = ['domain/clients/grant-types.ts'];
  const looking = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ts$/.test(name) && /\.grantTypes\b/.test(readFileSync(join(source, name), 'utf8')))
    .map((name) => relative(source, join(source, name)));
  assert.deepEqual(looking, allowed);
});
