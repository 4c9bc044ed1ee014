import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../../support/conforms.ts';
import { sampled } from '../../support/sample.ts';
import {
  authorizePath,
  beginApart,
  CookieJar,
  password,
  readForm,
  submit,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, codeOf, isConsent, isSignIn, requestOf, settle } from './browsing.ts';

const minute = 60_000;

/** L7: no step can be skipped, repeated or returned to; malformed requests change nothing. */
export function steps(app: AppOf): void {
  const get = (path: string, jar: CookieJar): Promise<Answer> => app().send('GET', path, { headers: jar.header });
  const post = (path: string, jar: CookieJar, form: Record<string, string>): Promise<Answer> =>
    app().send('POST', path, { headers: jar.header, form });
  const isCode = ({ headers }: Answer) => /[?&]code=/.test(String(headers['location']));

  it('empty, unknown and malformed requests are 400 at every step and set no cookie', async () => {
    const { jar } = await (await settle(app())).begin();
    const requests = ['', 'unknown', 'A'.repeat(43), "' or 1=1 --", '%00', 'x'.repeat(129)];
    const steps = ['/sign-in', '/second-factor', '/second-factor/enrol', '/new-password', '/consent', '/continue'];
    for (const [index, path] of steps.entries()) {
      for (const request of sampled(requests, 2, index)) {
        const answer = await get(`${path}?request=${encodeURIComponent(request)}`, jar);
        assert.equal(answer.status, 400, `${path} ${request}`);
        assert.equal(answer.headers['set-cookie'], undefined);
      }
      assert.equal((await get(path, jar)).status, 400);
      assert.equal((await get(`${path}?request=a&request=b`, jar)).status, 400);
    }
    for (const path of ['/sign-in', '/second-factor', '/second-factor/enrol', '/new-password', '/consent']) {
      for (const request of sampled(requests, 3))
        assert.equal((await post(path, jar, { request, decision: 'allow' })).status, 400);
      assert.equal((await post(path, jar, {})).status, 400);
      assert.equal((await app().send('POST', path, { headers: jar.header })).status, 400);
    }
  });

  it('a step that is not due redirects to the one that is', async () => {
    const setting = await settle(app());
    const at = await setting.begin();
    const request = requestOf(at);
    const jar = at.jar;
    assert.equal((await get(`/continue?request=${request}`, jar)).headers['location'], `/sign-in?request=${request}`);
    assert.equal((await get(`/consent?request=${request}`, jar)).headers['location'], `/continue?request=${request}`);
    const consent = await submit(app(), at, { username: setting.user.email ?? '', password });
    assert.equal((await get(`/continue?request=${request}`, jar)).headers['location'], `/consent?request=${request}`);
    const back = await get(`/sign-in?request=${request}`, jar);
    assert.deepEqual([back.status, back.headers['location']], [303, `/continue?request=${request}`], 'the back button');
    assert.ok(isConsent((await walk(app(), jar, `/sign-in?request=${request}`)).answer));
    codeOf(await submit(app(), consent, { decision: 'allow' }));
  });

  it('consent cannot be given before signing in, and not without a decision', async () => {
    const setting = await settle(app());
    const at = await setting.begin();
    const { fields } = readForm(at.answer.text);
    const early = await post('/consent', at.jar, { ...fields, decision: 'allow' });
    assert.equal(early.status, 400);
    assert.match(early.text, /You are no longer signed in/);
    assert.ok(isSignIn((await walk(app(), at.jar, `/continue?request=${fields['request']}`)).answer));
    const consent = await submit(app(), at, { username: setting.user.email ?? '', password });
    for (const decision of ['', 'maybe', 'ALLOW', 'allow ']) {
      const answer = await post('/consent', consent.jar, { ...readForm(consent.answer.text).fields, decision });
      assert.equal(answer.status, 400, decision);
    }
    assert.ok(isConsent((await walk(app(), consent.jar, `/continue?request=${fields['request']}`)).answer));
  });

  it('a consent given while the request demands a new sign-in does not count', async () => {
    const setting = await settle(app());
    const jar = new CookieJar();
    codeOf(await submit(app(), await setting.signIn({ scope: 'openid' }, jar), { decision: 'allow' }));
    const at = await setting.begin({ prompt: 'login consent' }, jar);
    const { fields } = readForm(at.answer.text);
    await post('/consent', jar, { ...fields, decision: 'allow' });
    assert.ok(
      isSignIn((await walk(app(), jar, `/continue?request=${fields['request']}`)).answer),
      'the password first',
    );
    const signedIn = await submit(app(), at, { username: setting.user.email ?? '', password });
    assert.ok(isConsent(signedIn.answer), 'and then the consent it asked for');
  });

  it('a finished request is over: no page, no second code, no second decision (replay)', async () => {
    const setting = await settle(app());
    const shown = await setting.begin();
    const consent = await submit(app(), shown, { username: setting.user.email ?? '', password });
    codeOf(await submit(app(), consent, { decision: 'allow' }));
    const { jar } = consent;
    for (const path of [
      '/continue',
      '/sign-in',
      '/second-factor',
      '/second-factor/enrol',
      '/new-password',
      '/consent',
    ]) {
      const answer = await get(`${path}?request=${requestOf(shown)}`, jar);
      assert.equal(answer.status, 400, path);
      assert.ok(!isCode(answer));
    }
    for (const { answer } of [shown, consent]) {
      const form = readForm(answer.text);
      const more = { username: setting.user.email ?? '', password, decision: 'allow' };
      assert.equal((await post(form.action, jar, { ...form.fields, ...more })).status, 400);
    }
  });

  it('a request that a signed-in browser finished does not restart after sign-out', async () => {
    const setting = await settle(app());
    const jar = new CookieJar();
    codeOf(await submit(app(), await setting.signIn({}, jar), { decision: 'allow' }));
    const next = await beginApart(app(), jar, authorizePath(setting.client));
    codeOf(await walk(app(), jar, next));
    jar.cookies.delete('__Host-sid');
    assert.equal((await walk(app(), jar, next)).answer.status, 400);
  });

  it('exactly one of many tabs that finish one request at once gets a code (T11)', async () => {
    const setting = await settle(app());
    const consent = await setting.signIn();
    const form = readForm(consent.answer.text);
    assert.equal((await post(form.action, consent.jar, { ...form.fields, decision: 'allow' })).status, 303);
    const path = `/continue?request=${requestOf(consent)}`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(path, consent.jar)));
    assert.equal(answers.filter(isCode).length, 1);
    assert.equal(answers.filter(({ status }) => status === 400).length, 19);
  });

  it('a sign-in in progress lasts 10 minutes', async () => {
    using _ = app().services.clock.hold();
    const setting = await settle(app());
    const at = await setting.begin();
    app().services.clock.advance(10 * minute - 1);
    const wrong = await submit(app(), at, { username: setting.user.email ?? '', password: 'wrong password' });
    assert.equal(wrong.answer.status, 401);
    app().services.clock.advance(1);
    const late = await submit(app(), wrong, { username: setting.user.email ?? '', password });
    assert.equal(late.answer.status, 400);
    assert.match(late.answer.text, /This sign-in has ended/);
    assert.ok(!late.jar.cookies.has('__Host-sid'));
  });

  it('repeated, too long or control-character fields never sign in', async () => {
    const setting = await settle(app());
    const at: Walk = await setting.begin();
    const { fields } = readForm(at.answer.text);
    const right = { ...fields, username: setting.user.email ?? '', password };
    for (const [name, value] of Object.entries(right)) {
      const twice: [string, string][] = [...Object.entries(right), [name, value]];
      const answer = await app().send('POST', '/sign-in', { headers: at.jar.header, form: twice });
      assert.equal(answer.status, 400, name);
      assert.match(answer.text, new RegExp(`${name} is given twice`));
    }
    for (const bad of [
      { username: 'x'.repeat(321) },
      { password: 'x'.repeat(1025) },
      { username: 'a\u0000b' },
      { password: '\u0008' },
    ]) {
      assert.equal((await post('/sign-in', at.jar, { ...right, ...bad })).status, 400);
    }
    for (const name of ['username', 'password']) {
      const { [name as keyof typeof right]: _left, ...rest } = right;
      assert.equal((await post('/sign-in', at.jar, rest)).status, 401, `without ${name}`);
      const array = await post('/sign-in', at.jar, { ...rest, [`${name}[]`]: right[name as keyof typeof right] ?? '' });
      assert.equal(array.status, 401, `${name}[]`);
    }
    assert.equal((await post('/sign-in', at.jar, right)).status, 303);
  });

  it('forged forwarding headers change neither the links nor the step', async () => {
    const setting = await settle(app());
    const forged = {
      'x-forwarded-for': 'x',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil',
    };
    const begun = await app().send('GET', authorizePath(setting.client), { headers: forged });
    assert.match(String(begun.headers['location']), /^\/continue\?/);
    assert.match(String(begun.headers['set-cookie']), /Secure$/);
    const at = await setting.begin();
    const { fields } = readForm(at.answer.text);
    const wrong = { ...fields, username: setting.user.email ?? '', password: 'wrong password' };
    const answer = await app().send('POST', '/sign-in', { headers: { ...at.jar.header, ...forged }, form: wrong });
    assert.equal(answer.status, 401);
  });
}
