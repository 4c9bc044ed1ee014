import assert from 'node:assert/strict';
import { it } from 'node:test';
import { authorizePath, CookieJar, password, submit, walk } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, codeOf, isSignIn, type Setting, settle } from './browsing.ts';

const minute = 60_000;
const hour = 60 * minute;

/** A session lasts 30 minutes unused and 12 hours in all (docs/document-gaps.md#hosted-pages). */
export function sessions(app: AppOf): void {
  async function signedIn(): Promise<{ setting: Setting; jar: CookieJar }> {
    const setting = await settle(app());
    const jar = new CookieJar();
    codeOf(await submit(app(), await setting.signIn({}, jar), { decision: 'allow' }));
    return { setting, jar };
  }

  async function isLive(setting: Setting, jar: CookieJar): Promise<boolean> {
    const at = await walk(app(), jar, authorizePath(setting.client));
    if (isSignIn(at.answer)) return false;
    codeOf(at);
    return true;
  }

  it('ends when it was not used for 30 minutes', async () => {
    using _ = app().services.clock.hold();
    const { setting, jar } = await signedIn();
    app().services.clock.advance(30 * minute - 1);
    assert.equal(await isLive(setting, jar), true);
    app().services.clock.advance(30 * minute - 1);
    assert.equal(await isLive(setting, jar), true, 'each use counts');
    app().services.clock.advance(30 * minute);
    assert.equal(await isLive(setting, jar), false);
    assert.equal(await isLive(setting, jar), false, 'asking does not bring it back');
  });

  it('ends after 12 hours however often it is used', async () => {
    const { setting, jar } = await signedIn();
    for (let passed = 28 * minute; passed < 12 * hour; passed += 28 * minute) {
      app().services.clock.advance(28 * minute);
      assert.equal(await isLive(setting, jar), true, `after ${passed / minute} minutes`);
    }
    app().services.clock.advance(28 * minute);
    assert.equal(await isLive(setting, jar), false);
  });

  it('ends with a new password, in every browser', async () => {
    const { setting, jar } = await signedIn();
    const elsewhere = new CookieJar();
    codeOf(await setting.signIn({}, elsewhere));
    await setUser(app().services, app().account, setting.user.id, { password: `${password}!` });
    assert.equal(await isLive(setting, jar), false);
    assert.equal(await isLive(setting, elsewhere), false);
  });

  it('belongs to one browser: another is not signed in, and a sign-in elsewhere does not affect it', async () => {
    const { setting, jar } = await signedIn();
    const elsewhere = new CookieJar();
    assert.equal(await isLive(setting, elsewhere), false);
    codeOf(await setting.signIn({}, elsewhere));
    assert.equal(await isLive(setting, jar), true);
    assert.notEqual(jar.cookies.get('__Host-sid'), elsewhere.cookies.get('__Host-sid'));
  });

  it('is kept as a digest only', async () => {
    const { jar } = await signedIn();
    const { dump } = await import('../../support/rows.ts');
    const stored = await dump(app().url);
    for (const secret of jar.cookies.values()) assert.ok(!stored.includes(secret));
  });
}
