/**
 * A change that waits for a user is newer than all that opened meanwhile: it has the time at which the user is locked.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createApp } from '../../../src/app.ts';
import { changePassword } from '../../../src/domain/own-account/change-password.ts';
import { updateUser } from '../../../src/domain/users/write-user.ts';
import type { Store } from '../../../src/store/store.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { openTestApp, seenFrom, type TestApp } from '../../support/app.ts';
import { chosen, newInvite } from '../../support/invites.ts';
import { sampledDatabases } from '../../support/sample.ts';
import type { TestClock } from '../../support/services.ts';
import { CookieJar, makeUser, password, registerClient, submit, walk } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { ownVisit } from '../../support/visits.ts';
import { heading } from '../../surfaces/pages/browsing.ts';

const another = 'nine green geese at noon';
const minute = 60_000;

/** The store, in which somebody else holds each user for a minute; `locks` takes the times at which they are locked. */
function contended(store: Store, clock: TestClock, locks: number[]): Store {
  return {
    ...store,
    transaction: (work) =>
      store.transaction((tx) => {
        const lock: typeof tx.users.lock = async (...whose) => {
          clock.advance(minute);
          const user = await tx.users.lock(...whose);
          locks.push(clock.now());
          return user;
        };
        return work({ ...tx, users: { ...tx.users, lock } });
      }),
  };
}

for (const kind of sampledDatabases) {
  describe(`a change that waits for its user, on ${kind}`, () => {
    const locks: number[] = [];
    /** The same application, of which `slow` waits for users. */
    let app: TestApp;
    let slow: TestApp;
    before(async () => {
      app = await openTestApp(kind);
      const services = { ...app.services, store: contended(app.services.store, app.services.clock, locks) };
      slow = seenFrom(app.account, createApp(services), services, app);
    });
    after(() => slow.dispose());

    const setPassword: Readonly<Record<string, (user: UserRecord) => Promise<unknown>>> = {
      'an administrator': ({ id }) => setUser(slow.services, slow.account, id, { password: another }),
      'the management API': ({ id }) => {
        const given = { password: another, validatePolicy: false, authority: 'all' } as const;
        return updateUser(slow.services, slow.account, id, given);
      },
      'its owner': async (user) => {
        const visit = await ownVisit(app, user);
        const given = { current: password, password: another, confirmation: another };
        const form = { ...given, endOthers: false, source: '192.0.2.1' };
        assert.equal((await changePassword(slow.services, slow.account, visit, form)).outcome, 'changed');
      },
      'a link': async ({ email }) => {
        const at = await walk(slow, new CookieJar(), await newInvite(app, email));
        assert.equal(heading((await submit(slow, at, chosen)).answer), 'You are signed in');
      },
    };
    const suspend: typeof setPassword = {
      'an administrator': ({ id }) => setUser(slow.services, slow.account, id, { status: 'suspended' }),
      'the management API': ({ id }) =>
        updateUser(slow.services, slow.account, id, { status: 2, validatePolicy: false, authority: 'all' }),
    };

    /** When the user was locked, and the user afterwards. */
    async function changed(change: (user: UserRecord) => Promise<unknown>) {
      const { id } = await makeUser(app, (await registerClient(app)).app_id);
      const user = await app.services.store.users.find(app.account.id, id);
      assert.ok(user);
      locks.length = 0;
      await change(user);
      const [lockedAt = Number.POSITIVE_INFINITY] = locks;
      return { lockedAt, after: await app.services.store.users.find(app.account.id, id) };
    }

    for (const [who, change] of Object.entries(setPassword)) {
      it(`another password by ${who}`, async () => {
        const { lockedAt, after } = await changed(change);
        assert.ok((after?.passwordChangedAt ?? 0) >= lockedAt);
      });
    }

    for (const [who, change] of Object.entries(suspend)) {
      it(`a suspension by ${who}`, async () => {
        const { lockedAt, after } = await changed(change);
        assert.ok((after?.signedOutAt ?? 0) >= lockedAt);
      });
    }
  });
}
