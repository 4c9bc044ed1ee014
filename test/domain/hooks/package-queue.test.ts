import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageBuild, PackageBuilder, PackageResult } from '../../../src/domain/hooks/package-builds.ts';
import { createPackageQueue, type PackageQueue } from '../../../src/domain/hooks/package-queue.ts';
import { failureOf, unique } from '../../store/samples.ts';
import { purgeAll } from '../../support/purge.ts';
import { createTestAccount, type TestServices } from '../../support/services.ts';
import { databases } from '../../support/stores.ts';
import { onServices } from '../subject.ts';

const packages = { lodash: '4.17.21' };

/** A builder with preset answers that records its calls. */
function fakeBuilder(
  answer: (isKnown: (digest: string) => Promise<boolean>, signal: AbortSignal) => Promise<PackageResult>,
) {
  const asked: unknown[] = [];
  const builder: PackageBuilder = {
    walls: async () => ({ state: 'confined', reason: null, remedy: null, layers: [] }),
    has: async (name) => (name === 'missing' ? false : name === 'silent' ? null : true),
    build: (wanted, isKnown, signal) => {
      asked.push(wanted);
      return answer(isKnown, signal ?? new AbortController().signal);
    },
  };
  return { builder, asked };
}

/** Settles with the first build of the account that ends. */
function ended(queue: PackageQueue, accountId: number): Promise<PackageBuild> {
  return new Promise((fulfil) => queue.onEnd((owner, build) => owner === accountId && fulfil(build)));
}

async function add(services: TestServices, queue: PackageQueue, accountId: number): Promise<number> {
  return services.store.transaction((tx) => queue.queue(tx, accountId, packages));
}

onServices(
  'builds of packages',
  (subject) => {
    const find = async (queue: PackageQueue, accountId: number, id: number) =>
      (await queue.find(subject.services.store, accountId, [id])).get(id) ?? null;

    test('a build waits, runs and is ready; its script is read, and each step moves the generation', async () => {
      const { services } = subject;
      const { id: accountId } = await createTestAccount(services);
      const digest = unique('digest');
      const { builder, asked } = fakeBuilder(async () => ({ ok: true, digest, script: 'script' }));
      const queue = createPackageQueue(services, builder);
      const id = await add(services, queue, accountId);
      const before = (await services.store.generation(accountId)) ?? Number.NaN;
      assert.deepEqual(await find(queue, accountId, id), { id, state: 'queued', failure: null });
      assert.equal(await queue.read(accountId, id), null);
      const end = ended(queue, accountId);
      queue.wake();
      assert.deepEqual(await end, { id, state: 'ready', failure: null });
      assert.deepEqual(asked, [packages]);
      assert.deepEqual(await find(queue, accountId, id), { id, state: 'ready', failure: null });
      assert.equal(await queue.read(accountId, id), 'script');
      assert.equal(await queue.read(accountId + 1, id), null);
      assert.ok(Number(await services.store.generation(accountId)) >= before + 2);
      await queue.stop();
    });

    test('a final refusal fails at once; others are tried three times', async () => {
      const { services } = subject;
      const { id: accountId } = await createTestAccount(services);
      let isFinal = true;
      const { builder, asked } = fakeBuilder(async () => ({ ok: false, reason: 'lodash is no good', isFinal }));
      const queue = createPackageQueue(services, builder);
      const first = await add(services, queue, accountId);
      const end = ended(queue, accountId);
      queue.wake();
      assert.deepEqual(await end, { id: first, state: 'failed', failure: 'lodash is no good' });
      isFinal = false;
      const second = await add(services, queue, accountId);
      const later = new Promise<PackageBuild>((fulfil) =>
        queue.onEnd((_, build) => build.id === second && fulfil(build)),
      );
      for (let attempt = 2; attempt <= 4; attempt += 1) {
        queue.wake();
        while (asked.length < attempt) await new Promise(setImmediate);
        if (attempt < 4)
          while ((await find(queue, accountId, second))?.state !== 'queued') await new Promise(setImmediate);
        services.clock.advance(10_000);
      }
      assert.deepEqual(await later, { id: second, state: 'failed', failure: 'lodash is no good' });
      await queue.stop();
    });

    test('one of two nodes builds; when it dies the other takes over, and a late result is ignored', async () => {
      const { services } = subject;
      const { store, clock } = services;
      const { id: accountId } = await createTestAccount(services);
      const queue = createPackageQueue(services, null);
      const id = await add(services, queue, accountId);
      const claim = () => store.packageBuilds.claim(clock.now(), clock.now() + 90_000, []);
      const claims = await Promise.all([claim(), claim(), claim()]);
      const [first, ...others] = claims.filter((build) => build !== null);
      assert.deepEqual([first?.id, first?.attempts, others], [id, 1, []]);
      clock.advance(90_000);
      const second = await claim();
      assert.deepEqual([second?.id, second?.attempts], [id, 2]);
      assert.ok(first && second);
      assert.equal(await store.packageBuilds.finish(first, { state: 'ready', digest: 'x' }, clock.now()), false);
      assert.equal(await store.packageBuilds.finish(second, { state: 'failed', failure: 'no' }, clock.now()), true);
      assert.equal(await claim(), null);
      await queue.stop();
    });

    test('accounts take turns: a build of another one waits for one of an account that has several', async () => {
      const { services } = subject;
      const [{ id: busy }, { id: other }] = [await createTestAccount(services), await createTestAccount(services)];
      const { builder } = fakeBuilder(async () => ({ ok: false, reason: 'no', isFinal: true }));
      const queue = createPackageQueue(services, builder);
      const order: number[] = [];
      const all = new Promise<void>((fulfil) => queue.onEnd((owner) => order.push(owner) === 4 && fulfil()));
      for (const accountId of [busy, busy, busy, other]) {
        await add(services, queue, accountId);
        services.clock.advance(1);
      }
      queue.wake();
      await all;
      assert.deepEqual(order, [busy, other, busy, busy]);
      await queue.stop();
    });

    test('a build that kills its node fails after three tries', async () => {
      const { services } = subject;
      const { store, clock } = services;
      const { id: accountId } = await createTestAccount(services);
      const { builder, asked } = fakeBuilder(async () => assert.fail());
      const queue = createPackageQueue(services, builder);
      const id = await add(services, queue, accountId);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        assert.equal((await store.packageBuilds.claim(clock.now(), clock.now() + 90_000, []))?.id, id);
        clock.advance(90_000);
      }
      const end = ended(queue, accountId);
      queue.wake();
      assert.deepEqual(await end, { id, state: 'failed', failure: 'the packages could not be built' });
      assert.deepEqual(asked, []);
      await queue.stop();
    });

    test('a stopping node releases its build', async () => {
      const { services } = subject;
      const { id: accountId } = await createTestAccount(services);
      let begun = () => {};
      const running = new Promise<void>((fulfil) => {
        begun = fulfil;
      });
      const { builder } = fakeBuilder(
        (_, signal) =>
          new Promise((fulfil) => {
            signal.addEventListener('abort', () => fulfil({ ok: false, reason: 'ended', isFinal: false }));
            begun();
          }),
      );
      const queue = createPackageQueue(services, builder);
      const id = await add(services, queue, accountId);
      queue.wake();
      await running;
      await queue.stop();
      assert.deepEqual(await find(queue, accountId, id), { id, state: 'queued', failure: null });
      const { now } = services.clock;
      assert.equal((await services.store.packageBuilds.claim(now(), now() + 90_000, []))?.id, id);
      await services.store.packageBuilds.remove(accountId, id);
    });

    test('a bundle is reused, and purged a day after its last reference', async () => {
      const { services } = subject;
      const { store, clock } = services;
      const { id: accountId } = await createTestAccount(services);
      const digest = unique('digest');
      let script: string | null = 'script';
      const { builder } = fakeBuilder(async (isKnown) => {
        if (script === null) assert.equal(await isKnown(digest), true);
        return { ok: true, digest, script };
      });
      const queue = createPackageQueue(services, builder);
      const ids: number[] = [];
      for (const next of ['script', null]) {
        script = next;
        const id = await add(services, queue, accountId);
        const end = new Promise((fulfil) => queue.onEnd((_, build) => build.id === id && fulfil(build)));
        queue.wake();
        await end;
        assert.equal(await queue.read(accountId, id), 'script');
        ids.push(id);
      }
      const purgeLater = async () => {
        clock.advance(25 * 3_600_000);
        await purgeAll(store, clock.now());
        return store.packageBuilds.findBundle(digest);
      };
      assert.equal(await purgeLater(), 'script');
      for (const id of ids) await store.transaction((tx) => queue.remove(tx, accountId, id));
      assert.equal(await purgeLater(), null);
      await queue.stop();
    });

    test('an account may have few builds in progress', async () => {
      const { services } = subject;
      const { id: accountId } = await createTestAccount(services);
      const queue = createPackageQueue(services, null);
      const ids: number[] = [];
      for (let count = 0; count < 10; count += 1) ids.push(await add(services, queue, accountId));
      assert.equal(await failureOf(add(services, queue, accountId)), 'rate_limited packages');
      for (const id of ids) await services.store.packageBuilds.remove(accountId, id);
      await queue.stop();
    });

    test('names, versions and numbers of packages are checked, and the registry is queried', async () => {
      const { services } = subject;
      const { builder } = fakeBuilder(async () => assert.fail());
      const queue = createPackageQueue(services, builder);
      const messageOf = async (given: Record<string, string>, from = queue) => {
        const error = await from.check(given).then(
          () => null,
          (thrown: Error) => thrown,
        );
        return error?.message ?? 'fine';
      };
      assert.equal(await messageOf({ lodash: '4.17.21', '@scope/a.b': '1.0.0-beta.1', silent: '1.0.0' }), 'fine');
      for (const version of ['^1.0.0', '1.x', '1', 'latest', 'v1.0.0', '=1.0.0', ' 1.0.0', '', '*', '1.0.0+build']) {
        const expected = `packages: lodash must have an exact version such as 1.2.3, not ${JSON.stringify(version)}`;
        assert.equal(await messageOf({ lodash: version }), expected);
      }
      for (const name of [
        '',
        '.',
        '../a',
        'a/b',
        '/etc/passwd',
        'Lodash',
        'a b',
        '@a',
        'file:a',
        'npm:a',
        'a'.repeat(215),
      ]) {
        assert.match(await messageOf({ [name]: '1.0.0' }), /^packages: ".* is not a valid package name$/, name);
      }
      assert.match(await messageOf(JSON.parse('{"__proto__":"1.0.0"}')), /is not a valid package name$/);
      const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`a${index}`, '1.0.0']));
      assert.equal(await messageOf(many), 'packages must have at most 20 members');
      assert.equal(await messageOf({ missing: '1.0.0' }), 'packages: the registry has no missing@1.0.0');
      const none = createPackageQueue(services, null);
      assert.equal(await messageOf({ lodash: '4.17.21' }, none), 'packages: this service does not allow packages');
      assert.equal(await messageOf({}, none), 'fine');
    });
  },
  databases,
);
