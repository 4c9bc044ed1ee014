import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { toldBy } from '../../domain/audit/told.ts';
import { atGateway, makeOpenApi } from '../../support/api.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { accountForDocuments, type Documents, openDocuments, publish } from '../../support/documents.ts';
import { countRows, readRows } from '../../support/rows.ts';
import {
  authorizePath,
  CookieJar,
  formTo,
  makeUser,
  password,
  type RegisteredClient,
  redeem,
  redirectUri,
  refresh,
  signInForCode,
  submit,
  submitTo,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { assertEnded, assertError, assertErrorPage, toClient, unlimited } from './asking.ts';

/** Clients that are known by their metadata documents. On an application with an Internet of its own. */
export function documentClients(kind: 'sqlite' | 'postgres'): void {
  const documents: Documents = openDocuments();
  let app: TestApp;
  let one: TestApp;
  before(async () => {
    app = await openTestApp(kind, { services: { egress: documents.egress } });
    one = await accountForDocuments(app, { ...unlimited, open_registration_consent: 'remembered' });
  });
  after(() => app.dispose());

  const newUser = () => makeUser(one, undefined, { roles: ['Everyone'] });
  const appsOf = async (clientId: string) =>
    countRows(one.url, `select 1 from clients where client_id = '${clientId}'`);
  const rowOf = async ({ client_id: clientId }: RegisteredClient) => {
    const found = await one.services.store.clients.find(one.account.id, clientId);
    assert.ok(found);
    return found;
  };
  /** Signs in, up to the consent page or what comes in its place. */
  const toConsent = async (client: RegisteredClient, email: string | null, parameters = {}, jar = new CookieJar()) => {
    const at = await walk(one, jar, authorizePath(client, parameters));
    if (!/name="password"/.test(at.answer.text)) return at;
    return submit(one, at, { username: email ?? '', password });
  };
  const isConsent = ({ answer }: Walk) => /value="allow"/.test(answer.text);
  const allow = async (at: Walk) => toClient((await submit(one, at, { decision: 'allow' })).answer).get('code') ?? '';
  /** Another application's time: the document is fetched again. */
  const later = () => one.services.clock.advance(300_001);

  it('sign-in, consent that tells how little is known, tokens, refresh, userinfo', async () => {
    const client = publish(documents, { logo_uri: 'https://app.example.com/logo.png' });
    const user = await newUser();
    const page = await toConsent(client, user.email);
    assert.ok(isConsent(page), page.answer.text);
    assert.match(page.answer.text, /document at <bdi class="strong">app\.example\.com<\/bdi>/);
    assert.match(page.answer.text, /Nobody at .* has checked it/);
    assert.doesNotMatch(
      page.answer.text + String(page.answer.headers['content-security-policy']),
      /logo\.png|img-src [^;]*app\.ex/,
    );
    assert.equal(await appsOf(client.client_id), 0);
    const tokens = await redeem(one, client, await allow(page));
    assert.equal(await appsOf(client.client_id), 1);
    const again = await refresh(one, client, tokens.refresh_token);
    assert.equal(again.status, 200, again.text);
    const headers = { authorization: `Bearer ${again.body.access_token}` };
    assert.equal((await one.send('GET', '/oauth2/userinfo', { headers })).status, 200);
    const form = { token: again.body.access_token, client_id: client.client_id };
    const seen = (await one.send('POST', '/oauth2/introspect', { form })).body;
    assert.deepEqual([seen.active, seen.client_id], [true, client.client_id]);
    const bearer = { authorization: `Bearer ${await one.bearer('manage_all')}` };
    const { appId } = await rowOf(client);
    const shown = await one.send('GET', `/api/2/apps/${appId}`, { headers: bearer });
    assert.deepEqual([shown.status, shown.body.client_id ?? shown.body.data?.client_id], [200, client.client_id]);
    assert.equal(
      (await one.send('POST', '/oauth2/revoke', { form: { ...form, token: again.body.refresh_token } })).status,
      200,
    );
    await assertEnded(one, client, again.body.refresh_token, again.body.access_token);
  });

  it('looking at documents, with whatever in them, writes no row', async () => {
    await one.services.counts.flush();
    const before = await readRows(one.url);
    const jar = new CookieJar();
    for (let index = 0; index < 20; index += 1) {
      const client = publish(documents, { client_name: `Tool ${index}` });
      const at = await walk(one, jar, authorizePath(client));
      assert.match(at.answer.text, /name="password"/);
      const pushed = Object.fromEntries(new URL(authorizePath(client), one.account.baseUrl).searchParams);
      assert.equal((await one.send('POST', '/oauth2/par', { form: pushed })).status, 201);
      const refused = await one.send('GET', authorizePath(client, { scope: 'none', code_challenge: 'x' }));
      assert.equal(refused.status, 200, 'an error waits on a page, as for every client of open registration');
      assertError(
        await one.send('POST', '/oauth2/token', {
          form: { grant_type: 'authorization_code', code: 'x', client_id: client.client_id },
        }),
        400,
        'invalid_client',
      );
    }
    await one.services.counts.flush();
    const after = await readRows(one.url);
    for (const [table, rows] of Object.entries(before)) assert.deepEqual(after[table], rows, table);
  });

  it('only users of the roles that the account names; nobody by default; a page says so', async () => {
    const other = await makeUser(one);
    const client = publish(documents);
    const told = await toldBy(one, async () => {
      const page = await toConsent(client, other.email);
      assert.equal(page.answer.status, 403);
      assert.match(page.answer.text, /Agent Tool/);
    });
    const [refused] = told.filter(({ action }) => action === 'sign_in.refused');
    const detail = { reason: 'access_not_assigned', client_id: client.client_id, methods: ['pwd'] };
    assert.deepEqual(JSON.parse(refused?.detail ?? ''), detail);
    assert.equal(await appsOf(client.client_id), 0);
    const closed = await accountForDocuments(app, { ...unlimited, client_id_metadata_roles: '' });
    const member = await makeUser(closed, undefined, { roles: ['Everyone'] });
    const at = await walk(closed, new CookieJar(), authorizePath(client));
    assert.equal((await submit(closed, at, { username: member.email ?? '', password })).answer.status, 403);
  });

  it('whoever may not use it makes no app by the consent form either', async () => {
    const client = publish(documents);
    const user = await newUser();
    const page = await toConsent(client, user.email);
    await createRole(one.services, one.account, { name: 'Nobody' });
    await setAccount(one.services, one.account.subdomain, { client_id_metadata_roles: 'Nobody' });
    const unknown = setAccount(one.services, one.account.subdomain, { client_id_metadata_roles: 'Typo' });
    await assert.rejects(unknown, { code: 'not_found' });
    const sent = await submit(one, page, { decision: 'allow' });
    await setAccount(one.services, one.account.subdomain, { client_id_metadata_roles: 'Everyone' });
    assert.equal(sent.answer.status, 403);
    assert.equal(await appsOf(client.client_id), 0);
  });

  it('the first who allows it makes the app, with the roles and an event; a denial makes none', async () => {
    const client = publish(documents);
    const user = await newUser();
    const denied = await toldBy(one, async () => {
      const page = await toConsent(client, user.email);
      assert.equal(toClient((await submit(one, page, { decision: 'deny' })).answer).get('error'), 'access_denied');
    });
    const denial = denied.find(({ action }) => action === 'consent.denied');
    assert.deepEqual(JSON.parse(denial?.detail ?? ''), { user_id: user.id, client_id: client.client_id });
    assert.equal(await appsOf(client.client_id), 0);
    const told = await toldBy(one, async () => {
      await allow(await toConsent(client, user.email));
    });
    const row = await rowOf(client);
    const registered = told.find(({ action }) => action === 'app.registered');
    assert.deepEqual(JSON.parse(registered?.detail ?? ''), { registered_by: 'document' });
    assert.deepEqual([registered?.targetType, registered?.targetId], ['app', row.appId]);
    assert.ok(told.some(({ action, targetId }) => action === 'access.granted' && targetId === row.appId));
    assert.equal(row.registeredBy, 'open');
    const second = await newUser();
    const more = await toldBy(one, async () => {
      await allow(await toConsent(client, second.email));
    });
    assert.ok(!more.some(({ action }) => action === 'app.registered' || action === 'app.changed'));
    assert.equal(await appsOf(client.client_id), 1);
  });

  it('two who allow it at the same time make one app', async () => {
    const client = publish(documents);
    const users = await Promise.all([newUser(), newUser(), newUser()]);
    const pages: Walk[] = [];
    for (const user of users) pages.push(await toConsent(client, user.email));
    const codes = await Promise.all(pages.map(allow));
    assert.equal(await appsOf(client.client_id), 1);
    for (const code of codes) assert.ok((await redeem(one, client, code)).access_token);
  });

  it('consent that is remembered is asked for again when the document changes what it may do', async () => {
    const client = publish(documents);
    const user = await newUser();
    const jar = new CookieJar();
    await allow(await toConsent(client, user.email, {}, jar));
    const other = new CookieJar();
    const second = await newUser();
    await allow(await toConsent(client, second.email, {}, other));
    const asks = async (at: CookieJar) => {
      later();
      const page = await toConsent(client, (at === jar ? user : second).email, {}, at);
      return isConsent(page) ? page : null;
    };
    assert.equal(await asks(jar), null);
    const document = documents.at.get(client.client_id) as object;
    documents.at.set(client.client_id, { ...document, contacts: ['new@example.com'] });
    assert.equal(await asks(jar), null);
    const changes = [
      { client_name: 'Another Name' },
      { redirect_uris: [redirectUri, 'https://app.example.com/other'] },
      { grant_types: ['authorization_code'] },
    ];
    for (const change of changes) {
      documents.at.set(client.client_id, { ...document, ...change });
      const page = await asks(jar);
      assert.ok(page, JSON.stringify(change));
      const told = await toldBy(one, async () => {
        await allow(page);
      });
      assert.ok(told.some(({ action }) => action === 'app.changed'));
      assert.equal(await asks(jar), null);
    }
    // The row has what the first user allowed; the other one is asked all the same.
    assert.deepEqual((await rowOf(client)).grantTypes, ['authorization_code']);
    assert.ok(await asks(other));
  });

  it('what was allowed to a former document is not allowed to the next', async () => {
    const client = publish(documents);
    const user = await newUser();
    const jar = new CookieJar();
    const ask = (scope: string) => toConsent(client, user.email, { scope }, jar);
    await allow(await ask('openid email'));
    assert.ok(!isConsent(await ask('openid email')));
    documents.at.set(client.client_id, { ...(documents.at.get(client.client_id) as object), client_name: 'Another' });
    later();
    await allow(await ask('openid'));
    assert.ok(!isConsent(await ask('openid')));
    assert.ok(isConsent(await ask('openid email')));
  });

  it('an app is judged by the document: an operator cannot edit what that decides, nor get in the way of it', async () => {
    const client = publish(documents);
    const user = await newUser();
    const jar = new CookieJar();
    await allow(await toConsent(client, user.email, {}, jar));
    const { appId } = await rowOf(client);
    const headers = { authorization: `Bearer ${await one.bearer('manage_all')}` };
    const path = `/api/2/apps/${appId}`;
    const put = (json: object) => one.send('PUT', path, { headers, json });
    const { body } = await one.send('GET', path, { headers });
    const { name, icon_url, configuration } = body.data ?? body;
    const same = await put({ name, icon_url, configuration, description: 'Known to us' });
    assert.equal(same.status, 200, same.text);
    for (const [member, json] of Object.entries({
      name: { name: 'Ours' },
      icon_url: { icon_url: 'https://ours.example.com/icon.png' },
      'configuration.redirect_uri': { configuration: { redirect_uri: 'https://ours.example.com/in' } },
      'configuration.token_endpoint_auth_method': { configuration: { token_endpoint_auth_method: 0 } },
    })) {
      const refused = await put({ name, ...json });
      assert.equal(refused.status, 422, refused.text);
      assert.ok(refused.text.includes(`${member} is decided by the metadata document`), refused.text);
    }
    // As another process left it, which had another version of the document.
    const { services, account } = one;
    await services.store.clients.update(account.id, appId, { redirectUris: ['https://app.example.com/former'] });
    assert.ok(toClient((await toConsent(client, user.email, {}, jar)).answer).get('code'));
  });

  it("only what is at the document's own origin says whose client it is, or gets tokens", async () => {
    const client = publish(documents, {
      client_uri: 'http://bank.example/',
      policy_uri: 'https://bank.example/policy',
      tos_uri: 'https://bank.example/tos',
      backchannel_logout_uri: 'https://bank.example/logout',
      redirect_uris: [redirectUri, 'https://127.evil.example/cb'],
    });
    await allow(await toConsent(client, (await newUser()).email));
    const { extra, redirectUris } = await rowOf(client);
    assert.deepEqual(Object.keys(extra), []);
    assert.deepEqual(redirectUris, [redirectUri]);
    const own = publish(documents, {
      client_uri: 'https://app.example.com/',
      backchannel_logout_uri: 'https://app.example.com/logout',
    });
    await allow(await toConsent(own, (await newUser()).email));
    const kept = (await rowOf(own)).extra;
    assert.deepEqual(
      [kept.client_uri, kept.backchannel_logout_uri],
      ['https://app.example.com/', 'https://app.example.com/logout'],
    );
  });

  it('an app for a document counts as a registration of its source', async () => {
    const few = await accountForDocuments(app, { ...unlimited, 'limit.register-open': '1/h' });
    const user = await makeUser(few, undefined, { roles: ['Everyone'] });
    const jar = new CookieJar();
    const first = publish(documents);
    const begin = (client: RegisteredClient) => walk(few, jar, authorizePath(client));
    const signed = await submit(few, await begin(first), { username: user.email ?? '', password });
    assert.ok(toClient((await submit(few, signed, { decision: 'allow' })).answer).get('code'));
    const again = await begin(first);
    assert.ok(toClient((await submit(few, again, { decision: 'allow' })).answer).get('code'), 'it has its app');
    const next = await submit(few, await begin(publish(documents)), { decision: 'allow' });
    assert.equal(next.answer.status, 429, next.answer.text);
  });

  it('a document that changes while the consent page waits: the page comes again, and nothing is allowed', async () => {
    const client = publish(documents);
    const user = await newUser();
    const page = await toConsent(client, user.email);
    const document = documents.at.get(client.client_id) as object;
    documents.at.set(client.client_id, { ...document, client_name: 'Something Else' });
    later();
    const again = await submit(one, page, { decision: 'allow' });
    assert.ok(isConsent(again));
    assert.match(again.answer.text, /Something Else/);
    assert.equal(await appsOf(client.client_id), 0);
    await allow(again);
    assert.equal((await rowOf(client)).name, 'Something Else');
  });

  it('a document that is gone ends no sign-in that has begun, and begins none', async () => {
    const client = publish(documents);
    const user = await newUser();
    const page = await toConsent(client, user.email);
    const tokens = await redeem(one, client, await allow(page));
    documents.at.set(client.client_id, 404);
    later();
    const refreshed = await refresh(one, client, tokens.refresh_token);
    assert.equal(refreshed.status, 200, refreshed.text);
    assertErrorPage(await one.send('GET', authorizePath(client)), /status 404/);
  });

  it('consent that is withdrawn ends its tokens', async () => {
    const client = publish(documents);
    const user = await newUser();
    const jar = new CookieJar();
    const tokens = await redeem(one, client, await allow(await toConsent(client, user.email, {}, jar)));
    const { appId } = await rowOf(client);
    const account = await walk(one, jar, '/account/apps');
    assert.match(account.answer.text, /Agent Tool/);
    assert.doesNotMatch(account.answer.text, /document:/);
    const remove = '/account/apps/remove';
    const { answer } = await submitTo(one, jar, remove, { ...formTo(account, remove), app_id: String(appId) });
    assert.equal(answer.status, 200, answer.text);
    await assertEnded(one, client, tokens.refresh_token, tokens.access_token);
    assert.ok(isConsent(await toConsent(client, user.email, {}, jar)));
  });

  it('an app that is removed is asked about anew, and gets a new number', async () => {
    const client = publish(documents);
    const user = await newUser();
    const tokens = await redeem(one, client, await allow(await toConsent(client, user.email)));
    const { appId } = await rowOf(client);
    const headers = { authorization: `Bearer ${await one.bearer('manage_all')}` };
    const waiting = await toConsent(client, user.email, { prompt: 'consent' });
    assert.equal((await one.send('DELETE', `/api/2/apps/${appId}`, { headers })).status, 204);
    assertError(await refresh(one, client, tokens.refresh_token), 400, 'invalid_client');
    const late = await submit(one, waiting, { decision: 'allow' });
    assert.ok(!late.answer.headers['location'], 'a page in words');
    assert.equal(await appsOf(client.client_id), 0);
    const code = await allow(await toConsent(client, user.email));
    assert.ok((await redeem(one, client, code)).access_token);
    assert.notEqual((await rowOf(client)).appId, appId);
  });

  it('switched off, or without its host: every door is closed at once, and open again', async () => {
    const client = publish(documents);
    const user = await newUser();
    const jar = new CookieJar();
    const tokens = await redeem(one, client, await allow(await toConsent(client, user.email, {}, jar)));
    const fresh = publish(documents);
    const page = await toConsent(fresh, user.email);
    const api = await makeOpenApi(one, ['tools:call']);
    const atApi = { resource: api.resource, scope: 'openid tools:call' };
    const jwt = await redeem(one, client, await allow(await toConsent(client, user.email, atApi, jar)));
    const active = async (token: string) => {
      const asking = await one.send('POST', '/oauth2/register', {
        headers: { authorization: `Bearer ${await one.bearer('register_clients')}` },
        json: { grant_types: ['client_credentials'], token_endpoint_auth_method: 'client_secret_post' },
      });
      const { client_id, client_secret } = asking.body;
      return (await one.send('POST', '/oauth2/introspect', { form: { token, client_id, client_secret } })).body.active;
    };
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const form = { client_id: client.client_id };
    for (const setting of ['off', 'other.example.com', 'app.example.com:8443']) {
      await setAccount(one.services, one.account.subdomain, { client_id_metadata_documents: setting });
      documents.asked.length = 0;
      assertErrorPage(await one.send('GET', authorizePath(client)), /not registered/);
      assertErrorPage(await one.send('GET', authorizePath(publish(documents))), /not registered/);
      assertError(await refresh(one, client, tokens.refresh_token), 400, 'invalid_client');
      assertError(await one.send('POST', '/oauth2/par', { form }), 400, 'invalid_client');
      assertError(
        await one.send('POST', '/oauth2/introspect', { form: { ...form, token: 'x' } }),
        400,
        'invalid_client',
      );
      assert.equal((await one.send('GET', '/oauth2/userinfo', { headers })).status, 401);
      assert.deepEqual([await active(tokens.access_token), await active(jwt.access_token)], [false, false]);
      assert.equal((await submit(one, page, { decision: 'allow' })).answer.status, 400);
      assert.equal(await appsOf(fresh.client_id), 0);
      assert.deepEqual(documents.asked, []);
    }
    for (const setting of ['app.example.com', 'any']) {
      await setAccount(one.services, one.account.subdomain, { client_id_metadata_documents: setting });
      assert.equal((await one.send('GET', '/oauth2/userinfo', { headers })).status, 200);
      assert.deepEqual([await active(tokens.access_token), await active(jwt.access_token)], [true, true]);
    }
  });

  it('an API that is open to clients by consent: consent names it, the token is for it', async () => {
    const api = await makeOpenApi(one, ['tools:call']);
    const client = publish(documents);
    const user = await newUser();
    const asked = { resource: api.resource, scope: 'openid tools:call admin' };
    const page = await toConsent(client, user.email, asked);
    assert.match(page.answer.text, /<bdi>Tools<\/bdi>/);
    const tokens = await redeem(one, client, await allow(page));
    const claims = await atGateway(one, tokens.access_token, api.resource);
    assert.deepEqual([claims['scope'], claims['client_id']], ['openid tools:call', client.client_id]);
  });

  it('at most so many apps: the next is refused on a page, and those that are there go on', async () => {
    const small = await accountForDocuments(app, { ...unlimited });
    const user = await makeUser(small, undefined, { roles: ['Everyone'] });
    const known = publish(documents);
    await signInForCode(small, known, user);
    const known2 = await small.services.store.clients.find(small.account.id, known.client_id);
    assert.ok(known2);
    await small.services.store.transaction(async (tx) => {
      for (let index = 0; index < 999; index += 1) {
        const made = await tx.clients.ensureDocument(
          { ...known2, clientId: `https://app.example.com/many-${index}` },
          1000,
        );
        assert.equal(made?.isNew, true);
      }
    });
    const next = publish(documents);
    const at = await submit(small, await walk(small, new CookieJar(), authorizePath(next)), {
      username: user.email ?? '',
      password,
    });
    const refused = await submit(small, at, { decision: 'allow' });
    assertErrorPage(refused.answer, /No more applications/);
    assert.equal(await small.services.store.clients.find(small.account.id, next.client_id), null);
    assert.ok((await signInForCode(small, known, user)).get('code'));
  });

  it('the metadata of the service says so only where it is on', async () => {
    const told = async (at: TestApp) =>
      (await at.send('GET', '/.well-known/oauth-authorization-server')).body.client_id_metadata_document_supported;
    assert.deepEqual([await told(one), await told(await app.another())], [true, undefined]);
  });
}
