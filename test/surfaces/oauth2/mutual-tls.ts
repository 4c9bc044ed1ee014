import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { basic, openTestApp } from '../../support/app.ts';
import { shown, sign, testKey } from '../../support/assertions.ts';
import { newCertificate, oid, type TestCertificate } from '../../support/client-certificates.ts';
import type { Answer } from '../../support/conforms.ts';
import { makeUser, type RegisteredClient, redirectUri, registerClient, signInForCode } from '../../support/sign-in.ts';
import { askTokens, assertError, codeForm } from './asking.ts';
import { bound, keysUri, openProxied, registerSelfSigned, showing } from './certified.ts';

const subject = [
  [[oid.c, 'GB']],
  [[oid.o, 'Orders, Ltd']],
  [
    [oid.cn, 'orders'],
    [oid.uid, '7'],
  ],
] as const;

/** Of one certificate each member that can name it, and a value that is close to it. */
const names: readonly [member: string, value: string, other: string][] = [
  ['tls_client_auth_subject_dn', 'cn=orders+UID=7,O=Orders\\, Ltd,C=GB', 'C=GB,O=Orders\\, Ltd,CN=orders+UID=7'],
  ['tls_client_auth_san_dns', 'orders.example.com', 'wild.example.com'],
  ['tls_client_auth_san_uri', 'spiffe://example.com/orders', 'spiffe://example.com/order'],
  ['tls_client_auth_san_ip', '192.0.2.17', '192.0.2.1'],
  ['tls_client_auth_san_email', 'orders@example.com', 'order@example.com'],
];

/** RFC 8705 §2: clients authenticate by their certificates, which a proxy hands over (RFC 9440). */
export function mutualTls(kind: 'sqlite' | 'postgres'): void {
  const { app, published } = openProxied(kind);
  /** `invalid_grant` for an unknown refresh token shows that the client was authenticated. */
  const knock = (client: RegisteredClient, certificate: TestCertificate | null, form: Record<string, string> = {}) =>
    askTokens(certificate ? showing(app(), certificate) : app(), client, {
      ...{ grant_type: 'refresh_token', refresh_token: 'rt_1.none' },
      ...form,
    });
  const isIn = (answer: Answer) => assertError(answer, 400, 'invalid_grant');
  const isOut = (answer: Answer) => assertError(answer, 400, 'invalid_client', /^Client authentication failed$/);

  it('self_signed_tls_client_auth: the registered certificate and no other, of the same name and key neither', async () => {
    const [mine, second, other] = [newCertificate(), newCertificate(), newCertificate()];
    const client = await registerSelfSigned(app(), [mine, second]);
    assert.equal(client.client_secret, undefined);
    const theirs = await registerSelfSigned(app(), [other]);
    isIn(await knock(client, mine));
    isIn(await knock(client, second));
    isOut(await knock(client, other));
    isOut(await knock(theirs, mine));
    isOut(await knock(client, null));
    isOut(await knock({ ...client, client_id: 'unknown' }, mine));
    await setAccount(app().services, app().account.subdomain, { mutual_tls: 'off' });
    isOut(await knock(client, mine));
    await setAccount(app().services, app().account.subdomain, { mutual_tls: 'any' });
    isIn(await knock(client, mine));
    await setAccount(app().services, app().account.subdomain, { mutual_tls: 'verified' });
  });

  it('a certificate at jwks_uri authenticates the client, after a rotation only the new one', async () => {
    const [one, two] = [newCertificate(), newCertificate()];
    published.splice(0, published.length, one);
    const method = { token_endpoint_auth_method: 'self_signed_tls_client_auth', jwks_uri: keysUri };
    const client = await registerClient(app(), method);
    isIn(await knock(client, one));
    isOut(await knock(client, two));
    published.splice(0, published.length, two);
    app().services.clock.advance(60_000);
    isIn(await knock(client, two));
    isOut(await knock(client, one));
  });

  for (const [member, value, other] of names) {
    it(`tls_client_auth: a certificate with the registered ${member}`, async () => {
      const alternatives = { dns: ['*.example.com', 'orders.example.com'], uri: ['spiffe://example.com/orders'] };
      const mine = newCertificate({ subject, ...alternatives, ip: ['192.0.2.17'], email: ['orders@example.com'] });
      const method = { token_endpoint_auth_method: 'tls_client_auth' };
      const client = await registerClient(app(), { ...method, [member]: value });
      assert.equal((client as unknown as Record<string, unknown>)[member], value);
      isIn(await knock(client, mine));
      isOut(await knock(client, newCertificate()));
      isOut(await knock(client, newCertificate({ subject: [[[oid.cn, value]]], dns: [`x.${value}`] })));
      isOut(await knock(client, null));
      const near = await registerClient(app(), { ...method, [member]: other });
      isOut(await knock(near, mine));
      // Anybody can write a subject, so the proxy must have verified who did.
      await setAccount(app().services, app().account.subdomain, { mutual_tls: 'any' });
      isOut(await knock(client, mine));
      await setAccount(app().services, app().account.subdomain, { mutual_tls: 'verified' });
    });
  }

  it('the certificate alone authenticates: with a secret or an assertion beside it the request is refused', async () => {
    const mine = newCertificate();
    const client = await registerSelfSigned(app(), [mine]);
    isOut(await knock(client, mine, { client_secret: 'x' }));
    const key = await testKey('ES256', 'one');
    isOut(await knock(client, mine, shown(await sign(app(), client.client_id, key))));
    const header = basic(client.client_id, 'x');
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    const answer = await showing(app(), mine).send('POST', '/oauth2/token', { headers: header, form });
    assertError(answer, 401, 'invalid_client');
    // A client of another method may have one, and it changes nothing.
    const secret = await registerClient(app(), {
      token_endpoint_auth_method: 'client_secret_post',
      jwks: { keys: [mine.jwk] },
    });
    isOut(await knock({ ...secret, client_secret: 'wrong' }, mine));
    isIn(await knock(secret, mine));
  });

  it('it authenticates at every endpoint, and at the documented door', async () => {
    const mine = newCertificate();
    const other = showing(app(), newCertificate());
    const device = 'urn:ietf:params:oauth:grant-type:device_code';
    const types = { grant_types: ['authorization_code', 'refresh_token', 'client_credentials', device] };
    const client = await registerSelfSigned(app(), [mine], types);
    const own = { client_id: client.client_id };
    const pushing = { response_type: 'code', redirect_uri: redirectUri, scope: 'openid' };
    for (const [path, form, status] of [
      ['/oauth2/par', pushing, 201],
      ['/oauth2/introspect', { token: 'x' }, 200],
      ['/oauth2/revoke', { token: 'x' }, 200],
      ['/oauth2/device_authorization', { scope: 'openid' }, 200],
      ['/oauth2/token', { grant_type: 'client_credentials' }, 200],
    ] as const) {
      const sent = { form: { ...form, ...own } };
      const answer = await showing(app(), mine).send('POST', path, sent);
      assert.equal(answer.status, status, `${path}: ${answer.text}`);
      assertError(await other.send('POST', path, sent), 400, 'invalid_client');
    }
    const user = await makeUser(app(), client.app_id);
    const code = (await signInForCode(app(), client, user)).get('code') ?? '';
    const { body } = await askTokens(showing(app(), mine), client, codeForm(code));
    const form = { ...own, grant_type: 'refresh_token', refresh_token: body.refresh_token };
    assertError(await other.send('POST', '/oidc/2/token', { form }), 401, 'invalid_request');
    assert.equal((await showing(app(), mine).send('POST', '/oidc/2/token', { form })).status, 200);
  });

  it('registers what can authenticate a client, and refuses the rest in words', async () => {
    const mine = newCertificate();
    const authorization = `Bearer ${await app().bearer('register_clients')}`;
    const register = (json: object) =>
      app().send('POST', '/oauth2/register', {
        headers: { authorization },
        json: { redirect_uris: [redirectUri], ...json },
      });
    const pki = { token_endpoint_auth_method: 'tls_client_auth' };
    const self = { token_endpoint_auth_method: 'self_signed_tls_client_auth' };
    const { x5c: _, ...bare } = mine.jwk;
    const refused: readonly [object, RegExp][] = [
      [pki, /requires exactly one of tls_client_auth_subject_dn, tls_client_auth_san_dns/],
      [{ ...pki, tls_client_auth_san_ip: '' }, /requires exactly one/],
      [{ ...pki, tls_client_auth_san_dns: 'a.example', tls_client_auth_san_ip: '192.0.2.1' }, /requires exactly one/],
      [{ ...pki, tls_client_auth_subject_dn: 'orders' }, /^tls_client_auth_subject_dn must be a distinguished name/],
      [{ ...pki, tls_client_auth_subject_dn: '2.5.4.3=#0c0161' }, /^tls_client_auth_subject_dn must be/],
      [{ ...pki, tls_client_auth_san_dns: '*.example.com' }, /^tls_client_auth_san_dns must be a DNS name/],
      [{ ...pki, tls_client_auth_san_dns: '.example.com' }, /^tls_client_auth_san_dns must be/],
      [{ ...pki, tls_client_auth_san_uri: 'orders' }, /^tls_client_auth_san_uri must be a URI/],
      [{ ...pki, tls_client_auth_san_ip: '192.0.2.0/24' }, /^tls_client_auth_san_ip must be/],
      [{ ...pki, tls_client_auth_san_email: 'orders' }, /^tls_client_auth_san_email must be/],
      [self, /self_signed_tls_client_auth requires jwks or jwks_uri/],
      [{ ...self, jwks: { keys: [bare] } }, /^jwks has no key whose x5c begins with its certificate/],
      [{ ...self, jwks: { keys: [{ ...mine.jwk, x5c: ['AAAA'] }] } }, /^jwks has no key whose x5c begins/],
      [{ ...self, jwks: { keys: [{ ...mine.jwk, x5c: [] }] } }, /^jwks has no key whose x5c begins/],
      [
        { ...self, jwks: { keys: [{ ...mine.jwk, x5c: newCertificate().jwk['x5c'] }] } },
        /^jwks has no key whose x5c begins/,
      ],
      [{ ...bound, dpop_bound_access_tokens: true }, /^tls_client_certificate_bound_access_tokens and dpop_bound/],
    ];
    for (const [json, words] of refused) assertError(await register(json), 400, 'invalid_client_metadata', words);
    const chain = [...(mine.jwk['x5c'] as string[]), 'MIIB'];
    const kept = await register({ ...self, jwks: { keys: [{ ...mine.jwk, x5c: chain }] } });
    assert.deepEqual(kept.body.jwks.keys[0].x5c, mine.jwk['x5c'], kept.text);
    const ignored = await register({ tls_client_auth_san_dns: 'orders.example.com' });
    assert.deepEqual([ignored.status, 'tls_client_auth_san_dns' in ignored.body], [201, false]);
  });

  it('a client that replaces its registration changes its name, its certificate, or its method', async () => {
    const [mine, next] = [newCertificate({ dns: ['a.example.com'] }), newCertificate({ dns: ['b.example.com'] })];
    const own = { redirect_uris: [redirectUri], token_endpoint_auth_method: 'tls_client_auth' };
    const client = await registerClient(app(), { ...own, tls_client_auth_san_dns: 'a.example.com' });
    const { registration_access_token: token } = client as unknown as { registration_access_token: string };
    const replace = (json: object) =>
      app().send('PUT', `/oauth2/register/${client.client_id}`, {
        headers: { authorization: `Bearer ${token}` },
        json: { client_id: client.client_id, redirect_uris: [redirectUri], ...json },
      });
    assertError(await replace(own), 400, 'invalid_client_metadata', /requires exactly one/);
    isIn(await knock(client, mine));
    assert.equal((await replace({ ...own, tls_client_auth_san_dns: 'b.example.com' })).status, 200);
    isOut(await knock(client, mine));
    isIn(await knock(client, next));
    const self = { token_endpoint_auth_method: 'self_signed_tls_client_auth', jwks: { keys: [mine.jwk] } };
    const replaced = await replace(self);
    assert.equal('tls_client_auth_san_dns' in replaced.body, false, replaced.text);
    isIn(await knock(client, mine));
    isOut(await knock(client, next));
  });

  it('the management API shows the methods by numbers, and sets them only where the registration has what they need', async () => {
    const mine = newCertificate({ dns: ['a.example.com'] });
    const headers = { authorization: `Bearer ${await app().bearer('manage_all')}` };
    const method = async (id: number) =>
      (await app().send('GET', `/api/2/apps/${id}`, { headers })).body.configuration.token_endpoint_auth_method;
    const set = async (id: number, token_endpoint_auth_method: number) => {
      const json = { configuration: { token_endpoint_auth_method } };
      return app().send('PUT', `/api/2/apps/${id}`, { headers, json });
    };
    const pki = { token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_san_dns: 'a.example.com' };
    const named = await registerClient(app(), pki);
    const own = await registerSelfSigned(app(), [mine]);
    const plain = await registerClient(app());
    for (const [client, number] of [
      [named, 4],
      [own, 5],
    ] as const) {
      assert.equal(await method(client.app_id), number);
      assert.equal((await set(client.app_id, 0)).status, 200);
      isOut(await knock(client, mine));
      const again = await set(client.app_id, number);
      assert.equal(again.status, 200, again.text);
      isIn(await knock(client, mine));
      const refused = await set(plain.app_id, number);
      assert.deepEqual([refused.status, /configuration\.token_endpoint_auth_method/.test(refused.text)], [422, true]);
    }
  });

  it('is offered where the account says so alone, and for subjects only behind a proxy that verifies chains', async () => {
    const offered = async (mutual_tls: string) => {
      const one = await app().another({ mutual_tls });
      const { body } = await one.send('GET', '/.well-known/openid-configuration');
      const methods = ['token', 'introspection', 'revocation'].map(
        (at) => body[`${at}_endpoint_auth_methods_supported`],
      );
      assert.deepEqual([methods[1], methods[2]], [methods[0], methods[0]]);
      const authorization = `Bearer ${await one.bearer('register_clients')}`;
      const register = async (json: object) => {
        const sent = { redirect_uris: [redirectUri], ...json };
        return (await one.send('POST', '/oauth2/register', { headers: { authorization }, json: sent })).status;
      };
      const named = { token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_san_ip: '192.0.2.1' };
      const own = { token_endpoint_auth_method: 'self_signed_tls_client_auth', jwks: { keys: [newCertificate().jwk] } };
      return [
        methods[0].filter((method: string) => method.includes('tls')),
        body.tls_client_certificate_bound_access_tokens,
        [await register(named), await register(own), await register(bound)],
      ];
    };
    assert.deepEqual(await offered('off'), [[], undefined, [400, 400, 400]]);
    assert.deepEqual(await offered('any'), [['self_signed_tls_client_auth'], true, [400, 201, 201]]);
    assert.deepEqual(await offered('verified'), [
      ['tls_client_auth', 'self_signed_tls_client_auth'],
      true,
      [201, 201, 201],
    ]);
  });

  it('the header counts from a proxy alone, and is refused in each form from everybody else, and where it is none', async () => {
    const { header } = newCertificate();
    const stranger = await openTestApp(kind, { settings: { mutual_tls: 'any' } });
    try {
      const paths = [
        ['POST', '/oauth2/token', 'invalid_request'],
        ['GET', '/oauth2/userinfo', 'invalid_request'],
        ['POST', '/oidc/2/token', 'invalid_request'],
        ['GET', '/.well-known/openid-configuration', 'invalid_request'],
      ] as const;
      for (const [method, path, error] of paths) {
        const answer = await stranger.send(method, path, { headers: header });
        assertError(answer, 400, error, /the header Client-Cert is accepted from a proxy in TRUST_PROXY only/);
      }
      const page = await stranger.send('GET', '/sign-in?request=x', { headers: header });
      assert.match(page.text, /This request cannot be used/);
      assert.equal(page.status, 400);
      const managed = await stranger.send('GET', '/api/2/users', { headers: header });
      assert.match(managed.text, /Client-Cert/);
      assert.equal(managed.status, 400);
    } finally {
      await stranger.dispose();
    }
    const text = header['client-cert'];
    for (const wrong of [
      '',
      '::',
      text.slice(1),
      `${text.slice(0, 40)}:`,
      `${text}, ${text}`,
      `${text};a=1`,
      ':*:',
      'x',
    ]) {
      const answer = await app().send('GET', '/oauth2/jwks', { headers: { 'client-cert': wrong } });
      assertError(answer, 400, 'invalid_request', /the header Client-Cert/);
    }
    const pem = `-----BEGIN CERTIFICATE-----\n${text.slice(1, -1)}\n-----END CERTIFICATE-----\n`;
    const longer = Buffer.concat([Buffer.from(text.slice(1, -1), 'base64'), Buffer.from('x')]);
    for (const bytes of [Buffer.from(pem), longer]) {
      const headers = { 'client-cert': `:${bytes.toString('base64')}:` };
      assertError(await app().send('GET', '/oauth2/jwks', { headers }), 400, 'invalid_request', /holds no certificate/);
    }
    assert.equal((await app().send('GET', '/oauth2/jwks', { headers: header })).status, 200);
  });
}
