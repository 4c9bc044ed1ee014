import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { EventRecord } from '../../../src/store/events.ts';
import type { TestApp } from '../../support/app.ts';
import { authorizePath, CookieJar, makeUser, password, registerClient, submit, walk } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { assertTold, toldBy } from './told.ts';

const scope = ['openid', 'profile', 'email'];

/** Sign-in, lockout and consent. */
export function signInsTold(app: () => TestApp): void {
  async function settle() {
    const client = await registerClient(app());
    const user = await makeUser(app(), client.app_id);
    const begin = () => walk(app(), new CookieJar(), authorizePath(client));
    const signIn = async (username = user.email ?? '', secret = password) =>
      submit(app(), await begin(), { username, password: secret });
    return { appId: client.app_id, user, signIn };
  }

  it('a sign-in, and the consent that is given or refused', async () => {
    const { appId, user, signIn } = await settle();
    const who = `user ${user.id}` as const;
    let page = await signIn('nobody');
    const [event] = await assertTold(app(), async () => {
      page = await signIn();
    }, [['sign_in.succeeded', who, who, { app_id: appId, methods: ['pwd'] }]]);
    assert.equal(event?.outcome, 'success');
    assert.equal(event?.source, '127.0.0.1');
    assert.match(String(event?.requestId), /^[\da-f-]{36}$/);
    await assertTold(app(), () => submit(app(), page, { decision: 'allow' }), [
      ['consent.allowed', who, `app ${appId}`, { user_id: user.id, scope }],
    ]);
    const other = await settle();
    const refused = await other.signIn();
    await assertTold(app(), () => submit(app(), refused, { decision: 'deny' }), [
      ['consent.denied', `user ${other.user.id}`, `app ${other.appId}`, { user_id: other.user.id }],
    ]);
  });

  it('a failed sign-in, also for an unknown name; never the typed name', async () => {
    const { user, signIn } = await settle();
    const wrong = [['sign_in.failed', 'user', `user ${user.id}`, { reason: 'wrong_password' }]] as const;
    const [known] = await assertTold(app(), () => signIn(undefined, 'canary-password'), wrong);
    const unknown = [['sign_in.failed', 'user', 'user', { reason: 'unknown_user' }]] as const;
    const [nobody] = await assertTold(app(), () => signIn('canary-typed-name', 'canary-password'), unknown);
    // The same columns are filled, and as many rows written.
    const shape = (event: EventRecord | undefined) => Object.keys(event ?? {});
    assert.deepEqual(shape(nobody), shape(known));
    assert.equal(nobody?.outcome, 'refused');
    assert.doesNotMatch(JSON.stringify([known, nobody]), /canary/);
  });

  it('the wrong password that locks sign-in, once, and attempts while it is locked', async () => {
    const { user, signIn } = await settle();
    const target = `user ${user.id}` as const;
    const wrong = ['sign_in.failed', 'user', target, { reason: 'wrong_password' }] as const;
    await assertTold(app(), async () => {
      for (let attempt = 0; attempt < 12; attempt += 1) await signIn(undefined, 'wrong password');
    }, [
      ...Array.from({ length: 10 }, () => wrong),
      ['sign_in.closed', 'user', target, { attempts: 10 }],
      ...Array.from({ length: 2 }, () => ['sign_in.failed', 'user', target, { reason: 'closed' }] as const),
    ]);
  });

  it('of 15 simultaneous wrong passwords ten are counted and one locks sign-in', async () => {
    const { user, signIn } = await settle();
    const events = await toldBy(app(), () => Promise.all(Array.from({ length: 15 }, () => signIn(undefined, 'wrong'))));
    const count = (action: string, detail: object) =>
      events.filter((event) => event.action === action && event.detail === JSON.stringify(detail)).length;
    assert.ok(events.every(({ targetId }) => targetId === user.id));
    assert.equal(count('sign_in.failed', { reason: 'wrong_password' }), 10);
    assert.equal(count('sign_in.failed', { reason: 'closed' }), 5);
    assert.equal(count('sign_in.closed', { attempts: 10 }), 1);
    assert.equal(events.length, 16);
  });

  it('the right password of a user without access', async () => {
    const { appId, user, signIn } = await settle();
    await setUser(app().services, app().account, user.id, { status: 'suspended' });
    const who = `user ${user.id}` as const;
    const detail = { reason: 'user_suspended', app_id: appId, methods: ['pwd'] };
    await assertTold(app(), () => signIn(), [['sign_in.refused', who, who, detail]]);
  });
}
