import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import { answerOnce, type RepeatableRequest } from '../../src/domain/idempotency.ts';
import { createRole } from '../../src/domain/roles/write-role.ts';
import type { KeptAnswerRecord } from '../../src/store/kept-answers.ts';
import type { Store } from '../../src/store/store.ts';
import { failureOf, unique } from '../store/samples.ts';
import { purgeAll } from '../support/purge.ts';
import { createTestAccount } from '../support/services.ts';
import { databases } from '../support/stores.ts';
import { onServices } from './subject.ts';

const day = 86_400_000;
const minute = 60_000;
const name = 'Idempotency-Key';
const beingServed = 'A request with this Idempotency-Key is being served';
const answerLost = 'The request was carried out, but its answer is not known';
const least = { status: 200, body: 'done', headers: {} };
const listed = { limit: 100, sort: { field: 'name', descending: false }, filters: [], at: { page: 1 } } as const;

onServices(
  'requests that can be repeated',
  (subject) => {
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

    /** Services whose transactions wait until they are let go, and a promise that is fulfilled when one waits. */
    function held({ services }: typeof subject) {
      const { promise: going, resolve: letGo } = Promise.withResolvers<void>();
      const { promise: waiting, resolve: wait } = Promise.withResolvers<void>();
      const transaction: Store['transaction'] = async (work) => {
        wait();
        await going;
        return services.store.transaction(work);
      };
      return { services: { ...services, store: { ...services.store, transaction } }, waiting, letGo };
    }

    /** Services with other functions for kept answers. */
    function withKept({ services }: typeof subject, others: Partial<Store['keptAnswers']>) {
      const { store } = services;
      return { ...services, store: { ...store, keptAnswers: { ...store.keptAnswers, ...others } } };
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
      const holding = held(subject);
      const first = answerOnce(holding.services, request, makeRole('one'));
      await holding.waiting;
      assert.equal(await failureOf(answerOnce(services, other, makeRole('two'))), 'key_reused Idempotency-Key');
      assert.equal(await failureOf(answerOnce(services, request, makeRole('two'))), 'key_in_use Idempotency-Key');
      holding.letGo();
      await first;
      assert.equal(await failureOf(answerOnce(services, other, makeRole('two'))), 'key_reused Idempotency-Key');
    });

    test('work that is refused before it changes anything writes nothing', async () => {
      const { request } = await begin();
      const written = async () => assert.fail('something was written');
      const services = withKept(subject, { claim: written, release: written, keep: written, trim: written });
      const refused = async () => {
        throw new Failure('rate_limited');
      };
      assert.equal(await failureOf(answerOnce(services, request, refused)), 'rate_limited');
    });

    test('work that changes nothing is answered as the first time too', async () => {
      const { services, request } = await begin();
      const read = (body: string) => async () => ({ status: 200, body, headers: {} });
      const first = await answerOnce(services, request, read('one'));
      assert.deepEqual(await answerOnce(services, request, read('two')), first);
      const other = { ...request, request: 'another' };
      assert.equal(await failureOf(answerOnce(services, other, read('three'))), 'key_reused Idempotency-Key');
    });

    test('an account keeps as many answers in an hour as there is room for', async () => {
      const { account, request } = await begin();
      const kept: (string | null)[] = [];
      const services = withKept(subject, {
        find: async () => null,
        claim: async ({ sealedAnswer }) => kept.push(sealedAnswer) > 0,
        trim: async () => {},
      });
      using _ = services.clock.hold();
      const most = 100_000_000;
      const ask = () =>
        answerOnce(services, request, async () => ({ status: 200, body: 'x'.repeat(190_000), headers: {} }));
      await ask();
      const { length } = kept[0] ?? '';
      for (let asked = 1; asked < most / length + 5; asked += 1) await ask();
      assert.equal(kept.length, Math.floor(most / length));
      await answerOnce(services, { ...request, account: await createTestAccount(services) }, async () => least);
      assert.equal(kept.length, Math.floor(most / length) + 1, 'another account has room of its own');
      services.clock.advance(60 * minute);
      await answerOnce(services, { ...request, account }, async () => least);
      assert.equal(kept.length, Math.floor(most / length) + 2);
    });

    test('an answer that is too large is not kept: work is not done again, what changed nothing is', async () => {
      const { services, request, roles, makeRole } = await begin();
      const large = (body: string) => ({ status: 200, body: body.repeat(262_144), headers: {} });
      const making = (name: string) => async (store: Store) => {
        await makeRole(name)(store);
        return large(name);
      };
      assert.deepEqual(await answerOnce(services, request, making('1')), large('1'));
      services.clock.advance(minute);
      await assert.rejects(answerOnce(services, request, making('2')), { detail: { name, message: answerLost } });
      assert.deepEqual(await roles(), ['1']);
      const other = { ...request, key: unique('key') };
      for (const body of ['3', '4'])
        assert.deepEqual(await answerOnce(services, other, async () => large(body)), large(body));
    });

    test('a request that is refused for what the first one did meanwhile has its answer', async () => {
      const { services, request, roles, makeRole } = await begin();
      const { promise: answered, resolve: answer } = Promise.withResolvers<unknown>();
      const { promise: started, resolve: start } = Promise.withResolvers<void>();
      const second = answerOnce(services, request, async () => {
        start();
        await answered;
        throw new Failure('conflict', { name: 'name' });
      });
      await started;
      const first = await answerOnce(services, request, makeRole('one'));
      answer(first);
      assert.deepEqual(await second, first);
      assert.deepEqual(await roles(), ['one']);
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
      const keep = async () => {
        throw new Error('the process ends');
      };
      assert.equal((await answerOnce(withKept(subject, { keep }), request, makeRole('one'))).status, 201);
      assert.ok(services.lines.some(({ event }) => event === 'an answer was not kept'));
      const again = () => answerOnce(services, request, makeRole('two'));
      await assert.rejects(again(), { code: 'key_in_use', detail: { name, message: beingServed } });
      for (const later of [minute, day - 2 * minute]) {
        services.clock.advance(later);
        await assert.rejects(again(), { code: 'key_in_use', detail: { name, message: answerLost } });
      }
      assert.deepEqual(await roles(), ['one']);
    });

    test('a request that never ended loses its key in time, and what it does afterwards is undone', async () => {
      const { services, request, roles, makeRole } = await begin();
      const holding = held(subject);
      const stuck = answerOnce(holding.services, request, makeRole('one'));
      await holding.waiting;
      services.clock.advance(minute / 2);
      assert.equal(await failureOf(answerOnce(services, request, makeRole('two'))), 'key_in_use Idempotency-Key');
      services.clock.advance(minute / 2);
      const second = await answerOnce(services, request, makeRole('two'));
      holding.letGo();
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

    test('who has the database, the master key and all but one part of a request opens no answer', async () => {
      const { services, account, request, makeRole } = await begin();
      const claims: KeptAnswerRecord[] = [];
      const claim: Store['keptAnswers']['claim'] = (record, now) => {
        claims.push(record);
        return services.store.keptAnswers.claim(record, now);
      };
      const first = await answerOnce(withKept(subject, { claim }), request, makeRole('one'));
      const [{ digest } = assert.fail('nothing was claimed')] = claims;
      const kept = await services.store.keptAnswers.find(account.id, digest, services.clock.now());
      assert.ok(kept?.sealedAnswer);
      assert.doesNotMatch(Buffer.from(kept.sealedAnswer, 'base64url').toString('latin1'), /secret of/);
      /** Opens it with another request, whose digest is put in the place of the first one's. */
      const open = async (other: RepeatableRequest) => {
        const noted = Promise.withResolvers<KeptAnswerRecord>();
        const noting = withKept(subject, {
          find: async () => null,
          claim: async (record) => {
            noted.resolve(record);
            return false;
          },
        });
        assert.equal(await failureOf(answerOnce(noting, other, makeRole('two'))), 'key_in_use Idempotency-Key');
        const { requestDigest } = await noted.promise;
        return answerOnce(
          withKept(subject, { find: async () => ({ ...kept, requestDigest }) }),
          other,
          makeRole('two'),
        );
      };
      assert.deepEqual(await open(request), first);
      for (const guess of [{ key: 'guess' }, { caller: 'guess' }, { request: 'guess' }]) {
        assert.equal(await failureOf(open({ ...request, ...guess })), 'internal');
      }
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
      for (let index = 0; index < 5; index += 1) assert.equal(await keptAnswers.claim(record(index), 0), true);
      assert.equal(await keptAnswers.claim({ ...record(9), caller: 'another' }, 0), true);
      await keptAnswers.trim(account.id, 'caller', 3);
      const known: number[] = [];
      for (const index of [0, 1, 2, 3, 4, 9]) {
        if (await keptAnswers.find(account.id, `digest ${index}`, 0)) known.push(index);
      }
      assert.deepEqual(known, [2, 3, 4, 9]);
    });
  },
  databases,
);
