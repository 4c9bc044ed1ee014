/**
 * Registrations over the management API lock their user first: however many come at once, each sees what the others
 * did.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../../src/domain/failure.ts';
import { mostDevices } from '../../../src/domain/second-factor/devices.ts';
import { acceptEnrolment, startEnrolment } from '../../../src/domain/second-factor/enrolments.ts';
import { createUser } from '../../../src/domain/users/write-user.ts';
import type { Store } from '../../../src/store/store.ts';
import { unique } from '../../store/samples.ts';
import { gate } from '../../support/scripted-hooks.ts';
import { codeAt } from '../../support/second-factor.ts';
import { createTestAccount } from '../../support/services.ts';
import { databases } from '../../support/stores.ts';
import { onServices } from '../subject.ts';

const asked = { kind: 'totp', name: 'Phone', expiresInSeconds: 600, verified: true } as const;

onServices(
  'registrations of second factors',
  (subject) => {
    async function scene() {
      const { services } = subject;
      const account = await createTestAccount(services);
      const email = `${unique('user')}@example.com`;
      const { id } = await createUser(services, account, { email, validatePolicy: true, authority: 'all' });
      return { services, account, id };
    }

    /** The store, in which somebody else holds each user for so long. */
    function contended(store: Store, hold: () => void): Store {
      return {
        ...store,
        transaction: (work) =>
          store.transaction((tx) => {
            const lock: typeof tx.users.lock = async (...whose) => {
              hold();
              return tx.users.lock(...whose);
            };
            return work({ ...tx, users: { ...tx.users, lock } });
          }),
      };
    }

    /**
     * The store, in which a transaction that has counted devices continues once another has counted them too, or waits
     * for its turn.
     */
    function meeting(store: Store): Store {
      const other = gate();
      let counts = 0;
      let begun = 0;
      return {
        ...store,
        transaction: (work) => {
          begun += 1;
          // One transaction at a time: the second waits here.
          if (begun === 2 && store.kind === 'sqlite') other.open();
          return store.transaction((tx) => {
            const lock: typeof tx.users.lock = (...whose) => {
              const locked = tx.users.lock(...whose);
              if (begun === 2) other.open();
              return locked;
            };
            const countDevices: typeof tx.secondFactors.countDevices = async (...whose) => {
              const count = await tx.secondFactors.countDevices(...whose);
              counts += 1;
              if (counts === 2) other.open();
              await other.opened;
              return count;
            };
            const secondFactors = { ...tx.secondFactors, countDevices };
            return work({ ...tx, users: { ...tx.users, lock }, secondFactors });
          });
        },
      };
    }

    test('two simultaneous enrolments for the last place: one succeeds', async () => {
      const { services, account, id } = await scene();
      for (let made = 0; made < mostDevices - 1; made += 1) await startEnrolment(services, account, id, asked);
      const both = { ...services, store: meeting(services.store) };
      const all = await Promise.allSettled([1, 2].map(() => startEnrolment(both, account, id, asked)));
      assert.deepEqual(all.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
      assert.equal(await services.store.secondFactors.countDevices(account.id, id, services.clock.now()), mostDevices);
    });

    test('an enrolment that expired while waiting for its user is not accepted', async () => {
      const { services, account, id } = await scene();
      const { device, setup } = await startEnrolment(services, account, id, { ...asked, verified: false });
      const code = codeAt(setup.secret, services.clock.now());
      const waits = contended(services.store, () => services.clock.advance(asked.expiresInSeconds * 1000));
      await assert.rejects(
        acceptEnrolment({ ...services, store: waits }, account, id, device.enrolmentId, code),
        (error) => error instanceof Failure && error.code === 'not_found',
      );
    });
  },
  databases,
);
