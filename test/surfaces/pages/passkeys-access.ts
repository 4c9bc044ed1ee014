import assert from 'node:assert/strict';
import { it } from 'node:test';
import { removeDevice } from '../../../src/domain/second-factor/devices.ts';
import { asksForPasskey, givePasskey, passkeyOptionsOf, showPasskey } from '../../support/passkeys.ts';
import { giveDevice } from '../../support/second-factor.ts';
import { CookieJar, password, readForm, submit, walk } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, heading, unlimited } from './browsing.ts';
import { addOne, makeCredential, namesOf, path, signInToPasskeys } from './passkeys-page.ts';

const minute = 60_000;

/** Who may open the page of passkeys and send its forms (L2). */
export function passkeysAccess(app: AppOf): void {
  it('opens within ten minutes of a sign-in; otherwise a sign-in comes first and leads back', async () => {
    using _ = app().services.clock.hold();
    const signedIn = await signInToPasskeys(app());
    const { id, passkey } = await addOne(signedIn);
    app().services.clock.advance(5 * minute);
    const { credential } = await makeCredential(signedIn);
    app().services.clock.advance(5 * minute);
    assert.equal((await signedIn.look()).status, 200);
    app().services.clock.advance(1);
    const tries = [
      await app().send('GET', path),
      await signedIn.look(),
      await signedIn.post({ credential, name: 'Laptop' }),
      await signedIn.post({ passkey: `${id}`, change: 'remove' }, `${path}/change`),
    ];
    for (const { status, headers } of tries) {
      assert.equal(status, 303);
      assert.match(String(headers['location']), /^\/continue\?request=/);
    }
    assert.equal((await app().services.store.passkeys.list(app().account.id, signedIn.user.id)).length, 1);
    const asked = await walk(app(), signedIn.jar, path);
    const half = await submit(app(), asked, { username: signedIn.user.email ?? '', password });
    const back = await showPasskey(app(), half, passkey.get(passkeyOptionsOf(half.answer.text)));
    assert.deepEqual([heading(back.answer), namesOf(back.answer)], ['Your passkeys', ['Laptop']]);
  });

  it('with a passkey enrolled, the password alone neither removes it nor enrols an app', async () => {
    const signedIn = await signInToPasskeys(app());
    await givePasskey(app(), signedIn.user);
    for (const to of [path, '/account/second-factors', '/account/second-factors/new']) {
      const jar = new CookieJar();
      const asked = await walk(app(), jar, to);
      const next = await submit(app(), asked, { username: signedIn.user.email ?? '', password });
      assert.ok(asksForPasskey(next.answer.text), to);
      assert.notEqual(heading(next.answer), 'Your passkeys');
      const refused = await app().send('GET', to, { headers: jar.header });
      assert.equal(refused.status, 303, to);
    }
    assert.equal((await signedIn.look()).status, 303, 'nor in a session from before');
  });

  it('a passkey signs in to the account pages as well', async () => {
    const { user } = await signInToPasskeys(app());
    const { passkey } = await givePasskey(app(), user);
    const asked = await walk(app(), new CookieJar(), path);
    const back = await showPasskey(app(), asked, passkey.get(passkeyOptionsOf(asked.answer.text)));
    assert.equal(heading(back.answer), 'Your passkeys');
    assert.match((await walk(app(), back.jar, '/account')).answer.text, /1 passkey</);
    assert.doesNotMatch((await walk(app(), back.jar, '/account/second-factors')).answer.text, /Laptop/);
  });

  it('a user with a second factor must sign in with it; a user locked meanwhile sees nothing', async () => {
    const signedIn = await signInToPasskeys(app());
    const device = await giveDevice(app(), signedIn.user);
    assert.equal((await signedIn.look()).status, 303, 'the password alone does not make a passkey');
    await removeDevice(app().services, app().account, signedIn.user.id, device.id);
    assert.equal((await signedIn.look()).status, 200);
    await setUser(app().services, app().account, signedIn.user.id, { status: 'locked' });
    assert.equal((await signedIn.look()).status, 403);
  });

  it("forged forms change nothing; repeated members are 400; other users' passkeys are untouched (L2)", async () => {
    const [one, other] = [await signInToPasskeys(app()), await signInToPasskeys(app())];
    const { id } = await addOne(one);
    const device = await giveDevice(app(), other.user);
    await removeDevice(app().services, app().account, other.user.id, device.id);
    const change = `${path}/change`;
    const { fields } = readForm((await other.look()).text);
    for (const csrf of ['', 'x', fields['csrf'] ?? '']) {
      assert.equal((await one.post({ csrf, credential: '{}', name: 'Laptop' })).status, 403);
      assert.equal((await one.post({ csrf, passkey: `${id}`, change: 'remove' }, change)).status, 403);
    }
    for (const passkey of [`${id}`, '', 'x', '-1', '0']) {
      for (const pressed of ['remove', 'rename']) {
        const sent = await other.post({ passkey, name: 'Mine', change: pressed }, change);
        assert.deepEqual([sent.status, sent.headers['location']], [303, path], passkey);
      }
    }
    for (const pressed of ['', 'delete']) {
      assert.equal((await one.post({ passkey: `${id}`, change: pressed }, change)).status, 400);
    }
    const twice: [string, string][] = [
      ['csrf', 'x'],
      ['csrf', 'y'],
    ];
    for (const to of [path, change]) {
      assert.equal((await app().send('POST', to, { headers: one.jar.header, form: twice })).status, 400);
      const large = { csrf: 'x'.repeat(20_000) };
      assert.equal((await app().send('POST', to, { headers: one.jar.header, form: large })).status, 413);
    }
    assert.deepEqual(namesOf(await one.look()), ['Laptop']);
    const there = await app().another(unlimited);
    const sent = await there.send('GET', path, { headers: one.jar.header });
    assert.equal(sent.status, 303, 'a session of another account');
  });
}
