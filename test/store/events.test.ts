import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import type { EventRecord, NewEvent } from '../../src/store/events.ts';
import type { Store } from '../../src/store/store.ts';
import { execute } from '../support/rows.ts';
import { openPatientStore } from '../support/stores.ts';
import { failureOf, newAccount, newCast, newEvent, newGrant, now, present } from './samples.ts';
import { onEachDatabase } from './suite.ts';

async function all(store: Store, accountId: number): Promise<EventRecord[]> {
  return store.events.listAfter(accountId, 0, 10_000);
}

/** Asserts that the events are numbered without a gap and each was sealed behind the one before. */
async function assertChained(store: Store, accountId: number): Promise<EventRecord[]> {
  const events = await all(store, accountId);
  let previous = '';
  for (const [index, { id, hash, ...event }] of events.entries()) {
    assert.equal(id, index + 1);
    assert.equal(hash, newEvent(accountId, event).seal(id, previous));
    previous = hash;
  }
  const last = { lastId: events.length, lastHash: previous, greatestId: events.length };
  assert.deepEqual(await store.events.findEnd(accountId), last);
  return events;
}

onEachDatabase('events', (subject) => {
  test('an event is read back as it was appended, in order', async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const none = { lastId: 0, lastHash: '', greatestId: 0 };
    assert.deepEqual(await store.events.findEnd(accountId), none);
    const given: Partial<NewEvent> = {
      actorType: 'user',
      actorId: 7,
      targetId: null,
      source: '2001:db8::1',
      requestId: 'r-1',
      detail: '{"reason":"“é”"}',
    };
    await store.events.append(newEvent(accountId, given));
    await store.events.append(newEvent(accountId));
    const [first, second] = await assertChained(store, accountId);
    const { seal: _, ...expected } = newEvent(accountId, given);
    assert.deepEqual(first, { ...expected, id: 1, hash: first?.hash });
    assert.deepEqual(await store.events.listBefore(accountId, null, 10), [second, first]);
    assert.deepEqual(await store.events.listBefore(accountId, 2, 10), [first]);
    assert.deepEqual(await store.events.listAfter(accountId, 1, 10), [second]);
    assert.deepEqual((await store.events.listBefore(accountId, null, 1)).length, 1);
  });

  test('events of a transaction are stored with it, in order, or not at all', async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    await store.transaction(async (tx) => {
      await tx.events.append(newEvent(accountId, { action: 'user.created' }));
      await tx.roles.create({ accountId, name: 'staff', createdAt: now });
      await tx.events.append(newEvent(accountId, { action: 'user.changed' }));
    });
    const failing = store.transaction(async (tx) => {
      await tx.events.append(newEvent(accountId, { action: 'user.removed' }));
      await tx.roles.create({ accountId, name: 'nobody', createdAt: now });
      throw new Failure('value_invalid');
    });
    assert.equal(await failureOf(failing), 'value_invalid');
    const actions = (await assertChained(store, accountId)).map(({ action }) => action);
    assert.deepEqual(actions, ['user.created', 'user.changed']);
  });

  test('an event without an account rolls back its change', async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const failing = store.transaction(async (tx) => {
      await tx.roles.create({ accountId, name: 'staff', createdAt: now });
      await tx.events.append(newEvent(2 ** 40));
    });
    assert.equal(await failureOf(failing), 'not_found');
    assert.equal(await store.roles.findByName(accountId, 'staff'), null);
  });

  test('20 simultaneous writers, of two accounts and in transactions, make two complete chains', async () => {
    const { store } = subject;
    const accounts = [(await newAccount(store)).id, (await newAccount(store)).id];
    const write = async (writer: number) => {
      for (let round = 0; round < 5; round += 1) {
        await store.transaction(async (tx) => {
          // Told in different orders: the ends of the chains are locked in one.
          for (const accountId of writer % 2 === 0 ? accounts : [...accounts].reverse()) {
            await tx.events.append(newEvent(accountId, { actorId: writer }));
          }
        });
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, writer) => write(writer)));
    for (const accountId of accounts) assert.equal((await assertChained(store, accountId)).length, 100);
  });

  test('two processes and this one make one complete chain', async () => {
    const { store, url } = subject;
    const { id: accountId } = await newAccount(store);
    const script = new URL('append-process.ts', import.meta.url);
    const children = [1, 2].map(() => fork(script, [url, String(accountId), '40']));
    const ended = Promise.all(children.map((child) => once(child, 'exit')));
    for (let left = 40; left > 0; left -= 1) await store.events.append(newEvent(accountId));
    assert.deepEqual(
      (await ended).map(([code]) => code),
      [0, 0],
    );
    assert.equal((await assertChained(store, accountId)).length, 120);
  });

  test('the database refuses to change or delete an event', async () => {
    const { store, url } = subject;
    const { id: accountId } = await newAccount(store);
    await store.events.append(newEvent(accountId));
    for (const statement of ["update events set action = 'other'", 'delete from events']) {
      await assert.rejects(execute(url, `${statement} where account_id = ${accountId}`), /append-only/);
    }
    if (store.kind === 'postgres') await assert.rejects(execute(url, 'truncate events'), /append-only/);
    await assertChained(store, accountId);
  });

  test('of a batch of refresh tokens all but rotations are recorded, in the same commit', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const { accountId } = cast;
    const grant = await newGrant(store, cast);
    const revoked = await newGrant(store, cast, { revokedAt: now, revokedBecause: 'x' });
    await store.grants.consumeAll([present(await newGrant(store, cast))]);
    assert.deepEqual(await all(store, accountId), []);
    const old = { presentedDigest: 'old' };
    await store.grants.consumeAll([present(grant), present(grant), present(revoked), present(grant, old)]);
    const told = (await assertChained(store, accountId)).map(({ action, targetId }) => [action, targetId]);
    assert.deepEqual(told, [
      ['refresh.repeated', grant.id],
      ['refresh.refused', revoked.id],
      ['refresh.reused', grant.id],
    ]);
    assert.notEqual((await store.grants.find(accountId, grant.id))?.revokedAt, null);
  });

  test('a family is revoked only if its event is written', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const grant = await newGrant(store, cast);
    const eventOf = () => newEvent(2 ** 40);
    const reuse = store.grants.consumeAll([present(grant, { presentedDigest: 'old', eventOf })]);
    assert.equal(await failureOf(reuse), 'not_found');
    assert.deepEqual(await store.grants.find(cast.accountId, grant.id), grant);
  });

  test('simultaneous batches of reuse in two stores do not deadlock', async () => {
    const { store, url } = subject;
    const casts = [await newCast(store), await newCast(store)];
    const other = await openPatientStore(url);
    try {
      const reuse = async (one: Store, order: typeof casts) => {
        for (let round = 0; round < 15; round += 1) {
          const grants = await Promise.all(order.map((cast) => newGrant(one, cast)));
          await one.grants.consumeAll(grants.map((grant) => present(grant, { presentedDigest: 'old' })));
        }
      };
      await Promise.all([reuse(store, casts), reuse(other, [...casts].reverse())]);
    } finally {
      await other.close();
    }
    for (const { accountId } of casts) assert.equal((await assertChained(store, accountId)).length, 30);
  });

  test('counts are added to what is stored, from every process', async () => {
    const { store } = subject;
    const [{ id: accountId }, { id: otherId }] = [await newAccount(store), await newAccount(store)];
    const count = { accountId, day: '2026-11-21', kind: 'refresh', subjectId: 1, count: 3, lastAt: now } as const;
    const others = [
      { ...count, day: '2026-11-20' },
      { ...count, subjectId: 2 },
      { ...count, accountId: otherId, kind: 'introspection' as const },
    ];
    await Promise.all([
      store.counts.add([count, ...others]),
      store.counts.add([...others, { ...count, count: 2, lastAt: now + 5 }].reverse()),
    ]);
    await store.counts.add([]);
    assert.deepEqual(await store.counts.list(accountId, '2026-11-21'), [
      // The later of both, whichever was stored first.
      { ...count, count: 5, lastAt: now + 5 },
      { ...count, subjectId: 2, count: 6 },
    ]);
    assert.equal((await store.counts.list(accountId, '')).length, 3);
    assert.equal((await store.counts.list(otherId, '')).length, 1);
  });
});
