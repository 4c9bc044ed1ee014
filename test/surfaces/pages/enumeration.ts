import assert from 'node:assert/strict';
import { it } from 'node:test';
import { comparable } from '../../support/comparable.ts';
import { makeUser, password, submit } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, openWith, settle, unlimited } from './browsing.ts';

const wrongPassword = 'wrong horse battery staple';

/** L5 at the sign-in page: nothing tells whether a name exists, or how its user stands, before the right password. */
export function enumeration(app: AppOf): void {
  it('an unknown name, a wrong password and a paused, locked, suspended or unassigned user get one answer (L5)', async () => {
    const one = await app().another(unlimited);
    const setting = await settle(one);
    // Of one length, so that the length of the page is the same too.
    const email = (name: string) => `${name.padEnd(12, 'x')}@example.com`;
    const people = {
      known: await makeUser(one, setting.client.app_id, { email: email('known') }),
      paused: await makeUser(one, setting.client.app_id, { email: email('paused') }),
      locked: await makeUser(one, setting.client.app_id, { email: email('locked') }),
      suspended: await makeUser(one, setting.client.app_id, { email: email('suspended') }),
      unassigned: await makeUser(one, undefined, { email: email('unassigned') }),
      unactivated: await makeUser(one, setting.client.app_id, { email: email('unactivated'), password: undefined }),
    };
    await setUser(one.services, one.account, people.locked.id, { status: 'locked' });
    await setUser(one.services, one.account, people.suspended.id, { status: 'suspended' });
    const guess = async (username: string, secret: string) => {
      const at = await submit(one, await setting.begin(), { username, password: secret });
      return comparable(at, username);
    };
    for (let count = 0; count < 10; count += 1) await guess(email('paused'), wrongPassword);
    const wanted = await guess(email('unknown'), wrongPassword);
    assert.equal(wanted.status, 401);
    for (const name of Object.keys(people)) {
      assert.deepEqual(await guess(email(name), wrongPassword), wanted, name);
    }
    assert.deepEqual(await guess(email('paused'), password), wanted, 'the right password during the lockout');
    assert.deepEqual(await guess(email('unactivated'), password), wanted, 'a user without a password');
    assert.deepEqual(await guess(email('unknown'), password), wanted);
  });

  it('each takes the same work: one hash, one policy lookup, one counted write, one event (L5)', async () => {
    const done = { hash: 0, policy: 0, write: 0 };
    const counted =
      <Given extends unknown[], Result>(name: keyof typeof done, work: (...given: Given) => Promise<Result>) =>
      (...given: Given) => {
        done[name] += 1;
        return work(...given);
      };
    const one = await openWith(
      app().services.store.kind,
      ({ passwords, store }) => ({
        passwords: {
          ...passwords,
          withPlace: (share, work) => passwords.withPlace(share, (verify) => work(counted('hash', verify))),
        },
        store: {
          ...store,
          policies: { ...store.policies, listFollowed: counted('policy', store.policies.listFollowed) },
          users: {
            ...store.users,
            countAttempt: counted('write', store.users.countAttempt),
            countDecoyAttempt: counted('write', store.users.countDecoyAttempt),
          },
        },
      }),
      unlimited,
    );
    try {
      const setting = await settle(one);
      for (const username of [setting.user.email ?? '', 'nobody@example.com', 'no\u200bbody', 'x'.repeat(320)]) {
        const at = await setting.begin();
        Object.assign(done, { hash: 0, policy: 0, write: 0 });
        const { lastId } = await one.services.store.events.findEnd(one.account.id);
        const { answer } = await submit(one, at, { username, password: wrongPassword });
        assert.equal(answer.status, 401);
        assert.deepEqual(done, { hash: 1, policy: 1, write: 1 }, username);
        const told = await one.services.store.events.listAfter(one.account.id, lastId, 10);
        assert.deepEqual(
          told.map(({ action }) => action),
          ['sign_in.failed'],
        );
      }
    } finally {
      await one.dispose();
    }
  });
}
