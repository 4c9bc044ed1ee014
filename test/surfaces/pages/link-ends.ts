import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { checkPassword } from '../../../src/domain/login/check-password.ts';
import { importDigest } from '../../../src/domain/users/imported-passwords.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import { chosen, goodPassword, newInvite } from '../../support/invites.ts';
import { newLink } from '../../support/resets.ts';
import { runsOf, sampled } from '../../support/sample.ts';
import { CookieJar, makeUser, password, submit, walk } from '../../support/sign-in.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { setUser } from '../../support/users.ts';
import { managing } from '../api-2/managing.ts';
import { type AppOf, heading, openWith, unlimited } from './browsing.ts';

const other = 'four grey geese on ice';

/** A link ends with what it was made for: e-mail address, user name, password and status of its user. */
export function linkEnds(app: AppOf): void {
  const kinds = { invite: newInvite, reset: newLink } as const;
  const shown = async (link: string) => heading((await walk(app(), new CookieJar(), link)).answer);
  const set = (user: UserRecord, changes: Parameters<typeof setUser>[3]) =>
    setUser(app().services, app().account, user.id, changes);
  const put = async ({ id }: UserRecord, members: object) =>
    (await managing(app())).done(200, 'PUT', `/users/${id}`, members);

  async function changeOwn({ email }: UserRecord): Promise<void> {
    const first = await walk(app(), new CookieJar(), '/account/password');
    const at = await submit(app(), first, { username: email ?? '', password });
    const typed = { current_password: password, new_password: other, new_password_confirmation: other };
    const { answer } = await submit(app(), at, { ...typed, end_others: 'on' });
    assert.equal(heading(answer), 'Your account');
  }

  const changes: Readonly<Record<string, (user: UserRecord) => Promise<unknown>>> = {
    'another e-mail address, on the command line': (user) => set(user, { email: `${unique('new')}@example.com` }),
    'another e-mail address, by the API': (user) => put(user, { email: `${unique('new')}@example.com` }),
    'a removed e-mail address': (user) => put(user, { email: null, username: unique('named') }),
    'another user name': (user) => put(user, { username: unique('named') }),
    'a password, on the command line': (user) => set(user, { password: other }),
    'a password, by the API': (user) => put(user, { password: other }),
    'an imported password': (user) =>
      put(user, { password: 'a'.repeat(64), password_algorithm: 'salt+sha256', salt: '' }),
    'a password, by its owner': changeOwn,
    'a password, by the other link': async (user) => {
      const at = await walk(app(), new CookieJar(), await newLink(app(), user.email));
      assert.equal((await submit(app(), at, chosen)).answer.status, 200);
    },
    locking: (user) => put(user, { status: 3 }),
    'locking and unlocking': async (user) => {
      await put(user, { status: 3 });
      await (await managing(app())).done(200, 'POST', `/users/${user.id}/unlock`);
    },
    'suspending and what ends it': async (user) => {
      await set(user, { status: 'suspended' });
      await set(user, { status: 'active' });
    },
    'status 4': (user) => put(user, { status: 4 }),
  };

  for (const [at, [kind, make]] of Object.entries(kinds).entries()) {
    // Each change with one kind of link by turns, and with both in a drill: one rule ends both.
    for (const [what, change] of sampled(Object.entries(changes), 2, at)) {
      it(`${kind}: ended by ${what}`, async () => {
        const user = await makeUser(app());
        const link = await make(app(), user.email);
        const at = await walk(app(), new CookieJar(), link);
        assert.equal(at.answer.status, 200);
        await change(user);
        const before = await app().services.store.users.find(app().account.id, user.id);
        const { answer } = await submit(app(), at, chosen);
        assert.deepEqual([answer.status, heading(answer)], [410, 'This link does not work']);
        assert.equal(await shown(link), 'This link does not work');
        assert.deepEqual(await app().services.store.users.find(app().account.id, user.id), before);
      });
    }

    it(`${kind}: outlives changes to other members, wrong passwords, and a renewed digest`, async () => {
      const user = await makeUser(app());
      const { services, account } = app();
      // The password is the one of the digest: SHA-256 of "abc".
      const digest = importDigest(
        'salt+sha256',
        '',
        'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      );
      await services.store.users.update(account.id, user.id, { passwordDigest: digest });
      const link = await make(app(), user.email);
      await put(user, { firstname: 'Grace', title: 'Admiral', email: user.email, username: null, status: 1 });
      const attempt = { username: user.email ?? '', source: '127.0.0.1' };
      for (let tries = 0; tries < 11; tries += 1) {
        assert.equal(await checkPassword(services, account, { ...attempt, password: 'wrong' }), null);
      }
      await (await managing(app())).done(200, 'POST', `/users/${user.id}/unlock`);
      assert.equal((await checkPassword(services, account, { ...attempt, password: 'abc' }))?.id, user.id);
      const stored = await services.store.users.find(account.id, user.id);
      assert.match(stored?.passwordDigest ?? '', /^p1:/);
      const at = await walk(app(), new CookieJar(), link);
      assert.equal((await submit(app(), at, chosen)).answer.status, 200);
    });
  }

  it('of two requested links the older one stays valid; using one ends the other', async () => {
    const user = await makeUser(app());
    const older = await newLink(app(), user.email);
    app().services.clock.advance(1000);
    const newer = await newLink(app(), user.email);
    assert.notEqual(older, newer);
    assert.equal(await shown(newer), 'Choose a new password');
    const at = await walk(app(), new CookieJar(), older);
    assert.equal((await submit(app(), at, chosen)).answer.status, 200);
    assert.equal(await shown(older), 'This link has been used');
    assert.equal(await shown(newer), 'This link does not work');
  });
}

/** What changes while the new password is hashed: between the look at the link and its use. */
export function linkRaces(databaseKind: DatabaseKind): void {
  let app: TestApp;
  let meanwhile: (() => Promise<unknown>) | null = null;
  before(async () => {
    app = await openWith(
      databaseKind,
      ({ passwords }) => ({
        passwords: {
          ...passwords,
          digest: async (typed, share) => {
            const digest = await passwords.digest(typed, share);
            const change = typed === goodPassword ? meanwhile : null;
            meanwhile = null;
            await change?.();
            return digest;
          },
        },
      }),
      unlimited,
    );
  });
  after(() => app.dispose());

  for (const [kind, make] of Object.entries({ invite: newInvite, reset: newLink })) {
    it(`${kind}: a simultaneous change of password, address or status takes precedence`, async () => {
      for (const changes of [
        { password: other },
        { email: `${unique('new')}@example.com` },
        { status: 'suspended' },
      ] as const) {
        const user = await makeUser(app);
        const at = await walk(app, new CookieJar(), await make(app, user.email));
        meanwhile = () => setUser(app.services, app.account, user.id, changes);
        const { answer } = await submit(app, at, chosen);
        assert.equal(answer.status, 410, JSON.stringify(changes));
        const attempt = { username: user.username ?? user.email ?? '', password: goodPassword, source: '127.0.0.1' };
        assert.equal(await checkPassword(app.services, app.account, attempt), null);
      }
    });
  }

  const rounds = runsOf(50);
  it(`a link and an administrator simultaneously, ${rounds} times: never both, and the link is never last`, async () => {
    const { services, account } = app;
    for (let round = 0; round < rounds; round += 1) {
      const user = await makeUser(app);
      const at = await walk(app, new CookieJar(), await newLink(app, user.email));
      const [{ answer }] = await Promise.all([
        submit(app, at, chosen),
        setUser(services, account, user.id, { password: other }),
      ]);
      assert.ok([200, 410].includes(answer.status), answer.text.slice(0, 200));
      const attempt = { username: user.email ?? '', password: other, source: '127.0.0.1' };
      assert.equal((await checkPassword(services, account, attempt))?.id, user.id, 'the password of the administrator');
    }
  });
}
