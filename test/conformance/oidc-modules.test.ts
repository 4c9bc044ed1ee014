/**
 * The modules of the OpenID Foundation's OpenID Connect plans by their names, one walk for each row of
 * docs/conformance.md, on the account that `npm run conformance -- --account` makes and with clients that register as
 * the suite's do: themselves, with the initial access token.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createLocalJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { certify } from '../../scripts/conformance/certify.ts';
import { requireAccount } from '../../src/domain/accounts/accounts.ts';
import type { Egress } from '../../src/domain/egress.ts';
import { generateKeyPair } from '../../src/domain/keys/key-pairs.ts';
import { rotateKeys } from '../../src/domain/keys/rotate-keys.ts';
import { openTestApp, seenFrom, type TestApp } from '../support/app.ts';
import { shown, sign, type TestKey, testKey } from '../support/assertions.ts';
import type { Answer } from '../support/conforms.ts';
import { fetched } from '../support/egress.ts';
import { isSampled, sampledDatabases } from '../support/sample.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  codeVerifier,
  type RegisteredClient,
  redeem,
  submit,
  type Tokens,
  type Walk,
  walk,
} from '../support/sign-in.ts';
import { logoutPath } from '../support/sign-out.ts';
import { assertTold, succeeding } from '../surfaces/oauth2/certification.ts';
import { received } from '../surfaces/oauth2/response-modes.ts';
import { rowsOf } from './certification-page.ts';

const suite = { url: 'https://www.certification.openid.net', alias: 'gatehouse' };
const base = `${suite.url}/test/abc`;
const callback = `${base}/callback`;
const afterwards = `${base}/post_logout_redirect`;

type Parameters = Readonly<Record<string, string>>;

/** How a plan asks, and where its answers arrive. */
interface Way {
  readonly response_type: 'code' | 'id_token' | 'id_token token';
  readonly mode: 'query' | 'form_post' | 'fragment';
}

const code: Way = { response_type: 'code', mode: 'query' };
const ways: Readonly<Record<string, readonly Way[]>> = {
  'Basic OP': [code],
  'Config OP': [code],
  'Dynamic OP': [code],
  'Form Post OP': [{ response_type: 'code', mode: 'form_post' }],
  'Implicit OP': [
    { response_type: 'id_token', mode: 'fragment' },
    { response_type: 'id_token token', mode: 'fragment' },
  ],
  'RP-Initiated Logout OP': [code],
  'Back-Channel Logout OP': [code],
  'Third-Party-Initiated Login OP': [code],
};

/** These run with an access token alone. */
const needsAccess = /^oidcc-(userinfo-|response-type-missing)/;

for (const database of sampledDatabases) {
  describe(`the suite's OpenID Connect modules on ${database}`, () => {
    /** What is at the addresses of the suite, and what was sent there. */
    const there = new Map<string, unknown>();
    const posted: string[] = [];
    const egress: Egress = {
      fetch: async ({ url, body }) => {
        if (body) posted.push(body.toString());
        return fetched(url, there.get(url) ?? {}, there.has(url) ? 200 : 404);
      },
    };
    let opened: TestApp;
    let app: TestApp;
    let certified: Awaited<ReturnType<typeof certify>>;
    let keys: Readonly<Record<'RS256' | 'other', TestKey>>;
    /** The browser of the one who runs the plans. */
    let jar = new CookieJar();
    before(async () => {
      opened = await openTestApp(database, { services: { egress } });
      certified = await certify(opened.services, 'certify', suite, null);
      app = seenFrom(await requireAccount(opened.services, 'certify'), opened.app, opened.services, opened);
      keys = { RS256: await testKey('RS256', 'one'), other: await testKey('RS256', 'two') };
    });
    after(() => opened.dispose());

    const issuer = () => app.account.baseUrl;
    const discovery = async () => (await app.send('GET', '/.well-known/openid-configuration')).body;
    const signer = () => ({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [keys.RS256.jwk] } });

    function sendRegistration(way: Way, members: object): Promise<Answer> {
      const isCode = way.response_type === 'code';
      return app.send('POST', '/oauth2/register', {
        headers: { authorization: `Bearer ${certified.initial_access_token}` },
        json: {
          client_name: 'Conformance suite',
          redirect_uris: [callback],
          grant_types: isCode ? ['authorization_code', 'refresh_token'] : ['implicit'],
          response_types: [way.response_type],
          token_endpoint_auth_method: 'client_secret_basic',
          contacts: ['certification@oidf.org'],
          ...members,
        },
      });
    }

    async function register(way: Way, members: object = {}): Promise<RegisteredClient> {
      const answer = await sendRegistration(way, members);
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    }

    const path = ({ response_type, mode }: Way, client: RegisteredClient, parameters: Parameters = {}) =>
      authorizePath(client, {
        response_type,
        redirect_uri: callback,
        ...(mode === 'form_post' && { response_mode: mode }),
        ...parameters,
      });

    /** Signs in and allows where a page asks. */
    async function browse(start: string, browser = jar): Promise<Answer> {
      const { email, password } = certified.user;
      let at: Walk = await walk(app, browser, start);
      if (/name="password"/.test(at.answer.text)) at = await submit(app, at, { username: email, password });
      if (/value="allow"/.test(at.answer.text)) at = await submit(app, at, { decision: 'allow' });
      return at.answer;
    }

    interface Got {
      readonly client: RegisteredClient;
      readonly called: Readonly<Record<string, string>>;
      readonly id: JWTPayload;
      readonly idToken: string;
      readonly access: string | undefined;
      readonly tokens: Tokens | null;
    }

    /** From the request to tokens, with the id token checked as the suite checks it. */
    async function flow(way: Way, parameters: Parameters = {}, given?: RegisteredClient, browser = jar): Promise<Got> {
      const client = given ?? (await register(way));
      const called = received(await browse(path(way, client, parameters), browser), way.mode, callback);
      assert.equal(called['state'], 'state-1', JSON.stringify(called));
      const tokens = called['code'] === undefined ? null : await redeem(app, client, called['code'], callback);
      const idToken = tokens?.id_token ?? called['id_token'] ?? '';
      const { body } = await app.send('GET', '/oauth2/jwks');
      const checks = { issuer: issuer(), audience: client.client_id, algorithms: ['RS256'] };
      const currentDate = new Date(app.services.clock.now());
      const { payload } = await jwtVerify(idToken, createLocalJWKSet(body), { ...checks, currentDate });
      return { client, called, id: payload, idToken, access: tokens?.access_token ?? called['access_token'], tokens };
    }

    const userinfo = (access: string | undefined) =>
      app.send('GET', '/oauth2/userinfo', { headers: { authorization: `Bearer ${access}` } });

    async function assertError(answer: Answer, way: Way, error: string): Promise<void> {
      const called = received(answer, way.mode, callback);
      assert.deepEqual([called['error'], called['state'], called['code']], [error, 'state-1', undefined]);
    }

    function assertPage(answer: Answer, said = /redirect_uri/): void {
      assert.equal(answer.status, 400, answer.text.slice(0, 300));
      assert.match(answer.text, said);
    }

    /** A module that discovery makes the suite skip: what it would ask is refused. */
    async function assertSkipped(): Promise<void> {
      const metadata = await discovery();
      for (const kind of ['id_token', 'request_object']) {
        assert.equal(metadata[`${kind}_signing_alg_values_supported`].includes('none'), false);
      }
    }

    const unsigned = (claims: object) =>
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`;

    const requestOf = (way: Way, client: RegisteredClient, more: Parameters = {}) =>
      Object.fromEntries(new URL(path(way, client, more), base).searchParams);

    const signedRequest = (client: RegisteredClient, claims: JWTPayload) =>
      sign(app, client.client_id, keys.RS256, { claims: { ...claims, sub: undefined } as unknown as JWTPayload });

    /** Signs in a browser of its own, for modules that end its session. */
    async function signedIn(members: object = {}): Promise<Got & { readonly browser: CookieJar }> {
      const browser = new CookieJar();
      const client = await register(code, { post_logout_redirect_uris: [afterwards], ...members });
      return { ...(await flow(code, {}, client, browser)), browser };
    }

    const isSignedIn = async ({ client, browser }: { client: RegisteredClient; browser: CookieJar }) =>
      !/error=login_required/.test(
        String((await browse(path(code, client, { prompt: 'none' }), browser)).headers['location']),
      );

    /** Signs out where the page asks. */
    async function signOut(parameters: Parameters, browser: CookieJar): Promise<Answer> {
      const at = await walk(app, browser, logoutPath(parameters));
      return (/<h1>Sign out of/.test(at.answer.text) ? await submit(app, at, {}) : at).answer;
    }

    /** A sign-out that goes on to no address: the page says so, and the session has ended. */
    const endsHere = (parameters: (got: Got) => Parameters) => async () => {
      const got = await signedIn();
      const answer = await signOut(parameters(got), got.browser);
      assert.equal(String(answer.headers['location'] ?? '').startsWith(suite.url), false);
      assert.ok(answer.status < 400, answer.text.slice(0, 300));
      assert.equal(await isSignedIn(got), false);
    };

    /** A sign-out whose address is nobody's: a page, and the session goes on. */
    const isNobodys = (parameters: (got: Got) => Parameters) => async () => {
      const got = await signedIn();
      assertPage(await signOut(parameters(got), got.browser), /post_logout_redirect_uri/);
      assert.equal(await isSignedIn(got), true);
    };

    const leads = (parameters: Parameters) => async () => {
      const got = await signedIn();
      const asked = { id_token_hint: got.idToken, post_logout_redirect_uri: afterwards, ...parameters };
      const answer = await signOut(asked, got.browser);
      const query = new URLSearchParams(parameters).toString();
      assert.equal(answer.headers['location'], query === '' ? afterwards : `${afterwards}?${query}`);
      assert.equal(await isSignedIn(got), false);
    };

    const back = { post_logout_redirect_uri: afterwards, state: 'a state' };
    const flipped = (token: string) => token.slice(0, -9) + (token.at(-9) === 'A' ? 'B' : 'A') + token.slice(-8);

    /** A page of the client, shown where the user is asked. */
    const showsLink = (member: 'policy_uri' | 'tos_uri') => async (way: Way) => {
      const uri = `${base}/${member}`;
      const client = await register(way, { [member]: uri });
      const at = await walk(app, jar, path(way, client));
      assert.ok(at.answer.text.includes(`href="${uri}"`), at.answer.text);
      await flow(way, {}, client);
    };

    /** Redirect URIs that are not the registered one, character for character. */
    const differs = (registered: string, asked: string | null) => async (way: Way) => {
      const client = await register(way, { redirect_uris: [registered] });
      const query = new URL(path(way, client, asked === null ? {} : { redirect_uri: asked }), base);
      if (asked === null) query.searchParams.delete('redirect_uri');
      assertPage(await browse(query.pathname + query.search));
    };

    const asksAgain = (parameters: Parameters) => async (way: Way) => {
      const { client, id } = await flow(way);
      app.services.clock.advance(2_000);
      const again = await flow(way, parameters, client);
      assert.ok(Number(again.id['auth_time']) > Number(id['auth_time']));
    };

    const discovered = async () => {
      const metadata = await discovery();
      assert.equal(metadata.issuer, issuer());
      const { server } = certified.configurations['openid'] as { readonly server: { readonly discoveryUrl: string } };
      assert.equal(server.discoveryUrl, `${issuer()}/.well-known/openid-configuration`);
      for (const name of ['authorization', 'token', 'userinfo', 'registration', 'end_session']) {
        assert.ok(metadata[`${name}_endpoint`].startsWith(`${issuer()}/oauth2/`), name);
      }
      assert.equal(metadata.jwks_uri, `${issuer()}/oauth2/jwks`);
      assert.deepEqual(metadata.response_types_supported, ['code', 'id_token token', 'id_token']);
      assert.ok(metadata.id_token_signing_alg_values_supported.includes('RS256'));
      assert.ok(metadata.subject_types_supported.includes('public'));
      assert.deepEqual([metadata.claims_parameter_supported, metadata.request_uri_parameter_supported], [true, true]);
      return metadata;
    };

    const secretPost = async (way: Way) => {
      const client = await register(way, { token_endpoint_auth_method: 'client_secret_post' });
      assert.equal(client.token_endpoint_auth_method, 'client_secret_post');
      await flow(way, {}, client);
    };

    /** Names of modules that `succeeding` has: each parameter is accepted, and the claims are those of the scope. */
    const accepts = (module: string) => async (way: Way) => {
      const first = await flow(way);
      const hint: Parameters = module === 'oidcc-id-token-hint' ? { prompt: 'none', id_token_hint: first.idToken } : {};
      const essential = '{"id_token":{"name":{"essential":true}}}';
      const isEssential = module === 'oidcc-claims-essential' && way.response_type === 'id_token';
      const parameters: Parameters = { ...succeeding[module], ...hint, ...(isEssential && { claims: essential }) };
      const { id, access } = await flow(way, parameters, first.client);
      assert.equal(id['auth_time'], first.id['auth_time']);
      assert.equal(id['nonce'], parameters['nonce'] === '' ? undefined : 'nonce-1');
      assertTold(access ? (await userinfo(access)).body : id, parameters, module);
    };

    const inForm = (form: boolean) => async (way: Way) => {
      const { access = '', id } = await flow(way);
      const sent = form ? { form: { access_token: access } } : { headers: { authorization: `Bearer ${access}` } };
      const { status, body } = await app.send('POST', '/oauth2/userinfo', sent);
      assert.deepEqual([status, body?.sub], [200, id.sub]);
    };

    const modules: Readonly<Record<string, (way: Way) => Promise<unknown>>> = {
      'oidcc-server': (way) => flow(way),
      'oidcc-response-type-missing': async (way) => {
        const client = await register(way);
        // Without a type nobody knows that the answer belongs into the fragment.
        const mode = way.mode === 'fragment' ? 'query' : way.mode;
        await assertError(await browse(path(way, client, { response_type: '' })), { ...way, mode }, 'invalid_request');
      },
      'oidcc-idtoken-signature': (way) => flow(way),
      'oidcc-idtoken-rs256': async (way) =>
        flow(way, {}, await register(way, { id_token_signed_response_alg: 'RS256' })),
      'oidcc-idtoken-unsigned': async (way) => {
        await assertSkipped();
        const { body } = await sendRegistration(way, { id_token_signed_response_alg: 'none' });
        assert.equal(body.error, 'invalid_client_metadata');
      },
      'oidcc-userinfo-get': async (way) => {
        const { access, id } = await flow(way);
        assert.equal((await userinfo(access)).body.sub, id.sub);
      },
      'oidcc-userinfo-post-header': inForm(false),
      'oidcc-userinfo-post-body': inForm(true),
      'oidcc-userinfo-rs256': async (way) => {
        const client = await register(way, { userinfo_signed_response_alg: 'RS256' });
        const { access, id } = await flow(way, {}, client);
        const { text, headers } = await userinfo(access);
        assert.match(String(headers['content-type']), /^application\/jwt/);
        const { iss, aud, sub } = decodeJwt(text);
        assert.deepEqual([iss, aud, sub], [issuer(), client.client_id, id.sub]);
      },
      ...Object.fromEntries([...Object.keys(succeeding), 'oidcc-id-token-hint'].map((name) => [name, accepts(name)])),
      'oidcc-ensure-request-without-nonce-fails': async (way) =>
        assertError(await browse(path(way, await register(way), { nonce: '' })), way, 'invalid_request'),
      'oidcc-prompt-login': asksAgain({ prompt: 'login' }),
      'oidcc-max-age-1': asksAgain({ max_age: '1' }),
      'oidcc-prompt-none-not-logged-in': async (way) =>
        assertError(
          await browse(path(way, await register(way), { prompt: 'none' }), new CookieJar()),
          way,
          'login_required',
        ),
      'oidcc-codereuse': async (way) => {
        const { client, called, access } = await flow(way);
        await assert.rejects(redeem(app, client, called['code'] ?? '', callback), /invalid_grant/);
        assert.equal((await userinfo(access)).status, 401);
      },
      'oidcc-codereuse-30seconds': async (way) => {
        const { client, called, access } = await flow(way);
        app.services.clock.advance(30_000);
        await assert.rejects(redeem(app, client, called['code'] ?? '', callback), /invalid_grant/);
        assert.equal((await userinfo(access)).status, 401);
      },
      'oidcc-ensure-registered-redirect-uri': differs(callback, `${callback}/unregistered`),
      'oidcc-ensure-redirect-uri-in-authorization-request': differs(callback, null),
      'oidcc-redirect-uri-query-mismatch': differs(`${callback}?foo=bar`, `${callback}?bar=foo`),
      'oidcc-redirect-uri-query-added': differs(callback, `${callback}?foo=bar`),
      'oidcc-redirect-uri-query-OK': async (way) => {
        const uri = `${callback}?foo=bar`;
        const client = await register(way, { redirect_uris: [uri] });
        const answer = await browse(path(way, client, { redirect_uri: uri }));
        const query = new URL(String(answer.headers['location'])).searchParams;
        assert.equal(query.get('foo'), 'bar');
        await redeem(app, client, query.get('code') ?? '', uri);
      },
      'oidcc-redirect-uri-regfrag': async (way) => {
        const { status, body } = await sendRegistration(way, { redirect_uris: [`${callback}#foobar`] });
        assert.deepEqual([status, body.error], [400, 'invalid_redirect_uri']);
      },
      'oidcc-ensure-post-request-succeeds': async (way) => {
        const client = await register(way);
        const form = requestOf(way, client);
        const begun = await app.send('POST', '/oauth2/authorize', { form, headers: jar.header });
        jar.keep(begun);
        const called = received(await browse(String(begun.headers['location'])), way.mode, callback);
        await redeem(app, client, called['code'] ?? '', callback);
      },
      'oidcc-server-client-secret-post': secretPost,
      'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': async (way) => {
        await assertSkipped();
        const uri = `${base}/request.jwt`;
        const client = await register(way, { request_uris: [uri], jwks: { keys: [keys.RS256.jwk] } });
        there.set(uri, unsigned(requestOf(way, client)));
        await assertError(await browse(path(way, client, { request_uri: uri })), way, 'invalid_request_object');
      },
      'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': async (way) => {
        await assertSkipped();
        const client = await register(way);
        const request = unsigned(requestOf(way, client));
        await assertError(await browse(path(way, client, { request })), way, 'request_not_supported');
      },
      'oidcc-request-uri-unsigned': async (way) => {
        // Not passed, by choice.
        const uri = `${base}/unsigned.jwt`;
        const client = await register(way, { request_uris: [uri], jwks: { keys: [keys.RS256.jwk] } });
        there.set(uri, unsigned(requestOf(way, client)));
        await assertError(await browse(path(way, client, { request_uri: uri })), way, 'invalid_request_object');
      },
      'oidcc-request-uri-signed-rs256': async (way) => {
        const uri = `${base}/signed.jwt`;
        const members = { request_uris: [uri], jwks: { keys: [keys.RS256.jwk] }, request_object_signing_alg: 'RS256' };
        const client = await register(way, members);
        there.set(uri, await signedRequest(client, requestOf(way, client, { nonce: 'of the object' })));
        const { id } = await flow(way, { request_uri: uri }, client);
        assert.equal(id['nonce'], 'of the object');
      },
      'oidcc-ensure-request-object-with-redirect-uri': async (way) => {
        const members = { jwks: { keys: [keys.RS256.jwk] }, request_object_signing_alg: 'RS256' };
        const client = await register(way, members);
        const request = await signedRequest(client, requestOf(way, client));
        const answer = await browse(path(way, client, { request, redirect_uri: `${callback}/other` }));
        assert.equal(received(answer, way.mode, callback)['state'], 'state-1');
      },
      'oidcc-refresh-token': async (way) => {
        const { client, tokens, id } = await flow(way);
        const own = clientAuthentication(client);
        const form = { ...own.form, grant_type: 'refresh_token', refresh_token: tokens?.refresh_token ?? '' };
        const next = await app.send('POST', '/oauth2/token', { headers: own.headers, form });
        const again = decodeJwt(next.body.id_token);
        assert.deepEqual(
          [again.iss, again.sub, again.aud, again['auth_time']],
          [id.iss, id.sub, id.aud, id['auth_time']],
        );
        assert.notEqual(next.body.access_token, tokens?.access_token);
        const other = clientAuthentication(await register(way));
        const stolen = { ...form, ...other.form, refresh_token: next.body.refresh_token };
        const refused = await app.send('POST', '/oauth2/token', { headers: other.headers, form: stolen });
        assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant']);
      },
      'oidcc-discovery-endpoint-verification': discovered,
      'oidcc-registration-logo-uri': async (way) => {
        const logo = `${base}/logo.png`;
        const client = await register(way, { logo_uri: logo });
        const { answer } = await walk(app, new CookieJar(), path(way, client));
        assert.ok(answer.text.includes(logo), answer.text);
      },
      'oidcc-registration-policy-uri': showsLink('policy_uri'),
      'oidcc-registration-tos-uri': showsLink('tos_uri'),
      'oidcc-registration-jwks-uri': async (way) => {
        const uri = `${base}/jwks`;
        there.set(uri, { keys: [keys.RS256.jwk] });
        const client = await register(way, { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: uri });
        assert.equal((await redeemSigned(way, client, keys.RS256)).status, 200);
      },
      'oidcc-registration-sector-uri': async (way) => {
        const sector_identifier_uri = `${base}/sector`;
        there.set(sector_identifier_uri, [callback]);
        await flow(way, {}, await register(way, { subject_type: 'pairwise', sector_identifier_uri }));
      },
      'oidcc-registration-sector-bad': async (way) => {
        const sector_identifier_uri = `${base}/bad-sector`;
        there.set(sector_identifier_uri, ['https://example.com/other']);
        const { status, body } = await sendRegistration(way, { subject_type: 'pairwise', sector_identifier_uri });
        assert.deepEqual([status, body.error], [400, 'invalid_client_metadata']);
      },
      'oidcc-server-rotate-keys': async () => {
        const kids = async () =>
          (await app.send('GET', '/oauth2/jwks')).body.keys.map(({ kid }: { kid: string }) => kid);
        const former = await kids();
        await rotateKeys({ ...app.services, generateKeyPair }, app.account, { emergency: false });
        const now = await kids();
        assert.ok(now.length > former.length && former.every((kid: string) => now.includes(kid)));
      },
      'oidcc-refresh-token-rp-key-rotation': async (way) => {
        const uri = `${base}/rotating`;
        there.set(uri, { keys: [keys.RS256.jwk] });
        const client = await register(way, { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: uri });
        const first = await redeemSigned(way, client, keys.RS256);
        assert.equal(first.status, 200, first.text);
        there.set(uri, { keys: [keys.other.jwk] });
        app.services.clock.advance(31_000);
        const form = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token };
        const next = { ...form, ...shown(await sign(app, client.client_id, keys.other)) };
        assert.equal((await app.send('POST', '/oauth2/token', { form: next })).status, 200);
      },
      'oidcc-ensure-client-assertion-with-iss-aud-succeeds': async (way) =>
        assert.equal((await redeemSigned(way, await register(way, signer()), keys.RS256)).status, 200),
      'oidcc-rp-initiated-logout-discovery-endpoint-verification': async () =>
        assert.equal((await discovered()).end_session_endpoint, `${issuer()}/oauth2/logout`),
      'oidcc-rp-initiated-logout': leads({ state: 'a state' }),
      'oidcc-rp-initiated-logout-no-state': leads({}),
      'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': isNobodys(({ idToken }) => ({
        ...back,
        id_token_hint: idToken,
        post_logout_redirect_uri: `${afterwards}/bad`,
      })),
      'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': isNobodys(({ idToken }) => ({
        ...back,
        id_token_hint: idToken,
        post_logout_redirect_uri: `${afterwards}?foo=bar`,
      })),
      'oidcc-rp-initiated-logout-modified-id-token-hint': isNobodys(({ idToken }) => ({
        ...back,
        id_token_hint: flipped(idToken),
      })),
      'oidcc-rp-initiated-logout-bad-id-token-hint': isNobodys(() => ({ ...back, id_token_hint: 'not an id token' })),
      'oidcc-rp-initiated-logout-no-id-token-hint': isNobodys(() => back),
      'oidcc-rp-initiated-logout-no-params': endsHere(() => ({})),
      'oidcc-rp-initiated-logout-only-state': endsHere(() => ({ state: 'a state' })),
      'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': endsHere(({ idToken }) => ({
        id_token_hint: idToken,
        state: 'a state',
      })),
      'oidcc-backchannel-logout-discovery-endpoint-verification': async () => {
        const metadata = await discovered();
        const { backchannel_logout_supported: one, backchannel_logout_session_supported: other } = metadata;
        assert.deepEqual([one, other], [true, true]);
      },
      'oidcc-backchannel-rp-initiated-logout': async () => {
        const uri = `${base}/backchannel_logout`;
        there.set(uri, {});
        const got = await signedIn({ backchannel_logout_uri: uri, backchannel_logout_session_required: true });
        await signOut({ ...back, id_token_hint: got.idToken }, got.browser);
        await app.services.logoutNotices.run();
        const token = new URLSearchParams(posted.at(-1)).get('logout_token') ?? '';
        const { iss, aud, sid, events, nonce } = decodeJwt(token);
        assert.deepEqual([iss, aud, sid, nonce], [issuer(), got.client.client_id, got.id['sid'], undefined]);
        assert.deepEqual(events, { 'http://schemas.openid.net/event/backchannel-logout': {} });
      },
      'oidcc-3rd_party-init-login': async (way) => {
        const initiate_login_uri = `${base}/login-initiation`;
        const { body } = await sendRegistration(way, { initiate_login_uri });
        assert.equal(body.initiate_login_uri, initiate_login_uri);
        await flow(way, {}, body);
      },
      'oidcc-3rd_party-init-login-nohttps': async (way) => {
        const { status, body } = await sendRegistration(way, { initiate_login_uri: 'http://example.com/login' });
        assert.deepEqual([status, body.error], [400, 'invalid_client_metadata']);
      },
    };

    /** A code redeemed by a client that signs. */
    async function redeemSigned(way: Way, client: RegisteredClient, key: TestKey): Promise<Answer> {
      const { code: given = '' } = received(await browse(path(way, client)), way.mode, callback);
      const form = {
        grant_type: 'authorization_code',
        code: given,
        redirect_uri: callback,
        code_verifier: codeVerifier,
      };
      const assertion = shown(await sign(app, client.client_id, key));
      return app.send('POST', '/oauth2/token', { form: { ...form, ...assertion } });
    }

    for (const [plan, all] of Object.entries(ways)) {
      describe(plan, () => {
        before(() => {
          jar = new CookieJar();
        });
        for (const way of all) {
          for (const [index, [module]] of rowsOf(plan).entries()) {
            // Others walk the same modules: a third of these, and all in a drill.
            if ((way.mode === 'form_post' || way.response_type === 'id_token') && !isSampled(index, 3)) continue;
            if (way.response_type === 'id_token' && needsAccess.test(module)) continue;
            it(`${way.response_type}: ${module}`, async () => {
              await (modules[module] ?? assert.fail('not walked'))(way);
            });
          }
        }
      });
    }
  });
}
