import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createApiKey } from '../../../src/domain/callers/api-keys.ts';
import { assertTold } from '../../domain/audit/told.ts';
import { unique } from '../../store/samples.ts';
import { basic, type TestApp } from '../../support/app.ts';
import { givePasskey } from '../../support/passkeys.ts';
import { askForLink, mailsTo, newLink, titlesTo } from '../../support/resets.ts';
import { giveDevice } from '../../support/second-factor.ts';
import { CookieJar, makeUser, walk } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { assertRefused, managing, newUser } from './managing.ts';

const day = 24 * 3_600_000;
const needsAll = /^One of these scopes is required: manage_all$/;

/** Callers that manage users but set no passwords cannot take accounts over (docs/document-gaps.md#management). */
export function userManagers(app: () => TestApp): void {
  const manager = () => managing(app(), 'manage_users');
  const address = () => `${unique('held')}@example.com`;
  const status = async (link: string) => (await walk(app(), new CookieJar(), link)).answer.status;

  async function linksTo(email: string): Promise<number> {
    await askForLink(app(), email);
    return (await mailsTo(app(), email)).filter(({ text }) => text.includes('/password/reset')).length;
  }

  it('an address set by manage_users gets no reset link for 24 hours; the former address is notified', async () => {
    using _ = app().services.clock.hold();
    const user = await makeUser(app());
    const before = await newLink(app(), user.email);
    const next = address();
    await (await manager()).done(200, 'PUT', `/users/${user.id}`, { email: next });
    assert.equal((await titlesTo(app(), user.email)).at(-1), 'Your e-mail address was changed');
    assert.equal(await status(before), 410, 'links sent to the former address end');
    await assertTold(app(), async () => {
      assert.equal(await linksTo(next), 0);
    }, [['password_reset.refused', 'user', `user ${user.id}`, { reason: 'held' }]]);
    app().services.clock.advance(day - 1);
    assert.equal(await linksTo(next), 0);
    assert.equal(await linksTo(user.email ?? ''), 1, 'the former address is unknown: no second link');
    app().services.clock.advance(1);
    assert.equal(await linksTo(next), 1);
  });

  it('also by the user name; the answer is the same as for any other name', async () => {
    const username = unique('taken');
    const user = await makeUser(app(), undefined, { username });
    await (await manager()).done(200, 'PUT', `/users/${user.id}`, { email: address() });
    const before = app().services.mails.filter(({ text }) => text.includes('/password/reset')).length;
    const { answer } = await askForLink(app(), username);
    const nobody = await askForLink(app(), unique('nobody'));
    assert.deepEqual([answer.status, answer.text], [nobody.answer.status, nobody.answer.text]);
    await app().services.resetMails.run();
    assert.equal(app().services.mails.filter(({ text }) => text.includes('/password/reset')).length, before);
  });

  it("also held: a change and its reversal, a first address, and a new user's address", async () => {
    const api = await manager();
    const user = await makeUser(app());
    await api.done(200, 'PUT', `/users/${user.id}`, { email: address() });
    await api.done(200, 'PUT', `/users/${user.id}`, { email: user.email });
    assert.equal(await linksTo(user.email ?? ''), 0);
    const bare = await makeUser(app(), undefined, { email: undefined, username: unique('bare') });
    const [given, made] = [address(), address()];
    await api.done(200, 'PUT', `/users/${bare.id}`, { email: given });
    assert.equal(await linksTo(given), 0);
    await newUser(api, { email: made, status: 1 });
    assert.equal(await linksTo(made), 0);
  });

  it('changes of users at addresses that asked for nothing send one message an hour to each', async () => {
    using _ = app().services.clock.hold();
    const api = await manager();
    const strangers = [address(), address()];
    for (const email of strangers) {
      const { id } = await newUser(api, { email, status: 1 });
      for (let times = 0; times < 9; times += 1) {
        await api.done(200, 'PUT', `/users/${id}`, { username: unique('again'), email_verified: true });
        await app().services.changeNotices.run();
      }
    }
    const title = 'Your user name was changed';
    for (const email of strangers) assert.deepEqual(await titlesTo(app(), email), [title]);
    app().services.clock.advance(3_600_000);
    for (const email of strangers) assert.deepEqual(await titlesTo(app(), email), [title, title]);
  });

  it('sending the same address again neither starts nor extends a hold', async () => {
    const api = await manager();
    const user = await makeUser(app());
    await api.done(200, 'PUT', `/users/${user.id}`, { email: user.email, firstname: 'Grace' });
    assert.equal(await linksTo(user.email ?? ''), 1);
    const next = address();
    await api.done(200, 'PUT', `/users/${user.id}`, { email: next });
    app().services.clock.advance(day - 1);
    await (await manager()).done(200, 'PUT', `/users/${user.id}`, { email: next });
    app().services.clock.advance(1);
    assert.equal(await linksTo(next), 1);
  });

  it('manage_all, API keys and the command line may set passwords, so their addresses are not held', async () => {
    const all = await managing(app());
    const { apiKey } = await createApiKey(app().services, app().account, 'old program');
    const writers: ((id: number, email: string) => Promise<unknown>)[] = [
      (id, email) => all.done(200, 'PUT', `/users/${id}`, { email }),
      (id, email) => setUser(app().services, app().account, id, { email }),
      (id, email) =>
        app().send('PUT', `/users/${id}.xml`, {
          headers: { ...basic(apiKey, 'x'), 'content-type': 'application/xml' },
          raw: `<user><email>${email}</email></user>`,
        }),
    ];
    for (const write of writers) {
      const user = await makeUser(app());
      const next = address();
      await (await manager()).done(200, 'PUT', `/users/${user.id}`, { email: next });
      assert.equal(await linksTo(next), 0);
      await write(user.id, next);
      assert.equal(await linksTo(next), 0, 'sending a held address back with the whole record does not release it');
      const another = address();
      await write(user.id, another);
      assert.equal(await linksTo(another), 1);
    }
  });

  it('policy_id, and leaving status 2 or 3, of a user with a second factor: 403 without manage_all', async () => {
    const [all, api] = [await managing(app()), await manager()];
    const loose = await all.done(201, 'POST', '/policies', { name: unique('Loose') });
    for (const give of [giveDevice, givePasskey] as const) {
      const user = await makeUser(app());
      const path = `/users/${user.id}`;
      const refused = async (members: object) => assertRefused(await api.call('PUT', path, members), 403, needsAll);
      await api.done(200, 'PUT', path, { policy_id: loose.id });
      await give(app(), user);
      await api.done(200, 'PUT', path, { policy_id: loose.id, status: 1, title: 'repeated' });
      await refused({ policy_id: null });
      await refused({ policy_id: 0, title: 'x' });
      for (const status of [2, 3]) {
        await api.done(200, 'PUT', path, { status });
        for (const next of [1, 0, 5 - status]) await refused({ status: next });
        await api.done(200, 'PUT', path, { status, title: `${status}` });
        if (status === 3) assertRefused(await api.call('POST', `${path}/unlock`), 403, needsAll);
        await all.done(200, 'PUT', path, { status: 1, policy_id: loose.id });
      }
      assert.equal((await api.done(200, 'GET', path)).title, '3');
    }
  });

  it('allowed for a user without one; only manage_all may reset wrong codes', async () => {
    const [all, api] = [await managing(app()), await manager()];
    const { store } = app().services;
    const user = await makeUser(app());
    const path = `/users/${user.id}`;
    for (const status of [2, 1, 3]) await api.done(200, 'PUT', path, { status });
    await api.done(200, 'POST', `${path}/unlock`);
    await giveDevice(app(), user);
    const attempt = { accountId: app().account.id, userId: user.id, now: app().services.clock.now(), maximum: 3 };
    const count = () => store.secondFactors.countAttempt({ ...attempt, lockedUntil: attempt.now + day });
    assert.deepEqual([await count(), await count()], ['counted', 'counted']);
    await api.done(200, 'POST', `${path}/unlock`);
    assert.deepEqual([await count(), await count()], ['last', null], 'otherwise codes could be guessed without limit');
    await all.done(200, 'POST', `${path}/unlock`);
    assert.equal(await count(), 'counted');
  });
}
