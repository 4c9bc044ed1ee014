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
    /** How many transactions of one account, and of all, have a turn. */
    const atOnce = () => (subject.services.store.kind === 'sqlite' ? { ofOne: 1, ofAll: 1 } : { ofOne: 3, ofAll: 5 });

    test('transactions of one account beyond its turns wait without a connection; another account goes on', async () => {
      const { services } = subject;
      const { ofOne, ofAll } = atOnce();
      const { store, begun, release } = holding(services);
      const [busy, other] = [await callerOf(services, store), await callerOf(services, store)];
      const writes = Array.from({ length: 10 }, (_, at) => busy.transaction(async () => at));
      await settled();
      assert.equal(begun(), ofOne);
      const write = other.transaction(async () => 10);
      await settled();
      assert.equal(begun(), Math.min(ofOne + 1, ofAll));
      release();
      assert.deepEqual(await Promise.all([...writes, write]), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      assert.equal(begun(), 11);
    });

    test('accounts together have as many as leave connections to others, and what waits for 30 s is refused', async (t) => {
      const { services } = subject;
      const { ofAll } = atOnce();
      const { store, begun, release } = holding(services);
      const callers: Store[] = [];
      for (let at = 0; at < 3; at += 1) callers.push(await callerOf(services, store));
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const writes = callers.flatMap((caller) => [1, 2, 3].map(() => caller.transaction(async () => 'stored')));
      const outcomes = Promise.all(writes.map((write) => write.catch((error: { code?: string }) => error.code)));
      await settled();
      assert.equal(begun(), ofAll);
      t.mock.timers.tick(30_000);
      await settled();
      t.mock.timers.reset();
      release();
      const counted = (await outcomes).toSorted();
      assert.deepEqual(counted, [...Array(ofAll).fill('stored'), ...Array(9 - ofAll).fill('unavailable')].toSorted());
      assert.equal(begun(), ofAll);
    });

    test('on SQLite a long transaction is followed by a rest while others use the connection', async (t) => {
      const { services } = subject;
      if (services.store.kind === 'postgres') return;
      let used = 1;
      const order: string[] = [];
      const busy: Store = {
        ...services.store,
        connections: () => [{ pool: 'main', used, free: 0, waiting: 0 }],
        transaction: async (work) => {
          order.push('begun');
          return services.store.transaction(work);
        },
      };
      const caller = await callerOf(services, busy);
      // On the clock of the machine a busy one might take longer to look than the rest lasts.
      let time = 0;
      t.mock.method(performance, 'now', () => time);
      const write = async (name: string) => {
        const work = async () => {
          time += 100;
          return name;
        };
        order.push(await caller.transaction(work));
      };
      const both = Promise.all([write('first'), write('second')]);
      while (!order.includes('first')) await settled();
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.deepEqual(order, ['begun', 'first'], 'it is answered, and the next one waits');
      used = 0;
      await both;
      assert.deepEqual(order, ['begun', 'first', 'begun', 'second']);
      used = 1;
      const others = Promise.all([write('third'), write('fourth')]);
      for (let isOver = false; !isOver; time += 100) {
        isOver = await Promise.race([others.then(() => true), settled().then(() => false)]);
      }
      assert.deepEqual(order.slice(4), ['begun', 'third', 'begun', 'fourth'], 'it ends, however busy others are');
    });

    test('on SQLite the next transaction begins when nothing is left of the former but its commit', async () => {
      const { services } = subject;
      if (services.store.kind === 'postgres') return;
      const order: string[] = [];
      let committing = Promise.resolve();
      const store: Store = {
        ...services.store,
        transaction: async (work) => {
          order.push('begun');
          const result = await services.store.transaction(work);
          // Its commit takes longer.
          await committing;
          return result;
        },
      };
      const caller = await callerOf(services, store);
      const { promise, resolve } = Promise.withResolvers<void>();
      committing = promise;
      const write = async (name: string) => order.push(await caller.transaction(async () => name));
      const both = Promise.all([write('first'), write('second')]);
      while (order.length < 2) await settled();
      assert.deepEqual(order, ['begun', 'begun']);
      resolve();
      await both;
      assert.deepEqual(order.slice(2).toSorted(), ['first', 'second']);
      // One that fails has a turn that ends, too.
      await assert.rejects(
        caller.transaction(() => Promise.reject(new Error('nothing stored'))),
        /nothing stored/,
      );
      assert.equal(await caller.transaction(async () => 'third'), 'third');
    });
  },
  databases,
);
