import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOnce, type RepeatableRequest } from '../../src/domain/idempotency.ts';
import { createRole } from '../../src/domain/roles/write-role.ts';
import type { Store } from '../../src/store/store.ts';
import { failureOf, unique } from '../store/samples.ts';
import { purgeAll } from '../support/purge.ts';
import { createTestAccount } from '../support/services.ts';
import { onServices } from './subject.ts';

const day = 86_400_000;
const minute = 60_000;
const listed = { limit: 100, sort: { field: 'name', descending: false }, filters: [], at: { page: 1 } } as const;

onServices('requests that can be repeated', (subject) => {
  /** An account, a request of it, and work that makes a role over the store that it is given. */
  async function begin() {
    const { services } = subject;
    const account = await createTestAccount(services);
    const request: RepeatableRequest = { account, caller: 'credential 1', key: unique('key'), request: 'create' };
    const roles = async () => (await services.store.roles.page(account.id, listed)).items.map(({ name }) => name);
    const makeRole = (name: string) => async (store: Store) => {
      const { id } = await createRole({ ...services, store }, account, { name });
      return { status: 201, body: { id, secret: `secret of ${name}` }, headers: { location: `/roles/${id}` } };
    };
    return { services, account, request, roles, makeRole };
  }

  test('the work is done once, and its answer repeated, headers included', async () => {
    const { services, request, roles, makeRole } = await begin();
    const first = await answerOnce(services, request, makeRole('one'));
    assert.deepEqual(await answerOnce(services, request, makeRole('two')), first);
    assert.deepEqual(await roles(), ['one']);
  });

  test('a key belongs to its account and caller', async () => {
    const { services, request, roles, makeRole } = await begin();
    await answerOnce(services, request, makeRole('one'));
    await answerOnce(services, { ...request, caller: 'credential 2' }, makeRole('two'));
    await answerOnce(services, { ...request, account: await createTestAccount(services) }, makeRole('three'));
    assert.deepEqual(await roles(), ['one', 'three', 'two']);
  });

  test('another request with the key is refused, whether the first one is done or not', async () => {
    const { services, request, makeRole } = await begin();
    const other = { ...request, request: 'create another' };
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { promise: begun, resolve: start } = Promise.withResolvers<void>();
    const first = answerOnce(services, request, async (store) => {
      start();
      await ended;
      return makeRole('one')(store);
    });
    await begun;
    assert.equal(await failureOf(answerOnce(services, other, makeRole('two'))), 'key_reused Idempotency-Key');
    assert.equal(await failureOf(answerOnce(services, request, makeRole('two'))), 'key_in_use Idempotency-Key');
    end();
    await first;
    assert.equal(await failureOf(answerOnce(services, other, makeRole('two'))), 'key_reused Idempotency-Key');
  });

  test('work that fails gives the key back, unless it was done', async () => {
    const { services, request, roles, makeRole } = await begin();
    const failing = async () => {
      throw new Error('for the test');
    };
    await assert.rejects(answerOnce(services, request, failing), /for the test/);
    await answerOnce(services, { ...request, request: 'corrected' }, makeRole('one'));
    const late = { ...request, key: unique('key') };
    const failingLate = async (store: Store) => {
      await makeRole('two')(store);
      throw new Error('for the test');
    };
    await assert.rejects(answerOnce(services, late, failingLate), /for the test/);
    assert.equal(await failureOf(answerOnce(services, late, makeRole('three'))), 'key_in_use Idempotency-Key');
    assert.deepEqual(await roles(), ['one', 'two']);
  });

  test('a crash between the work and its answer does not have it done again', async () => {
    const { services, request, roles, makeRole } = await begin();
    const { store } = services;
    const keep = async () => {
      throw new Error('the process ends');
    };
    const crashing = { ...services, store: { ...store, keptAnswers: { ...store.keptAnswers, keep } } };
    assert.equal((await answerOnce(crashing, request, makeRole('one'))).status, 201);
    assert.ok(services.lines.some(({ event }) => event === 'an answer was not kept'));
    assert.equal(await failureOf(answerOnce(services, request, makeRole('two'))), 'key_in_use Idempotency-Key');
    services.clock.advance(day - minute);
    assert.equal(await failureOf(answerOnce(services, request, makeRole('two'))), 'key_in_use Idempotency-Key');
    assert.deepEqual(await roles(), ['one']);
  });

  test('a request that never ended loses its key in time, and what it does afterwards is undone', async () => {
    const { services, request, roles, makeRole } = await begin();
    const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
    const { promise: begun, resolve: start } = Promise.withResolvers<void>();
    const stuck = answerOnce(services, request, async (store) => {
      start();
      await resumed;
      return makeRole('one')(store);
    });
    await begun;
    services.clock.advance(4 * minute);
    assert.equal(await failureOf(answerOnce(services, request, makeRole('two'))), 'key_in_use Idempotency-Key');
    services.clock.advance(2 * minute);
    const second = await answerOnce(services, request, makeRole('two'));
    resume();
    assert.equal(await failureOf(stuck), 'key_in_use Idempotency-Key');
    assert.deepEqual(await answerOnce(services, request, makeRole('three')), second);
    assert.deepEqual(await roles(), ['two']);
  });

  test('of eight at once one does the work', async () => {
    const { services, request, roles, makeRole } = await begin();
    for (let round = 0; round < 20; round += 1) {
      const one = { ...request, key: unique('key') };
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, () => answerOnce(services, one, makeRole(unique('role')))),
      );
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'key_in_use');
      }
      assert.ok(outcomes.some(({ status }) => status === 'fulfilled'));
      assert.equal((await roles()).length, round + 1);
    }
  });

  test('after 24 hours the key is free, and housekeeping deletes it', async () => {
    const { services, request, roles, makeRole } = await begin();
    await answerOnce(services, request, makeRole('one'));
    await purgeAll(services.store, services.clock.now() + day - minute);
    await answerOnce(services, request, makeRole('two'));
    services.clock.advance(day);
    await answerOnce(services, { ...request, request: 'another' }, makeRole('three'));
    assert.deepEqual(await roles(), ['one', 'three']);
    assert.ok((await purgeAll(services.store, services.clock.now() + day)) >= 1);
  });

  test('an answer is sealed: another request, key or caller does not open it', async () => {
    const { services, request, makeRole } = await begin();
    const { store } = services;
    const sealed: string[] = [];
    const keep: Store['keptAnswers']['keep'] = async (claim, text) => {
      sealed.push(text);
      await store.keptAnswers.keep(claim, text);
    };
    await answerOnce(
      { ...services, store: { ...store, keptAnswers: { ...store.keptAnswers, keep } } },
      request,
      makeRole('one'),
    );
    assert.match(sealed[0] ?? '', /^v1\.[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.doesNotMatch(Buffer.from(sealed[0] ?? '', 'base64url').toString('latin1'), /secret of/);
  });

  test('of a caller’s keys the newest are known', async () => {
    const { services, account } = await begin();
    const { keptAnswers } = services.store;
    const record = (index: number) => ({
      accountId: account.id,
      digest: `digest ${index}`,
      caller: 'caller',
      requestDigest: 'request',
      claim: `claim ${index}`,
      claimedUntil: index,
      isDone: true,
      sealedAnswer: null,
      createdAt: index,
      expiresAt: day,
    });
    for (let index = 0; index < 5; index += 1) assert.equal(await keptAnswers.claim(record(index), 0), null);
    assert.equal(await keptAnswers.claim({ ...record(9), caller: 'another' }, 0), null);
    await keptAnswers.trim(account.id, 'caller', 3);
    const known: number[] = [];
    for (const index of [0, 1, 2, 3, 4, 9]) {
      if ((await keptAnswers.claim({ ...record(index), claim: 'new' }, 0)) !== null) known.push(index);
    }
    assert.deepEqual(known, [2, 3, 4, 9]);
  });
});
