import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { before, it } from 'node:test';
import { exportSPKI, importJWK, type JWTPayload } from 'jose';
import { authenticateClient } from '../../../src/domain/clients/authenticate-client.ts';
import type { Failure } from '../../../src/domain/failure.ts';
import { basic } from '../../support/app.ts';
import {
  assertionType,
  registerSigner,
  type Signing,
  shown,
  sign,
  type TestKey,
  testKey,
} from '../../support/assertions.ts';
import type { Answer } from '../../support/conforms.ts';
import { purgeAll } from '../../support/purge.ts';
import { readTable } from '../../support/rows.ts';
import { type RegisteredClient, redirectUri, registerClient } from '../../support/sign-in.ts';
import { type AppOf, assertError } from './asking.ts';

const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
const service = { grant_types: ['client_credentials'] };

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** RFC 7523 §3, OpenID Connect Core §9: private_key_jwt. */
export function clientAssertions(app: AppOf): void {
  const keys = new Map<string, TestKey>();
  before(async () => {
    for (const alg of [...algorithms, 'PS512', 'ES384']) keys.set(alg, await testKey(alg, `key of ${alg}`));
  });
  const keyOf = (alg: string): TestKey => keys.get(alg) as TestKey;

  function ask(form: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    return app().send('POST', '/oauth2/token', { headers, form: { grant_type: 'client_credentials', ...form } });
  }

  for (const alg of algorithms) {
    it(`${alg}: authenticates the client once, with the issuer or the token endpoint as audience`, async () => {
      const client = await registerSigner(app(), [keyOf(alg)], service);
      assert.equal(client.client_secret, undefined);
      assert.equal(client.token_endpoint_auth_method, 'private_key_jwt');
      for (const aud of [app().account.baseUrl, `${app().account.baseUrl}/oauth2/token`]) {
        for (const audience of [aud, [aud]]) {
          const text = await sign(app(), client.client_id, keyOf(alg), { claims: { aud: audience } });
          assert.equal((await ask(shown(text))).status, 200);
          assertError(await ask(shown(text)), 400, 'invalid_client');
        }
      }
    });
  }

  it('introspection, revocation and client_credentials accept assertions too', async () => {
    const client = await registerSigner(app(), [keyOf('ES256')], service);
    const fresh = async () => shown(await sign(app(), client.client_id, keyOf('ES256')));
    const { access_token: token } = (await ask(await fresh())).body;
    const send = async (path: string) => app().send('POST', path, { form: { token, ...(await fresh()) } });
    assert.equal((await send('/oauth2/introspect')).body.active, true);
    assert.equal((await send('/oauth2/revoke')).status, 200);
    assert.equal((await send('/oauth2/introspect')).body.active, false);
    for (const path of ['/oauth2/introspect', '/oauth2/revoke']) {
      const used = await fresh();
      assert.equal((await app().send('POST', path, { form: { token, ...used } })).status, 200);
      assertError(await app().send('POST', path, { form: { token, ...used } }), 400, 'invalid_client');
    }
  });

  it('an assertion sent ten times at once is accepted once (T11)', async () => {
    const client = await registerSigner(app(), [keyOf('ES256')], service);
    const text = await sign(app(), client.client_id, keyOf('ES256'));
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(shown(text))));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  it('a jti is remembered until the assertion expires; two clients may use the same', async () => {
    using _ = app().services.clock.hold();
    const one = await registerSigner(app(), [keyOf('ES256')], service);
    const two = await registerSigner(app(), [keyOf('ES256')], service);
    for (const { client_id: id } of [one, two]) {
      const text = await sign(app(), id, keyOf('ES256'), { claims: { jti: 'the same' } });
      assert.equal((await ask(shown(text))).status, 200);
    }
    const { store, clock } = app().services;
    const kept = async () =>
      (await readTable(app().url, 'client_assertions')).filter((row) =>
        [one.app_id, two.app_id].includes(Number((row as { app_id: unknown }).app_id)),
      ).length;
    await purgeAll(store, clock.now() + 89_000);
    assert.equal(await kept(), 2);
    await purgeAll(store, clock.now() + 91_000);
    assert.equal(await kept(), 0);
  });

  /** What is wrong with a claim (T10). Null leaves it out. */
  const wrongClaims: Readonly<Record<string, (now: number, id: string) => Record<string, unknown>>> = {
    'no exp': () => ({ exp: undefined }),
    'an exp that passed 31 s ago': (now) => ({ exp: now - 31 }),
    'an exp more than an hour ahead': (now) => ({ exp: now + 3700 }),
    'an exp that is not a number': () => ({ exp: 'tomorrow' }),
    'an nbf in the future': (now) => ({ nbf: now + 60 }),
    'no jti': () => ({ jti: undefined }),
    'an empty jti': () => ({ jti: '' }),
    'a jti of 256 characters': () => ({ jti: 'j'.repeat(256) }),
    'a jti that is a number': () => ({ jti: 5 }),
    'no aud': () => ({ aud: undefined }),
    'another aud': () => ({ aud: 'https://elsewhere.example.com' }),
    'another path of this issuer as aud': () => ({ aud: `${app().account.baseUrl}/oauth2/authorize` }),
    'an aud beside ours': () => ({ aud: [app().account.baseUrl, 'https://elsewhere.example.com'] }),
    'an empty list as aud': () => ({ aud: [] }),
    'no iss': () => ({ iss: undefined }),
    'another iss': () => ({ iss: 'https://elsewhere.example.com' }),
    'no sub': () => ({ sub: undefined }),
    'an unknown sub': () => ({ sub: 'unknown', iss: 'unknown' }),
  };

  for (const [title, wrong] of Object.entries(wrongClaims)) {
    it(`refuses ${title} (T10)`, async () => {
      const client = await registerSigner(app(), [keyOf('ES256')], service);
      const now = Math.floor(app().services.clock.now() / 1000);
      const claims = wrong(now, client.client_id) as JWTPayload;
      const text = await sign(app(), client.client_id, keyOf('ES256'), { claims });
      assertError(await ask(shown(text)), 400, 'invalid_client');
      assertError(await ask({ ...shown(text), client_id: client.client_id }), 400, 'invalid_client');
    });
  }

  const wrongHeaders: Readonly<Record<string, Signing['header']>> = {
    'the type of an access token': { typ: 'at+jwt' },
    'the type of a logout token': { typ: 'logout+jwt' },
    'an unknown crit': { crit: ['x'], x: 1 } as Signing['header'],
    'an unknown kid': { kid: 'nobody' },
  } as Readonly<Record<string, Signing['header']>>;

  it('typ compares without case, with or without application/ (RFC 7515 §4.1.9)', async () => {
    const client = await registerSigner(app(), [keyOf('ES256')], service);
    const types = [
      'JWT',
      'jwt',
      'application/jwt',
      'Client-Authentication+JWT',
      'APPLICATION/client-authentication+jwt',
    ];
    for (const typ of types) {
      const text = await sign(app(), client.client_id, keyOf('ES256'), { header: { typ } });
      assert.equal((await ask(shown(text))).status, 200, typ);
    }
    for (const typ of ['application/at+jwt', 'text/jwt', 'application/application/jwt', '']) {
      const text = await sign(app(), client.client_id, keyOf('ES256'), { header: { typ } });
      assertError(await ask(shown(text)), 400, 'invalid_client');
    }
  });

  it('the log says why an assertion failed, in words of the service; the client is told nothing of it', async () => {
    const client = await registerSigner(app(), [keyOf('ES256')], {
      ...service,
      token_endpoint_auth_signing_alg: 'ES256',
    });
    const { account, services } = app();
    const endpoints = [`${account.baseUrl}/oauth2/token`];
    const now = Math.floor(services.clock.now() / 1000);
    const used = await sign(app(), client.client_id, keyOf('ES256'));
    await ask(shown(used));
    const signed = (signing: Signing) => sign(app(), client.client_id, keyOf('ES256'), signing);
    for (const [text, reason] of [
      ['canary', 'it is not a signed JWT'],
      [await signed({ header: { typ: 'canary' } }), 'typ is that of another kind of JWT'],
      [await signed({ header: { kid: 'canary' } }), 'the client has no key with its kid and alg'],
      [`${(await signed({})).slice(0, -86)}${'A'.repeat(86)}`, 'the signature is not by this key'],
      [await sign(app(), client.client_id, keyOf('RS256')), 'alg is not the one that the client registered'],
      [await signed({ claims: { iss: 'canary' } }), 'iss is missing, wrong, or not valid now'],
      [await signed({ claims: { exp: now - 60 } }), 'exp is missing, wrong, or not valid now'],
      [await signed({ claims: { aud: 'canary' } }), 'aud is not this issuer or its endpoint, or names others as well'],
      [await signed({ claims: { jti: '' } }), 'exp is too far ahead, or jti is not a text of 1 to 255 characters'],
      [used, 'jti has been used before'],
    ] as const) {
      const nothing = { authorization: undefined, clientSecret: undefined, certificate: null };
      const presented = { ...nothing, clientId: client.client_id };
      const assertion = { type: assertionType, text, endpoints };
      await assert.rejects(
        authenticateClient(services, account, { ...presented, assertion, source: '192.0.2.1' }),
        (failure: Failure) => {
          assert.equal(failure.code, 'client_authentication_failed');
          assert.equal(failure.detail.reason, `the assertion: ${reason}`);
          return true;
        },
      );
      const answer = await ask({ ...shown(text), client_id: client.client_id });
      assertError(answer, 400, 'invalid_client');
      assert.ok(!answer.text.includes(reason), answer.text);
    }
  });

  for (const [title, header] of Object.entries(wrongHeaders)) {
    it(`refuses ${title} (T10)`, async () => {
      const client = await registerSigner(app(), [keyOf('ES256')], service);
      const text = await sign(app(), client.client_id, keyOf('ES256'), header ? { header } : {}).catch(
        () =>
          // The library that signs refuses what the header says; an attacker's does not.
          `${encoded({ alg: 'ES256', ...header })}.${encoded({ sub: client.client_id })}.${'A'.repeat(86)}`,
      );
      assertError(await ask({ ...shown(text), client_id: client.client_id }), 400, 'invalid_client');
    });
  }

  it('refuses forged texts: none, HMAC with the public key, its own jwk, another key, half a JWT, a JWE (T10)', async () => {
    const key = keyOf('RS256');
    const stranger = await testKey('RS256', key.kid);
    const client = await registerSigner(app(), [key], service);
    const id = client.client_id;
    const good = await sign(app(), id, key);
    const [header = '', payload = '', signature = ''] = good.split('.');
    const pem = await exportSPKI((await importJWK({ ...key.jwk, kty: 'RSA' }, 'RS256')) as never);
    const hmac = `${encoded({ alg: 'HS256', kid: key.kid })}.${payload}`;
    const texts = {
      none: `${encoded({ alg: 'none' })}.${payload}.`,
      hmac: `${hmac}.${createHmac('sha256', pem).update(hmac).digest('base64url')}`,
      'own jwk': await sign(app(), id, stranger, { header: { jwk: stranger.jwk as never } }),
      'own jku': await sign(app(), id, stranger, { header: { jku: 'https://elsewhere.example.com/jwks' } }),
      'another key': await sign(app(), id, stranger),
      'another payload': `${header}.${encoded({ sub: id, iss: id })}.${signature}`,
      'no signature': `${header}.${payload}.`,
      'two parts': `${header}.${payload}`,
      JWE: `${encoded({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2_000_000_000, zip: 'DEF' })}.a.b.c.d`,
      text: 'not a JWT',
      'a payload that is not an object': `${header}.${Buffer.from('5').toString('base64url')}.${signature}`,
    };
    for (const [title, text] of Object.entries(texts)) {
      for (const form of [shown(text), { ...shown(text), client_id: id }]) {
        const answer = await ask(form);
        assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_client'], title);
      }
    }
    assert.equal((await ask(shown(good))).status, 200, 'the valid assertion is still unused');
  });

  it('refuses algorithms and keys that are not supported or not registered', async () => {
    const ps512 = { ...keyOf('RS256'), alg: 'PS512', privateKey: keyOf('PS512').privateKey };
    const client = await registerSigner(app(), [keyOf('RS256')], {
      ...service,
      token_endpoint_auth_signing_alg: 'RS256',
    });
    assertError(await ask(shown(await sign(app(), client.client_id, ps512))), 400, 'invalid_client');
    const both = { ...keyOf('PS256'), kid: keyOf('PS256').kid };
    const either = await registerSigner(app(), [both], service);
    assert.equal((await ask(shown(await sign(app(), either.client_id, both)))).status, 200);
    const named = await registerSigner(app(), [both], { ...service, token_endpoint_auth_signing_alg: 'RS256' });
    assertError(await ask(shown(await sign(app(), named.client_id, both))), 400, 'invalid_client');
  });

  it('EdDSA and Ed25519 are equivalent, whatever the key and the registration name (RFC 9864 §2.2)', async () => {
    for (const [signs, named] of [
      ['Ed25519', 'EdDSA'],
      ['EdDSA', 'Ed25519'],
    ] as const) {
      const key = await testKey(signs, 'k');
      const metadata = { ...service, token_endpoint_auth_signing_alg: named };
      const client = await registerSigner(app(), [{ ...key, jwk: { ...key.jwk, alg: named } }], metadata);
      assert.equal((await ask(shown(await sign(app(), client.client_id, key)))).status, 200);
    }
  });

  it('several keys without kid: any of them may sign', async () => {
    const [one, two] = [await testKey('ES256', 'one'), await testKey('ES256', 'two')];
    const jwks = { keys: [one, two].map(({ jwk: { kid: _, ...jwk } }) => jwk) };
    const client = await registerSigner(app(), [], { ...service, jwks });
    for (const key of [one, two])
      assert.equal((await ask(shown(await sign(app(), client.client_id, key)))).status, 200);
  });

  it('an assertion beside a secret, incomplete, of another type or for another client is refused (T5)', async () => {
    const key = keyOf('ES256');
    const client = await registerSigner(app(), [key], service);
    const other = await registerClient(app(), { ...service, token_endpoint_auth_method: 'client_secret_basic' });
    const { client_id: id, client_secret: secret = '' } = other;
    const fresh = () => sign(app(), client.client_id, key);
    const refused: readonly [Record<string, string>, Record<string, string>?][] = [
      [{ ...shown(await fresh()), client_id: id }],
      [{ ...shown(await fresh()), client_secret: secret }],
      [shown(await fresh()), basic(id, secret)],
      [shown(await fresh()), basic(client.client_id, 'x')],
      [shown(await fresh(), 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer')],
      [{ client_assertion: await fresh() }],
      [{ client_assertion_type: shown('x')['client_assertion_type'] ?? '', client_id: client.client_id }],
      [{ client_id: client.client_id }],
      [{ client_id: client.client_id, client_secret: secret }],
      [{}, basic(client.client_id, secret)],
      [shown(await sign(app(), id, key))],
    ];
    for (const [form, headers] of refused) {
      assertError(await ask(form, headers), headers ? 401 : 400, 'invalid_client');
    }
    const former = { grant_type: 'refresh_token', refresh_token: 'x', ...shown(await fresh()) };
    assert.equal(
      (await app().send('POST', '/oidc/2/token', { form: former })).status,
      400,
      'not at the documented door',
    );
  });

  it('registration requires signing keys, a supported algorithm, and the standard door', async () => {
    const headers = { authorization: `Bearer ${await app().bearer('register_clients')}` };
    const register = (json: object, path = '/oauth2/register') => app().send('POST', path, { headers, json });
    const method = {
      token_endpoint_auth_method: 'private_key_jwt',
      redirect_uris: [redirectUri],
      client_name: 'Signer',
    };
    const bad: readonly object[] = [
      {},
      { jwks: { keys: [{ ...keyOf('ES256').jwk, use: 'enc' }] } },
      { jwks: { keys: [keyOf('ES384').jwk] } },
      { jwks: { keys: [keyOf('ES256').jwk] }, token_endpoint_auth_signing_alg: 'HS256' },
      { jwks_uri: 'http://portal.example.com/jwks' },
    ];
    for (const one of bad) assertError(await register({ ...method, ...one }), 400, 'invalid_client_metadata');
    const jwks = { keys: [keyOf('ES256').jwk] };
    assertError(await register({ ...method, jwks }, '/oidc/2/register'), 400, 'invalid_client_metadata');
    const made: RegisteredClient = (await register({ ...method, jwks })).body;
    assert.equal(made.client_secret, undefined);
  });
}
