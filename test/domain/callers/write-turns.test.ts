import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiKey } from '../../../src/domain/callers/api-keys.ts';
import { storeWhileAdmitted } from '../../../src/domain/callers/still-admitted.ts';
import { digestOf } from '../../../src/domain/secrets.ts';
import type { Store } from '../../../src/store/store.ts';
import { createTestAccount, type TestServices } from '../../support/services.ts';
import { databases } from '../../support/stores.ts';
import { onServices } from '../subject.ts';

/** A store whose transactions wait until they are released, as for rows of others. */
function holding(services: TestServices) {
  const released = Promise.withResolvers<void>();
  let begun = 0;
  const store: Store = {
    ...services.store,
    transaction: async (work) => {
      begun += 1;
      await released.promise;
      return services.store.transaction(work);
    },
  };
  return { store, begun: () => begun, release: () => released.resolve() };
}

/** The store of a caller of a new account. */
async function callerOf(services: TestServices, store: Store): Promise<Store> {
  const account = await createTestAccount(services);
  const { apiKey } = await createApiKey(services, account, 'key');
  return storeWhileAdmitted({ ...services, store }, account, { keyDigest: digestOf(apiKey) });
}

/** Whatever could begin has begun. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

onServices(
  'turns of writes',
  (subject) => {
    test('transactions of one account beyond three wait without a connection; another account goes on', async () => {
      const { services } = subject;
      const { store, begun, release } = holding(services);
      const [busy, other] = [await callerOf(services, store), await callerOf(services, store)];
      const writes = Array.from({ length: 10 }, (_, at) => busy.transaction(async () => at));
      await settled();
      assert.equal(begun(), 3);
      const write = other.transaction(async () => 10);
      await settled();
      assert.equal(begun(), 4);
      release();
      assert.deepEqual(await Promise.all([...writes, write]), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      assert.equal(begun(), 11);
    });

    test('five of all accounts have one, and what waits for 30 s is refused', async (t) => {
      const { services } = subject;
      const { store, begun, release } = holding(services);
      const callers: Store[] = [];
      for (let at = 0; at < 3; at += 1) callers.push(await callerOf(services, store));
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const writes = callers.flatMap((caller) => [1, 2, 3].map(() => caller.transaction(async () => 'stored')));
      const outcomes = Promise.all(writes.map((write) => write.catch((error: { code?: string }) => error.code)));
      await settled();
      assert.equal(begun(), 5);
      t.mock.timers.tick(30_000);
      await settled();
      t.mock.timers.reset();
      release();
      const counted = (await outcomes).toSorted();
      assert.deepEqual(counted, [...Array(5).fill('stored'), ...Array(4).fill('unavailable')].toSorted());
      assert.equal(begun(), 5);
    });
  },
  databases,
);
