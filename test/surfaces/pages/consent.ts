import assert from 'node:assert/strict';
import { it } from 'node:test';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { ask } from '../../support/rows.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  readForm,
  redirectUri,
  registerClient,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, codeOf, copyOf, isConsent, requestOf, settle } from './browsing.ts';

/**
 * What an application may have: RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.4,
 * docs/document-gaps.md#the-standard-door.
 */
export function consent(app: AppOf): void {
  it('the page is one form: application, scopes, user, target; allow first, deny second', async () => {
    const setting = await settle(app(), {
      client_name: 'Expense Desk',
      client_uri: 'https://expense.example.com/',
      policy_uri: 'https://expense.example.com/privacy',
      tos_uri: 'https://expense.example.com/terms',
    });
    const { answer } = await setting.signIn({ scope: 'openid profile email groups' });
    const { text } = answer;
    assert.equal(text.match(/<form\b/g)?.length, 1);
    assert.match(text, /name="decision" value="allow"[\s\S]*name="decision" value="deny"/);
    for (const shown of [
      'Expense Desk',
      setting.user.email ?? '',
      'Ada Lovelace',
      'app.example.com',
      'expense.example.com/privacy',
    ]) {
      assert.ok(text.includes(shown), shown);
    }
    for (const title of ['Know who you are', 'See your name', 'See your e-mail address', 'See your roles']) {
      assert.ok(text.includes(title), title);
    }
    const { answer: less } = await (await settle(app())).signIn({ scope: 'openid' });
    assert.ok(!less.text.includes('See your name'));
  });

  it('a private scheme is named by itself, whatever host stands behind it', async () => {
    const redirect_uri = 'evilapp://bank.example/cb';
    const setting = await settle(app(), { application_type: 'native', redirect_uris: [redirect_uri] });
    const { text } = (await setting.signIn({ redirect_uri })).answer;
    assert.match(text, /go back to <bdi class="strong">evilapp<\/bdi>/);
    assert.ok(!text.includes('bank.example'));
  });

  it('deny gives the client access_denied with state and iss, and is not remembered', async () => {
    const setting = await settle(app());
    const jar = new CookieJar();
    const denied = await submit(app(), await setting.signIn({}, jar), { decision: 'deny' });
    const query = new URL(String(denied.answer.headers['location'])).searchParams;
    assert.deepEqual(
      [query.get('error'), query.get('state'), query.get('iss'), query.get('code')],
      ['access_denied', 'state-1', app().account.baseUrl, null],
    );
    const again = await walk(app(), jar, authorizePath(setting.client));
    assert.ok(isConsent(again.answer), 'asked again');
    codeOf(await submit(app(), again, { decision: 'allow' }));
  });

  it('allow is remembered for the user and the client, in every browser, for these scopes and fewer', async () => {
    const setting = await settle(app());
    const jar = new CookieJar();
    codeOf(await submit(app(), await setting.signIn({ scope: 'openid email' }, jar), { decision: 'allow' }));
    codeOf(await walk(app(), jar, authorizePath(setting.client, { scope: 'openid email' })));
    codeOf(await walk(app(), jar, authorizePath(setting.client, { scope: 'openid' })));
    codeOf(await setting.signIn({ scope: 'email' }));
  });

  it('a wider scope asks again, and then all scopes are remembered', async () => {
    const setting = await settle(app());
    const jar = new CookieJar();
    codeOf(await submit(app(), await setting.signIn({ scope: 'openid email' }, jar), { decision: 'allow' }));
    const wider = await walk(app(), jar, authorizePath(setting.client, { scope: 'openid profile' }));
    assert.ok(isConsent(wider.answer));
    codeOf(await submit(app(), wider, { decision: 'allow' }));
    codeOf(await walk(app(), jar, authorizePath(setting.client, { scope: 'openid profile email' })));
    assert.ok(isConsent((await walk(app(), jar, authorizePath(setting.client, { scope: 'groups' }))).answer));
  });

  it('offline_access needs its own consent: prompt=none does not get it from a consent without it', async () => {
    const setting = await settle(app());
    const jar = new CookieJar();
    const ask = (more: Record<string, string> = {}) =>
      walk(app(), jar, authorizePath(setting.client, { scope: 'openid offline_access', ...more }));
    codeOf(await submit(app(), await setting.signIn({ scope: 'openid' }, jar), { decision: 'allow' }));
    const silent = new URL(String((await ask({ prompt: 'none' })).answer.headers['location'])).searchParams;
    assert.deepEqual([silent.get('error'), silent.get('code')], ['consent_required', null]);
    const asked = await ask();
    assert.ok(isConsent(asked.answer));
    assert.ok(asked.answer.text.includes('Keep access while you are signed out'));
    codeOf(await submit(app(), asked, { decision: 'allow' }));
    codeOf(await ask({ prompt: 'none' }));
    const apps = await walk(app(), jar, '/account/apps');
    assert.ok(apps.answer.text.includes('Keep access while you are signed out'), 'the user sees what the app may do');
  });

  it('another client asks for its own consent', async () => {
    const setting = await settle(app());
    const jar = new CookieJar();
    codeOf(await submit(app(), await setting.signIn({}, jar), { decision: 'allow' }));
    const other = await registerClient(app());
    await grantAccess(app().services, app().account, other.app_id, { user: setting.user.email ?? '' });
    assert.ok(isConsent((await walk(app(), jar, authorizePath(other))).answer));
  });

  for (const decision of ['allow', 'deny']) {
    it(`one user’s ${decision} never counts for another user of the same browser`, async () => {
      const setting = await settle(app());
      const second = await makeUser(app(), setting.client.app_id);
      // The first user decides, and the browser does not continue.
      const first = await setting.signIn();
      const form = readForm(first.answer.text);
      const kept = await app().send('POST', form.action, {
        headers: first.jar.header,
        form: { ...form.fields, decision },
      });
      assert.equal(kept.status, 303);
      // The second user's session comes into the same browser.
      const other = await submit(app(), await setting.begin(), { username: second.email ?? '', password });
      const mixed = copyOf(first.jar);
      mixed.cookies.set('__Host-sid', other.jar.cookies.get('__Host-sid') ?? '');
      const at = await walk(app(), mixed, `/continue?request=${requestOf(first)}`);
      assert.ok(isConsent(at.answer), 'the second user is asked');
      assert.ok(at.answer.text.includes(second.email ?? ''));
      const own = await submit(app(), at, { decision: 'allow' });
      codeOf(own);
    });
  }

  it("nor does one user's consent count for another afterwards", async () => {
    const setting = await settle(app());
    const second = await makeUser(app(), setting.client.app_id);
    const jar = new CookieJar();
    codeOf(await submit(app(), await setting.signIn({}, jar), { decision: 'allow' }));
    const at = await submit(app(), await setting.begin({ prompt: 'login' }, jar), {
      username: second.email ?? '',
      password,
    });
    assert.ok(isConsent(at.answer));
  });

  it('consent to a client of open registration is asked each time: it is neither stored nor used', async () => {
    const open = await app().another({ registration: 'open' });
    const json = { client_name: 'Open App', redirect_uris: [redirectUri] };
    const client = (await open.send('POST', '/oauth2/register', { json })).body;
    const user = await makeUser(open, client.app_id);
    const jar = new CookieJar();
    const first = await submit(open, await walk(open, jar, authorizePath(client)), {
      username: user.email ?? '',
      password,
    });
    codeOf(await submit(open, first, { decision: 'allow' }));
    const { store, clock } = open.services;
    const whose = [open.account.id, user.id, client.app_id] as const;
    assert.equal(await store.authorizations.findConsent(...whose), null);
    // As an older release may have kept it.
    await store.authorizations.saveConsent(...whose, ['openid', 'profile', 'email'], clock.now());
    assert.ok(isConsent((await walk(open, jar, authorizePath(client))).answer));
  });

  it('a new sign-in for the same request clears the earlier decision', async () => {
    const setting = await settle(app());
    const second = await makeUser(app(), setting.client.app_id);
    const at = await setting.begin();
    const first = await submit(app(), at, { username: setting.user.email ?? '', password });
    const form = readForm(first.answer.text);
    await app().send('POST', form.action, { headers: first.jar.header, form: { ...form.fields, decision: 'deny' } });
    const again = { ...form.fields, username: second.email ?? '', password };
    const sent = await app().send('POST', '/sign-in', { headers: first.jar.header, form: again });
    assert.equal(sent.status, 303);
    first.jar.keep(sent);
    const next = await walk(app(), first.jar, String(sent.headers['location']));
    assert.ok(isConsent(next.answer));
  });

  /** What the trail tells of consent to the app, oldest first. */
  const told = async (appId: number): Promise<string[]> => {
    const found = await ask(
      app().url,
      `select action from events where target_type = 'app' and target_id = ${appId} and action like 'consent.%' order by id`,
    );
    return found.map(({ action }) => String(action));
  };

  it('a repeated decision is recorded once; a different one is recorded again', async () => {
    const setting = await settle(app());
    const { answer, jar } = await setting.signIn();
    const { action, fields } = readForm(answer.text);
    const decide = (decision: string) =>
      app().send('POST', action, { headers: jar.header, form: { ...fields, decision } });
    const atOnce = await Promise.all(Array.from({ length: 8 }, () => decide('deny')));
    for (const one of [...atOnce, await decide('deny')]) assert.equal(one.status, 303);
    assert.deepEqual(await told(setting.client.app_id), ['consent.denied']);
    for (const decision of ['allow', 'allow', 'deny']) assert.equal((await decide(decision)).status, 303);
    assert.deepEqual(await told(setting.client.app_id), ['consent.denied', 'consent.allowed', 'consent.denied']);
  });

  it('decisions and grants of one session are limited by limit.authorize; others are not affected', async () => {
    const few = await app().another({ 'limit.authorize': '3/h' });
    const setting = await settle(few);
    const { answer, jar } = await setting.signIn();
    const { action, fields } = readForm(answer.text);
    const decide = (decision: string) =>
      few.send('POST', action, { headers: jar.header, form: { ...fields, decision } });
    for (const decision of ['deny', 'allow', 'allow']) assert.equal((await decide(decision)).status, 303);
    const undecided = await decide('deny');
    const next = `/continue?request=${encodeURIComponent(fields['request'] ?? '')}`;
    const ungranted = await few.send('GET', next, { headers: jar.header });
    for (const refused of [undecided, ungranted]) {
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers['retry-after']) > 0);
      assert.match(String(refused.headers['content-type']), /^text\/html/);
    }
    codeOf(await setting.signIn());
  });
}
