import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import { gatherWrites } from '../../src/domain/gathered-writes.ts';
import { meterStore } from '../../src/metrics/metered-store.ts';
import { createMetrics } from '../../src/metrics/registry.ts';
import { newCast, newGrant, present } from '../store/samples.ts';
import { onEachDatabase } from '../store/suite.ts';
import { addedBy, samplesOf } from './samples.ts';

/** Of an event of a user whom nobody knows. */
const rest = {
  actorType: 'user',
  actorId: null,
  targetType: 'user',
  targetId: null,
  source: null,
  requestId: null,
};

onEachDatabase('a measured store', (subject) => {
  test('measures a batch once, with the number of its requests and the outcome of each', async () => {
    const metrics = createMetrics();
    const { grants } = gatherWrites(meterStore(subject.store, metrics));
    const cast = await newCast(subject.store);
    const [one, other] = [await newGrant(subject.store, cast), await newGrant(subject.store, cast)];
    const used = async () => {
      await Promise.all([grants.consume(present(one)), grants.consume(present(other))]);
      await grants.consume({ ...present(one), grantId: 999_999_999 });
    };
    const added = await addedBy(metrics, 'gatehouse_', used);
    assert.deepEqual(added, {
      'refreshes_total{outcome="rotated"}': 2,
      'refreshes_total{outcome="unknown"}': 1,
      'database_batch_items_count{batch="refresh"}': 2,
      'database_batch_seconds_count{batch="refresh"}': 2,
    });
    const samples = await samplesOf(metrics);
    assert.equal(samples.get('gatehouse_database_batch_items_sum{batch="refresh"}'), 3);
  });

  test('a batch that the store cannot judge is as many refreshes', async () => {
    const metrics = createMetrics();
    const consumeAll = async () => {
      throw new Failure('unavailable');
    };
    const { store } = subject;
    const broken = meterStore({ ...store, grants: { ...store.grants, consumeAll } }, metrics);
    const grant = await newGrant(store, await newCast(store));
    const added = await addedBy(metrics, 'gatehouse_refreshes', () =>
      assert.rejects(broken.grants.consumeAll([present(grant), present(grant), present(grant)])),
    );
    assert.deepEqual(added, { '_total{outcome="unavailable"}': 3 });
  });

  test('a sign-in counts when its transaction commits, once, and not when it fails', async () => {
    const metrics = createMetrics();
    const store = meterStore(subject.store, metrics);
    const { accountId } = await newCast(subject.store);
    const event = { accountId, at: 1, action: 'sign_in.failed', outcome: 'refused' } as const;
    const failed = { ...event, ...rest, detail: '{"reason":"wrong_password"}', seal: () => 'hash' };
    const name = 'gatehouse_sign_ins_total';
    const told = '{outcome="wrong_password",method="password"}';
    const alone = await addedBy(metrics, name, () => store.events.append(failed));
    assert.deepEqual(alone, { [told]: 1 });
    const during = await addedBy(metrics, name, () =>
      store.transaction(async (tx) => {
        assert.deepEqual(await addedBy(metrics, name, () => tx.events.append(failed)), {});
      }),
    );
    assert.deepEqual(during, { [told]: 1 });
    const undone = await addedBy(metrics, name, () =>
      assert.rejects(
        store.transaction(async (tx) => {
          await tx.events.append(failed);
          throw new Failure('conflict');
        }),
      ),
    );
    assert.deepEqual(undone, {});
  });

  test('of a transaction that is tried again, the last attempt counts', async () => {
    const metrics = createMetrics();
    const { store } = subject;
    const { accountId } = await newCast(store);
    const twice: typeof store.transaction = (work) =>
      store.transaction(async (tx) => {
        await work(tx);
        return work(tx);
      });
    const metered = meterStore({ ...store, transaction: twice }, metrics);
    const refused = {
      accountId,
      at: 1,
      action: 'sign_in.refused',
      outcome: 'refused',
      detail: '{"methods":["pwd"]}',
    } as const;
    const added = await addedBy(metrics, 'gatehouse_sign_ins_total', () =>
      metered.transaction((tx) => tx.events.append({ ...refused, ...rest, seal: () => 'hash' })),
    );
    assert.deepEqual(added, { '{outcome="refused",method="password"}': 1 });
  });

  test('the connections are those of the moment', async () => {
    const metrics = createMetrics();
    const store = meterStore(subject.store, metrics);
    const used = async () =>
      (await samplesOf(metrics)).get('gatehouse_database_connections{pool="main",state="used"}') ?? Number.NaN;
    assert.equal(await used(), 0);
    await store.transaction(async () => assert.equal(await used(), 1));
    assert.equal(await used(), 0);
  });

  test('messages are counted by queue, with the time at which the first is due', async () => {
    const { store } = subject;
    const { accountId } = await newCast(store);
    const queued = async () => (await store.findWaitingMessages()).find(({ queue }) => queue === 'reset_link');
    assert.deepEqual(await queued(), { queue: 'reset_link', count: 0, dueAt: null });
    const request = {
      accountId,
      sealedName: 'x',
      source: null,
      requestId: null,
      attempts: 0,
      createdAt: 1,
    };
    await store.resetRequests.add({ ...request, dueAt: 700 });
    await store.resetRequests.add({ ...request, dueAt: 300 });
    assert.deepEqual(await queued(), { queue: 'reset_link', count: 2, dueAt: 300 });
    assert.deepEqual(
      (await store.findWaitingMessages()).map(({ queue, count }) => [queue, count]),
      [
        ['change_notice', 0],
        ['reset_link', 2],
        ['logout_notice', 0],
      ],
    );
  });
});
