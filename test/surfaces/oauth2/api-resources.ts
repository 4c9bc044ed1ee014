import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changeLink } from '../../../src/domain/authorization-servers/links.ts';
import { atGateway, linkApi, makeApi } from '../../support/api.ts';
import { execute } from '../../support/rows.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  redeem,
  refresh,
  registerClient,
  signInForCode,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, askTokens, assertClientError, assertError, codeForm, settle, toClient } from './asking.ts';

const clientCredentials = { grant_type: 'client_credentials' };

/** RFC 8707: which of several APIs an access token is for. */
export function apiResources(app: AppOf): void {
  it('resource at the token endpoint selects the API; default is the API with the scope, else the first linked', async () => {
    const client = await registerClient(app());
    const [one, two] = [await makeApi(app(), ['a', 'shared']), await makeApi(app(), ['b', 'shared'])];
    await linkApi(app(), client, one);
    app().services.clock.advance(1);
    await linkApi(app(), client, two);
    const cases: [Record<string, string>, string, string][] = [
      [{}, one.resource, 'a shared'],
      [{ resource: two.resource }, two.resource, 'b shared'],
      [{ scope: 'b' }, two.resource, 'b'],
      [{ scope: 'shared' }, one.resource, 'shared'],
      [{ scope: 'a b', resource: two.resource }, two.resource, 'b'],
    ];
    for (const [asked, resource, scope] of cases) {
      const answer = await askTokens(app(), client, { ...clientCredentials, ...asked });
      assert.equal(answer.status, 200, answer.text);
      const claims = await atGateway(app(), answer.body.access_token, resource);
      assert.deepEqual([claims.aud, claims['scope']], [resource, scope], JSON.stringify(asked));
    }
    const wrong = await askTokens(app(), client, { ...clientCredentials, scope: 'a', resource: two.resource });
    assertError(wrong, 400, 'invalid_scope');
  });

  it('a resource that is not linked or spelled differently is invalid_target, also without any link (§2)', async () => {
    const client = await registerClient(app());
    const [api, other] = [await makeApi(app()), await makeApi(app())];
    await linkApi(app(), client, api);
    for (const resource of [
      other.resource,
      `${api.resource}/`,
      api.resource.toUpperCase(),
      'orders',
      'https://x.example',
    ]) {
      const answer = await askTokens(app(), client, { ...clientCredentials, resource });
      assertError(answer, 400, 'invalid_target', /^resource must (name an API|be https:.*, letter by letter, and is )/);
    }
    const without = await registerClient(app());
    const answer = await askTokens(app(), without, { ...clientCredentials, resource: api.resource });
    assertError(answer, 400, 'invalid_target');
    const withResources = (...resources: string[]) => {
      const { headers, form } = clientAuthentication(client);
      const asked = resources.map((one): [string, string] => ['resource', one]);
      return app().send('POST', '/oauth2/token', {
        headers,
        form: [...Object.entries({ ...form, ...clientCredentials }), ...asked],
      });
    };
    assert.equal((await withResources(api.resource, api.resource, 'https://x.example')).status, 200);
    await linkApi(app(), client, other);
    assertError(await withResources(api.resource, other.resource), 400, 'invalid_target', /not several/);
    const others = Array.from({ length: 10 }, (_, index) => `https://x.example/${index}`);
    assert.equal((await withResources(api.resource, ...others.slice(1))).status, 200);
    assertError(await withResources(api.resource, ...others), 400, 'invalid_target', /at most 10 APIs/);
  });

  it('at authorization: the client gets invalid_target; a linked API limits the grant to it (§2.1)', async () => {
    const setting = await settle(app());
    const { client } = setting;
    const [one, two] = [await makeApi(app(), ['a', 'shared']), await makeApi(app(), ['b', 'shared'])];
    await linkApi(app(), client, one);
    assertClientError(app(), await setting.authorize({ resource: two.resource }), 'invalid_target');
    await linkApi(app(), client, two);
    const scope = 'openid shared a';
    const code = await setting.code({ resource: two.resource, scope });
    const refused = await askTokens(app(), client, codeForm(code, { resource: one.resource }));
    assertError(refused, 400, 'invalid_target');
    const tokens = (await askTokens(app(), client, codeForm(code))).body;
    assert.equal(tokens.scope, 'openid shared');
    await atGateway(app(), tokens.access_token, two.resource);
    const more = (resource: string) => refresh(app(), client, tokens.refresh_token, '/oauth2/token', { resource });
    assertError(await more(one.resource), 400, 'invalid_target');
    const next = await more(two.resource);
    await atGateway(app(), next.body.access_token, two.resource);
  });

  it('a grant without a resource: each refresh chooses the API, never wider than granted (T7)', async () => {
    const setting = await settle(app());
    const { client } = setting;
    const [one, two] = [await makeApi(app(), ['a']), await makeApi(app(), ['b', 'c'])];
    await linkApi(app(), client, one);
    app().services.clock.advance(1);
    await linkApi(app(), client, two);
    let tokens = await redeem(app(), client, await setting.code({ scope: 'openid a b' }));
    assert.equal((await atGateway(app(), tokens.access_token, one.resource))['scope'], 'openid a');
    const next = (more: Record<string, string>) => refresh(app(), client, tokens.refresh_token, '/oauth2/token', more);
    assertError(await next({ scope: 'c', resource: two.resource }), 400, 'invalid_scope');
    assertError(await next({ scope: 'a', resource: two.resource }), 400, 'invalid_scope');
    tokens = (await next({ resource: two.resource })).body;
    assert.equal((await atGateway(app(), tokens.access_token, two.resource))['scope'], 'openid b');
    tokens = (await next({ scope: 'b offline_access unknown' })).body;
    assert.equal((await atGateway(app(), tokens.access_token, two.resource))['scope'], 'b');
    tokens = (await next({})).body;
    assert.equal((await atGateway(app(), tokens.access_token, one.resource))['scope'], 'openid a');
  });

  it("consent names the scopes of the API, and does not count for another API's scope of the same name", async () => {
    const { client, user } = await settle(app());
    const [one, two] = [await makeApi(app(), ['shared']), await makeApi(app(), ['shared'])];
    for (const api of [one, two]) await linkApi(app(), client, api);
    const jar = new CookieJar();
    const ask = (resource: string) => walk(app(), jar, authorizePath(client, { scope: 'openid shared', resource }));
    const signedIn = await submit(app(), await ask(one.resource), {
      username: user.email ?? '',
      password: 'correct horse battery staple',
    });
    assert.match(signedIn.answer.text, /<bdi>shared<\/bdi>/);
    assert.equal((await submit(app(), signedIn, { decision: 'allow' })).answer.status, 303);
    assert.equal((await ask(one.resource)).answer.status, 303, 'remembered');
    assert.match((await ask(two.resource)).answer.text, /value="allow"/);
  });

  for (const later of ['linked', 'given the scope'] as const) {
    it(`consent and grants without a resource do not cover an API that is ${later} later`, async () => {
      const setting = await settle(app());
      const { client, user } = setting;
      const [one, two] = [await makeApi(app(), ['write']), await makeApi(app(), ['other', 'write'])];
      await linkApi(app(), client, one);
      if (later !== 'linked') await linkApi(app(), client, two, ['other']);
      const jar = new CookieJar();
      const scope = 'openid write';
      const code = (await signInForCode(app(), client, user, { scope }, jar)).get('code') ?? '';
      const tokens = await redeem(app(), client, code);
      const silent = (more: Record<string, string> = {}) =>
        walk(app(), jar, authorizePath(client, { scope, prompt: 'none', ...more }));
      assert.ok(toClient((await silent()).answer).has('code'));
      app().services.clock.advance(1000);
      if (later === 'linked') await linkApi(app(), client, two, ['write']);
      else await changeLink(app().services, app().account, two.id, client.app_id, Object.values(two.scopes));
      for (const asked of [{ resource: two.resource }, {}]) {
        assertClientError(app(), (await silent(asked)).answer, 'consent_required');
      }
      assert.ok(
        toClient((await silent({ resource: one.resource })).answer).has('code'),
        'what was allowed is remembered',
      );
      const elsewhere = await refresh(app(), client, tokens.refresh_token, '/oauth2/token', { resource: two.resource });
      assert.equal((await atGateway(app(), elsewhere.body.access_token, two.resource))['scope'], 'openid');
      const next = elsewhere.body.refresh_token;
      const asked = { resource: two.resource, scope: 'write' };
      assertError(await refresh(app(), client, next, '/oauth2/token', asked), 400, 'invalid_scope');
      const own = await refresh(app(), client, next);
      assert.equal((await atGateway(app(), own.body.access_token, one.resource))['scope'], scope);
      const wider = await redeem(
        app(),
        client,
        (await signInForCode(app(), client, user, { scope }, jar)).get('code') ?? '',
      );
      const both = await refresh(app(), client, wider.refresh_token, '/oauth2/token', { resource: two.resource });
      assert.equal((await atGateway(app(), both.body.access_token, two.resource))['scope'], scope);
      assert.ok(toClient((await silent()).answer).has('code'));
    });
  }

  it('a link that is made while a code waits was allowed, or the code is invalid', async () => {
    const setting = await settle(app());
    const { client } = setting;
    const [one, two] = [await makeApi(app(), ['write']), await makeApi(app(), ['write'])];
    await linkApi(app(), client, one);
    const code = await setting.code({ scope: 'openid write' });
    await linkApi(app(), client, two);
    assertError(await askTokens(app(), client, codeForm(code, { resource: two.resource })), 400, 'invalid_grant');
  });

  it('rows of an older release: consent without an API is asked for again, a grant covers older links', async () => {
    const { client, user } = await settle(app());
    const [one, two] = [await makeApi(app(), ['write']), await makeApi(app(), ['write'])];
    await linkApi(app(), client, one);
    const jar = new CookieJar();
    const scope = 'openid write';
    const code = (await signInForCode(app(), client, user, { scope }, jar)).get('code') ?? '';
    const tokens = await redeem(app(), client, code);
    const { store, clock } = app().services;
    const { id: accountId } = app().account;
    await store.authorizations.saveConsent(accountId, user.id, client.app_id, ['openid', 'write'], clock.now());
    await execute(app().url, `update grants set api_scopes = null where app_id = ${client.app_id}`);
    clock.advance(1000);
    await linkApi(app(), client, two);
    const silent = await walk(app(), jar, authorizePath(client, { scope, prompt: 'none', resource: one.resource }));
    assertClientError(app(), silent.answer, 'consent_required');
    let current = tokens.refresh_token;
    for (const [api, given] of [
      [one, scope],
      [two, 'openid'],
    ] as const) {
      const { body } = await refresh(app(), client, current, '/oauth2/token', { resource: api.resource });
      assert.equal((await atGateway(app(), body.access_token, api.resource))['scope'], given);
      current = body.refresh_token;
    }
  });
}
