import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { linkClient, unlinkClient } from '../../../src/domain/authorization-servers/links.ts';
import { changeScope } from '../../../src/domain/authorization-servers/scopes.ts';
import { changeServer, removeServer } from '../../../src/domain/authorization-servers/servers.ts';
import { endConsent } from '../../../src/domain/endings/end-app.ts';
import { redeemCode } from '../../../src/domain/tokens/redeem-code.ts';
import { type Api, admitEveryone, atGateway, makeOpenApi } from '../../support/api.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import {
  CookieJar,
  clientAuthentication,
  codeChallenge,
  codeVerifier,
  makeUser,
  password,
  type RegisteredClient,
  redirectUri,
  refresh,
  registerClient,
  signInForCode,
  submit,
  type Tokens,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, askTokens, assertEnded, assertError, codeForm, toClient, unlimited } from './asking.ts';

const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const grantTypes = ['authorization_code', 'refresh_token', exchange];

/**
 * What ends the tokens of clients that have an API by their users' consent, and which of several `resource`s counts.
 */
export function openApiEndings(app: AppOf): void {
  let one: TestApp;
  before(async () => {
    one = await app().another({ ...unlimited, registration: 'open' });
    await admitEveryone(one);
  });

  const makeOpen = (audiences: readonly string[] = []) => makeOpenApi(one, ['read', 'write'], { audiences });
  const closeScope = (api: Api, value: string) =>
    changeScope(one.services, one.account, api.id, api.scopes[value] ?? 0, { open: false });
  const registerOpen = async (): Promise<RegisteredClient> =>
    (await one.send('POST', '/oauth2/register', { json: { redirect_uris: [redirectUri], grant_types: grantTypes } }))
      .body;
  const newUser = () => makeUser(one, undefined, { roles: ['Everyone'] });
  const codeFor = async (client: RegisteredClient, api: Api, scope = 'openid read', jar = new CookieJar()) => {
    const query = await signInForCode(one, client, await newUser(), { resource: api.resource, scope }, jar);
    return query.get('code') ?? '';
  };
  const tokensFor = async (client: RegisteredClient, api: Api, scope?: string): Promise<Tokens> => {
    const answer = await askTokens(one, client, codeForm(await codeFor(client, api, scope)));
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const isActive = async (client: RegisteredClient, token: string): Promise<boolean> => {
    const { headers, form } = clientAuthentication(client);
    return (await one.send('POST', '/oauth2/introspect', { headers, form: { ...form, token } })).body.active;
  };
  const assertOver = async (client: RegisteredClient, { refresh_token: last, access_token: token }: Tokens) => {
    await assertEnded(one, client, last, token);
    assert.equal(await isActive(client, token), false);
  };

  it('withdrawn consent ends them, also of a client that registered itself', async () => {
    const [client, api] = [await registerOpen(), await makeOpen()];
    const { body: tokens } = await refresh(one, client, (await tokensFor(client, api)).refresh_token);
    const { sub } = await atGateway(one, tokens.access_token, api.resource);
    await one.services.store.transaction((tx) => endConsent(tx, one.account, Number(sub), client.app_id, 1));
    await assertOver(client, tokens);
  });

  it('an API that closes says in the trail how many grants ended with it', async () => {
    const [client, api] = [await registerOpen(), await makeOpen()];
    const tokens = await tokensFor(client, api);
    await changeServer(one.services, one.account, api.id, { clientAccess: 'linked' });
    const [event] = await one.services.store.events.listBefore(one.account.id, null, 1);
    assert.deepEqual(
      [event?.action, JSON.parse(event?.detail ?? '')],
      ['api_authorization.changed', { fields: ['client_access'], grants_revoked: 1 }],
    );
    await assertOver(client, tokens);
  });

  it('an API that is removed ends them, and a link that is added and removed', async () => {
    const [client, api, other] = [await registerOpen(), await makeOpen(), await makeOpen()];
    const [first, second] = [await tokensFor(client, api), await tokensFor(client, other)];
    await linkClient(one.services, one.account, api.id, client.app_id, Object.values(api.scopes));
    const { body: followed } = await refresh(one, client, first.refresh_token);
    assert.equal(followed.scope, 'openid read');
    await unlinkClient(one.services, one.account, api.id, client.app_id);
    await assertOver(client, followed);
    await removeServer(one.services, one.account, other.id);
    await assertOver(client, second);
  });

  it('a grant, and a code, of nothing that is still open is over', async () => {
    const [client, api] = [await registerOpen(), await makeOpen()];
    const tokens = await tokensFor(client, api, 'openid write');
    const code = await codeFor(client, api, 'openid write');
    await closeScope(api, 'write');
    await assertOver(client, tokens);
    assertError(await askTokens(one, client, codeForm(code)), 400, 'invalid_grant');
  });

  it('a link that ends while its code is redeemed does not become a consent', async () => {
    const { services, account } = one;
    const { store } = services;
    const [client, api] = [await registerClient(one), await makeOpen()];
    await linkClient(services, account, api.id, client.app_id, Object.values(api.scopes));
    const code = await codeFor(client, api, 'openid admin');
    const sender = { binding: null, proof: null };
    const redemption = { code, redirectUri, codeVerifier, resource: null, sender };
    const record = (await store.clients.findByApp(account.id, client.app_id)) ?? assert.fail();
    // Another process removes the link after this one has read it.
    const ofClient: typeof store.authorizationServers.ofClient = async (...given) => {
      const read = await store.authorizationServers.ofClient(...given);
      await unlinkClient(services, account, api.id, client.app_id);
      return read;
    };
    const behind = {
      ...services,
      store: { ...store, authorizationServers: { ...store.authorizationServers, ofClient } },
    };
    await assert.rejects(redeemCode(behind, account, record, redemption), { code: 'grant_invalid' });
  });

  it('what was exchanged lives as long: for an audience beside the identifier, and by a link of another client', async () => {
    const alias = 'https://alias.example.com';
    const [client, other, api] = [
      await registerClient(one, { grant_types: grantTypes }),
      await registerClient(one, { grant_types: grantTypes }),
      await makeOpen([alias]),
    ];
    const { access_token: token } = await tokensFor(client, api);
    const exchanged = async (by: RegisteredClient, more: Record<string, string> = {}): Promise<Answer> => {
      const type = 'urn:ietf:params:oauth:token-type:access_token';
      return askTokens(one, by, { grant_type: exchange, subject_token: token, subject_token_type: type, ...more });
    };
    const narrow = await exchanged(client, { audience: alias });
    assert.equal(narrow.status, 200, narrow.text);
    assert.ok(await isActive(client, narrow.body.access_token));
    assertError(await exchanged(other), 400, 'invalid_request');
    await linkClient(one.services, one.account, api.id, other.app_id, [api.scopes['read'] ?? 0]);
    const { body } = await exchanged(other);
    assert.ok(await isActive(other, body.access_token));
    await unlinkClient(one.services, one.account, api.id, other.app_id);
    assert.ok(!(await isActive(other, body.access_token)), 'its user agreed to the first client');
    assert.ok(await isActive(client, narrow.body.access_token));
  });

  it('of several resources at the token endpoint exactly one names an API of the client: that of the grant', async () => {
    const [client, api, other] = [await registerOpen(), await makeOpen(), await makeOpen()];
    const code = await codeFor(client, api);
    const send = (form: Record<string, string>, resources: readonly string[]) => {
      const own = clientAuthentication(client);
      const values = resources.map((resource) => ['resource', resource] as const);
      return one.send('POST', '/oauth2/token', {
        headers: own.headers,
        form: [...Object.entries({ ...own.form, ...form }), ...values],
      });
    };
    const both = [api.resource, other.resource];
    assertError(await send(codeForm(code), both), 400, 'invalid_target', /not several/);
    const tokens = (await send(codeForm(code), [api.resource, 'urn:unknown', '', api.resource])).body;
    await atGateway(one, tokens.access_token, api.resource);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    assertError(await send(form, both), 400, 'invalid_target', /not several/);
    assertError(await send(form, [other.resource]), 400, 'invalid_target');
    const near = new RegExp(`must be ${api.resource}, letter by letter, and is ${api.resource}/$`);
    assertError(await send(form, [`${api.resource}/`]), 400, 'invalid_target', near);
    const next = await send(form, ['urn:unknown', api.resource]);
    assert.equal(next.status, 200, next.text);
    await atGateway(one, next.body.access_token, api.resource);
  });

  it('a resource at the token endpoint alone is nothing that the user allowed', async () => {
    const [client, api, user] = [await registerOpen(), await makeOpen(), await newUser()];
    const code = async () => (await signInForCode(one, client, user)).get('code') ?? '';
    const { resource } = api;
    assertError(await askTokens(one, client, codeForm(await code(), { resource })), 400, 'invalid_target');
    const { body } = await askTokens(one, client, codeForm(await code()));
    const asked = await refresh(one, client, body.refresh_token, '/oauth2/token', { resource });
    assertError(asked, 400, 'invalid_target');
    assert.equal((await refresh(one, client, body.refresh_token)).status, 200);
  });

  it('a pushed request asks for it, with one resource of two that is known', async () => {
    const [client, api, other, user] = [await registerOpen(), await makeOpen(), await makeOpen(), await newUser()];
    const push = (...resources: string[]): Promise<Answer> => {
      const { headers, form } = clientAuthentication(client);
      const proof = { code_challenge: codeChallenge, code_challenge_method: 'S256' };
      const asked = { ...form, ...proof, response_type: 'code', redirect_uri: redirectUri, scope: 'openid read' };
      const values = resources.map((resource) => ['resource', resource] as const);
      return one.send('POST', '/oauth2/par', { headers, form: [...Object.entries(asked), ...values] });
    };
    assertError(await push(api.resource, other.resource), 400, 'invalid_target', /not several/);
    assertError(await push(api.resource.replace('.com/', '.com:443/')), 400, 'invalid_target', /letter by letter/);
    const { request_uri } = (await push(api.resource, 'urn:unknown')).body;
    const path = `/oauth2/authorize?${new URLSearchParams({ client_id: client.client_id, request_uri })}`;
    const page = await submit(one, await walk(one, new CookieJar(), path), { username: user.email ?? '', password });
    const code = toClient((await submit(one, page, { decision: 'allow' })).answer).get('code') ?? '';
    const tokens = await askTokens(one, client, codeForm(code));
    assert.equal(tokens.status, 200, tokens.text);
    await atGateway(one, tokens.body.access_token, api.resource);
  });
}
