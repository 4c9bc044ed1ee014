import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { linkClient } from '../../../src/domain/authorization-servers/links.ts';
import { changeScope } from '../../../src/domain/authorization-servers/scopes.ts';
import { changeServer } from '../../../src/domain/authorization-servers/servers.ts';
import { admitEveryone, atGateway, makeOpenApi } from '../../support/api.ts';
import type { TestApp } from '../../support/app.ts';
import { codesOf, decideDevice, deviceGrant, poll } from '../../support/devices.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  makeUser,
  password,
  type RegisteredClient,
  redirectUri,
  refresh,
  registerClient,
  signInForCode,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, askTokens, assertClientError, assertError, codeForm, toClient, unlimited } from './asking.ts';

/** APIs whose `client_access` is `consent`: any client of the account may ask its user for them. */
export function openApis(app: AppOf): void {
  let one: TestApp;
  before(async () => {
    one = await app().another({ ...unlimited, registration: 'open', 'grant.password': 'on' });
    await admitEveryone(one);
  });

  const tools = ['tools:call', 'tools:list'];
  const metadata = {
    client_name: 'A tool',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token', deviceGrant],
  };
  /** A client that registered itself, unlinked. */
  const registerOpen = async (): Promise<RegisteredClient> =>
    (await one.send('POST', '/oauth2/register', { json: metadata })).body;
  const newUser = () => makeUser(one, undefined, { roles: ['Everyone'] });
  const introspect = async (client: RegisteredClient, token: string) => {
    const { headers, form } = clientAuthentication(client);
    return (await one.send('POST', '/oauth2/introspect', { headers, form: { ...form, token } })).body;
  };
  const close = (id: number) => changeServer(one.services, one.account, id, { clientAccess: 'linked' });

  it('a client that registered itself gets a JWT for the API after its user agreed, and refreshes it', async () => {
    const api = await makeOpenApi(one, tools);
    const client = await registerOpen();
    const user = await newUser();
    const jar = new CookieJar();
    const asked = { resource: api.resource, scope: 'openid tools:call admin' };
    const page = await submit(one, await walk(one, jar, authorizePath(client, asked)), {
      username: user.email ?? '',
      password,
    });
    for (const shown of [
      /value="allow"/,
      /<bdi>Tools<\/bdi>/,
      />mcp\.example\.com</,
      />tools:call</,
      /registered itself/,
    ])
      assert.match(page.answer.text, shown);
    assert.doesNotMatch(page.answer.text, />admin</);
    const code = toClient((await submit(one, page, { decision: 'allow' })).answer).get('code') ?? '';
    const tokens = await askTokens(one, client, codeForm(code, { resource: api.resource }));
    assert.equal(tokens.status, 200, tokens.text);
    assert.equal(tokens.body.scope, 'openid tools:call');
    const { scope, client_id: clientId } = await atGateway(one, tokens.body.access_token, api.resource);
    assert.deepEqual([scope, clientId], ['openid tools:call', client.client_id]);
    assert.equal((await introspect(client, tokens.body.access_token)).active, true);
    const again = await refresh(one, client, tokens.body.refresh_token);
    await atGateway(one, again.body.access_token, api.resource);
    const other = await makeOpenApi(one, tools);
    const wrong = { grant_type: 'refresh_token', refresh_token: again.body.refresh_token, resource: other.resource };
    assertError(await askTokens(one, client, wrong), 400, 'invalid_target');
  });

  it('without a scope every open one is asked for, and by a device as well', async () => {
    const api = await makeOpenApi(one, tools);
    const client = await registerOpen();
    const user = await newUser();
    const answer = await signInForCode(one, client, user, { resource: api.resource, scope: '' });
    const tokens = await askTokens(one, client, codeForm(answer.get('code') ?? ''));
    assert.deepEqual(tokens.body.scope.split(' ').toSorted(), ['openid', 'tools:call', 'tools:list']);
    const codes = await codesOf(one, client, { resource: api.resource, scope: 'tools:list' });
    await decideDevice(one, codes.user_code, user);
    const polled = await poll(one, client, codes, {});
    await atGateway(one, polled.body.access_token, api.resource);
  });

  it('linked is the default: nobody else gets such tokens, from any door', async () => {
    const api = await makeOpenApi(one, tools, { clientAccess: 'linked' });
    const client = await registerClient(one, metadata);
    const { resource } = api;
    assertClientError(one, await one.send('GET', authorizePath(client, { resource })), 'invalid_target');
    const { headers, form } = clientAuthentication(client);
    const pushed = { ...form, response_type: 'code', redirect_uri: redirectUri, resource };
    assertError(await one.send('POST', '/oauth2/par', { headers, form: pushed }), 400, 'invalid_target');
    const device = { headers, form: { ...form, resource } };
    assertError(await one.send('POST', '/oauth2/device_authorization', device), 400, 'invalid_target');
  });

  it('a client gets none without a user: neither by its own credentials nor by a password', async () => {
    const { resource } = await makeOpenApi(one, tools);
    const client = await registerClient(one);
    const user = await newUser();
    const own = { grant_type: 'client_credentials', resource, scope: 'tools:call' };
    assertError(await askTokens(one, client, own), 400, 'invalid_target');
    const byPassword = { grant_type: 'password', username: user.email ?? '', password, resource };
    assertError(await askTokens(one, client, byPassword), 400, 'invalid_target');
  });

  it('scopes that are not open cannot be asked for alone, and a request names at least one that is', async () => {
    const { resource } = await makeOpenApi(one, tools);
    const client = await registerClient(one, metadata);
    for (const scope of ['admin', 'openid', 'openid admin']) {
      const refused = await one.send('GET', authorizePath(client, { resource, scope }));
      assertClientError(one, refused, 'invalid_scope');
    }
  });

  it('resource may come several times: exactly one names an API that the client can have (RFC 8707 §2)', async () => {
    const [api, other] = [await makeOpenApi(one, tools), await makeOpenApi(one, tools)];
    const client = await registerClient(one, metadata);
    const ask = (...resources: string[]) => {
      const more = resources.map((resource) => `&resource=${encodeURIComponent(resource)}`).join('');
      return one.send('GET', authorizePath(client, { scope: 'tools:call' }) + more);
    };
    assert.match(String((await ask(api.resource, 'https://elsewhere.example')).headers['location']), /^\/continue\?/);
    assertClientError(one, await ask(api.resource, other.resource), 'invalid_target');
    assertClientError(one, await ask('https://elsewhere.example'), 'invalid_target');
    // Each may cost a lookup: ten are looked up, and of eleven none, also where one of them could be had.
    const others = Array.from({ length: 9 }, (_, index) => `https://elsewhere.example/${index}`);
    assert.match(String((await ask(...others, api.resource)).headers['location']), /^\/continue\?/);
    const eleven = await ask(...others, 'https://elsewhere.example/9', api.resource);
    assertClientError(one, eleven, 'invalid_target');
    assert.equal(toClient(eleven).get('error_description'), 'resource must name at most 10 APIs');
    for (const near of [`${api.resource}/`, api.resource.replace('.com/', '.com:8443/'), api.resource.toUpperCase()]) {
      const answer = await ask(near);
      assertClientError(one, answer, 'invalid_target');
      assert.ok(toClient(answer).get('error_description')?.includes(`must be ${api.resource}`), near);
    }
  });

  it('an API that closes ends tokens, grants and waiting codes, and opening it again revives none', async () => {
    const api = await makeOpenApi(one, tools);
    const client = await registerClient(one, metadata);
    const user = await newUser();
    const asked = { resource: api.resource, scope: 'tools:call' };
    const first = await askTokens(
      one,
      client,
      codeForm((await signInForCode(one, client, user, asked)).get('code') ?? ''),
    );
    const waiting = (await signInForCode(one, client, user, asked)).get('code') ?? '';
    await close(api.id);
    const isEnded = async () => {
      assert.equal((await introspect(client, first.body.access_token)).active, false);
      assertError(await refresh(one, client, first.body.refresh_token), 400, 'invalid_grant');
    };
    await isEnded();
    assertError(await askTokens(one, client, codeForm(waiting)), 400, 'invalid_grant');
    await changeServer(one.services, one.account, api.id, { clientAccess: 'consent' });
    await isEnded();
  });

  it('a client that is linked as well keeps what it has when the API closes', async () => {
    const api = await makeOpenApi(one, tools);
    const client = await registerClient(one, metadata);
    const user = await newUser();
    const asked = { resource: api.resource, scope: 'tools:call' };
    const code = (await signInForCode(one, client, user, asked)).get('code') ?? '';
    const first = await askTokens(one, client, codeForm(code));
    await linkClient(one.services, one.account, api.id, client.app_id, Object.values(api.scopes));
    await close(api.id);
    assert.equal((await introspect(client, first.body.access_token)).active, true);
    assert.equal((await refresh(one, client, first.body.refresh_token)).status, 200);
  });

  it('a scope that is not open any more ends the tokens that have it, and is left out from then on', async () => {
    const api = await makeOpenApi(one, tools);
    const client = await registerClient(one, metadata);
    const user = await newUser();
    const asked = { resource: api.resource, scope: 'tools:call tools:list' };
    const code = (await signInForCode(one, client, user, asked)).get('code') ?? '';
    const first = await askTokens(one, client, codeForm(code));
    await changeScope(one.services, one.account, api.id, api.scopes['tools:call'] ?? 0, { open: false });
    assert.equal((await introspect(client, first.body.access_token)).active, false);
    const again = await refresh(one, client, first.body.refresh_token);
    assert.equal(again.body.scope, 'tools:list', again.text);
  });

  it('remembered consent is for these scopes of this API: more scopes, and another API, are asked for', async () => {
    const [api, other] = [await makeOpenApi(one, tools), await makeOpenApi(one, tools)];
    const client = await registerClient(one, metadata);
    const user = await newUser();
    const jar = new CookieJar();
    await signInForCode(one, client, user, { resource: api.resource, scope: 'tools:call' }, jar);
    const silent = async (more: Readonly<Record<string, string>>) =>
      (await walk(one, jar, authorizePath(client, { ...more, prompt: 'none' }))).answer;
    const known = await silent({ resource: api.resource, scope: 'tools:call' });
    assert.ok(toClient(known).get('code'), known.text);
    for (const more of [
      { resource: api.resource, scope: 'tools:call tools:list' },
      { resource: other.resource, scope: 'tools:call' },
    ]) {
      assertClientError(one, await silent(more), 'consent_required');
    }
    await one.services.store.authorizations.removeConsent(one.account.id, user.id, client.app_id);
    assertClientError(one, await silent({ resource: api.resource, scope: 'tools:call' }), 'consent_required');
  });
}
