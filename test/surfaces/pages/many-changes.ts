import assert from 'node:assert/strict';
import { it } from 'node:test';
import { codeAt, keyOf } from '../../support/second-factor.ts';
import { formTo, password, submit, walk } from '../../support/sign-in.ts';
import { signedInBrowser } from '../../support/sign-out.ts';
import { type AppOf, unlimited } from './browsing.ts';
import { makeCredential, signInToPasskeys } from './passkeys-page.ts';

/** A session that changes the means of sign-in without end: each change stays in the trail for ever. */
export function manyChanges(app: AppOf): void {
  it('second factors, recovery codes, and the password share one limit per session; endings have no limit', async () => {
    const there = await app().another({ ...unlimited, 'limit.authorize': '6/h' });
    const { jar } = await signedInBrowser(there);
    const adding = await walk(there, jar, '/account/second-factors/new');
    const otp = codeAt(keyOf(adding.answer.text), there.services.clock.now());
    const added = await submit(there, adding, { otp });
    assert.equal(added.answer.status, 200);
    const codes = '/account/recovery-codes';
    const listed = await walk(there, jar, '/account/second-factors');
    const renew = () => there.send('POST', codes, { headers: jar.header, form: formTo(listed, codes) });
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 7) statuses.push((await renew()).status);
    assert.ok(statuses.length > 1 && statuses.at(-1) === 429);

    const another = 'nine green geese at noon';
    const [more, changing] = [
      await walk(there, jar, '/account/second-factors/new'),
      await walk(there, jar, '/account/password'),
    ];
    const remove = '/account/second-factors/remove';
    const add = '/account/second-factors/new';
    const typed = { current_password: password, new_password: another, new_password_confirmation: another };
    const forms: readonly (readonly [string, Record<string, string>])[] = [
      [add, { ...formTo(more, add), otp: codeAt(keyOf(more.answer.text), there.services.clock.now()) }],
      [remove, formTo(listed, remove)],
      [codes, formTo(listed, codes)],
      ['/account/password', { ...formTo(changing, '/account/password'), ...typed }],
    ];
    for (const [path, form] of forms) {
      const answer = await there.send('POST', path, { headers: jar.header, form });
      assert.equal(answer.status, 429, path);
      assert.ok(Number(answer.headers['retry-after']) > 0);
    }
    const everywhere = '/account/sessions/end-all';
    const ending = await walk(there, jar, '/account/sessions');
    const form = formTo(ending, everywhere);
    assert.equal((await there.send('POST', everywhere, { headers: jar.header, form })).status, 303);
  });

  it('passkeys share it too', async () => {
    const there = await app().another({ ...unlimited, 'limit.authorize': '4/h' });
    const signedIn = await signInToPasskeys(there);
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 5) {
      const { credential } = await makeCredential(signedIn);
      statuses.push((await signedIn.post({ credential, name: `${statuses.length}` })).status);
    }
    assert.ok(statuses.length > 1 && statuses.at(-1) === 429);
    const [stored] = await there.services.store.passkeys.list(there.account.id, signedIn.user.id);
    const given = { passkey: `${stored?.device.id}`, change: 'remove' };
    assert.equal((await signedIn.post(given, '/account/passkeys/change')).status, 429);
    assert.ok((await there.services.store.passkeys.list(there.account.id, signedIn.user.id)).length > 0);
  });
}
