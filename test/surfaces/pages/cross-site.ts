import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../../support/conforms.ts';
import { readRows } from '../../support/rows.ts';
import { CookieJar, password, readForm, submit, type Walk, walk } from '../../support/sign-in.ts';
import { type AppOf, codeOf, heading, isConsent, isSignIn, settle } from './browsing.ts';

type Fields = Readonly<Record<string, string>>;

/**
 * L2: a form counts only in the browser it was made for, in the sign-in it was made for, at the step it was made for.
 */
export function crossSite(app: AppOf): void {
  function send({ jar, answer }: Walk, fields: Fields, headers: Fields = jar.header): Promise<Answer> {
    const form = readForm(answer.text);
    return app().send('POST', form.action, { headers, form: { ...form.fields, ...fields } });
  }

  async function states(): Promise<string> {
    const { sessions, consents, codes, authorization_requests: requests } = await readRows(app().url);
    return JSON.stringify([sessions, consents, codes, requests]);
  }

  async function assertRefused(answer: Answer, status: 400 | 403, before: string): Promise<void> {
    assert.equal(answer.status, status);
    assert.equal(answer.headers['location'], undefined);
    assert.equal(answer.headers['set-cookie'], undefined);
    assert.equal(await states(), before, 'nothing may have changed');
  }

  it('sign-in: a missing, empty or foreign token is 403 and changes nothing', async () => {
    const setting = await settle(app());
    const at = await setting.begin();
    const sameBrowser = await setting.begin({}, at.jar);
    const foreign = await setting.begin();
    const right = { username: setting.user.email ?? '', password };
    const tokenOf = ({ answer }: Walk) => readForm(answer.text).fields['csrf'] ?? '';
    const before = await states();
    for (const csrf of ['', 'x', 'A'.repeat(43), tokenOf(foreign), tokenOf(sameBrowser), `${tokenOf(at)}A`]) {
      const answer = await send(at, { ...right, csrf });
      await assertRefused(answer, 403, before);
      assert.equal(heading(answer), 'This form has expired');
    }
    assert.equal((await send(at, right)).status, 303, 'the form itself still works');
  });

  it('sign-in: the attacker’s whole form in the victim’s browser is refused (login CSRF)', async () => {
    const setting = await settle(app());
    const attacker = await setting.begin();
    const victim = await setting.begin();
    const before = await states();
    const right = { username: setting.user.email ?? '', password };
    await assertRefused(await send(attacker, right, victim.jar.header), 400, before);
    await assertRefused(await send(attacker, right, {}), 400, before);
  });

  it('sign-in: the token from before the sign-in is invalid after it', async () => {
    const setting = await settle(app());
    const at = await setting.begin();
    const old = readForm(at.answer.text).fields['csrf'] ?? '';
    const right = { username: setting.user.email ?? '', password };
    const consent = await submit(app(), at, right);
    assert.ok(isConsent(consent.answer));
    assert.notEqual(readForm(consent.answer.text).fields['csrf'], old);
    const before = await states();
    await assertRefused(await send(consent, { decision: 'allow', csrf: old }), 403, before);
    await assertRefused(await send({ ...at, jar: consent.jar }, right), 403, before);
  });

  it('consent: a foreign token or another browser is refused, and nothing is decided', async () => {
    const setting = await settle(app());
    const at = await setting.signIn();
    const other = await setting.signIn();
    const before = await states();
    for (const csrf of ['', readForm(other.answer.text).fields['csrf'] ?? '']) {
      await assertRefused(await send(at, { decision: 'allow', csrf }), 403, before);
    }
    await assertRefused(await send(at, { decision: 'allow' }, other.jar.header), 400, before);
    await assertRefused(await send(at, { decision: 'allow' }, {}), 400, before);
    // The victim's browser holds a session and the attacker's link names the attacker's request.
    const link = await walk(app(), other.jar, `/continue?request=${readForm(at.answer.text).fields['request']}`);
    assert.equal(link.answer.status, 400);
    codeOf(await submit(app(), at, { decision: 'allow' }));
  });

  it("a request's pages are not shown in another browser", async () => {
    const setting = await settle(app());
    const at = await setting.begin();
    const { request } = readForm(at.answer.text).fields;
    for (const path of [
      '/sign-in',
      '/second-factor',
      '/second-factor/enrol',
      '/new-password',
      '/consent',
      '/continue',
    ]) {
      for (const jar of [new CookieJar(), (await setting.begin()).jar]) {
        const answer = await app().send('GET', `${path}?request=${request}`, { headers: jar.header });
        assert.equal(answer.status, 400, path);
        assert.ok(!isSignIn(answer));
        assert.match(answer.text, /This sign-in has ended or belongs to another browser/);
      }
    }
  });

  it('the pages accept only forms, so that no script of another origin can send JSON without a preflight', async () => {
    const setting = await settle(app());
    const at = await setting.begin();
    const form = readForm(at.answer.text);
    const body = JSON.stringify({ ...form.fields, username: setting.user.email, password });
    const before = await states();
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const answer = await app().send('POST', form.action, {
        headers: { ...at.jar.header, 'content-type': type },
        raw: body,
      });
      await assertRefused(answer, 400, before);
    }
  });
}
