import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHook } from '../../../src/domain/hooks/hooks.ts';
import type { PackageBuild } from '../../../src/domain/hooks/package-builds.ts';
import { keepWarm } from '../../../src/domain/hooks/warm.ts';
import { load } from '../../support/scripted-hooks.ts';
import { createTestAccount, type TestServices } from '../../support/services.ts';
import { onServices } from '../subject.ts';
import { handlerOf } from './stage.ts';

/** The same services, with a runner that starts nothing and records its calls. */
function watched(services: TestServices) {
  const asked: unknown[] = [];
  const hooks = {
    ...services.hooks,
    load,
    warm: async ({ accountId, source, packages }: { accountId: number; source: string; packages: string | null }) => {
      asked.push([accountId, /return (\w+)/.exec(source)?.[1], packages]);
    },
    recycle: (accountId: number) => void asked.push(['recycle', accountId]),
  };
  let tell: (accountId: number, build: PackageBuild) => void = () => {};
  const builds = new Map<number, PackageBuild>();
  const packageBuilds = {
    ...services.packageBuilds,
    queue: async () => {
      builds.set(1, { id: 1, state: 'queued', failure: null });
      return 1;
    },
    find: async () => builds,
    read: async () => 'script',
    onEnd: (listener: typeof tell) => {
      tell = listener;
    },
  };
  const end = (accountId: number, state: 'ready' | 'failed') => {
    const build = { id: 1, state, failure: null };
    builds.set(1, build);
    tell(accountId, build);
  };
  return { services: { ...services, hooks, packageBuilds }, asked, end };
}

onServices('keeping hooks warm', (subject) => {
  const hook = (word: string, more: object = {}) => ({
    type: 'pre-authentication',
    function: handlerOf(`return ${word};`),
    ...more,
  });

  test('warms the accounts whose hooks ran last, the most recent one last, but no disabled or empty hooks', async () => {
    const { services, asked } = watched(subject.services);
    const [one, two, three, off] = [
      await createTestAccount(services),
      await createTestAccount(services),
      await createTestAccount(services),
      await createTestAccount(services),
    ];
    const made = await createHook(services, one, hook('one'));
    for (const [account, word] of [
      [two, 'two'],
      [three, 'three'],
    ] as const) {
      services.clock.advance(1000);
      await createHook(services, account, hook(word));
    }
    await createHook(services, two, hook('another'));
    services.clock.advance(1000);
    await createHook(services, three, hook('x', { function: '' }));
    await createHook(services, off, hook('off', { disabled: true }));
    services.clock.advance(1000);
    await services.store.hookExecutions.add([
      {
        accountId: one.id,
        hookId: made.hook.id,
        requestId: 'request',
        correlationId: 'correlation',
        createdAt: services.clock.now(),
        outcome: 'success',
        durationMilliseconds: 1,
        attempt: 1,
        events: [],
        sealedReplay: null,
        shadow: null,
        expiresAt: services.clock.now() + 1000,
      },
    ]);
    assert.deepEqual((await services.store.hooks.listAccounts(100)).slice(0, 2), [one.id, three.id]);
    assert.equal((await services.store.hooks.listAccounts(2)).length, 2);
    asked.length = 0;
    const warming = keepWarm(services);
    await warming.stop();
    assert.deepEqual(asked, [], 'nothing new starts after it stops');
    const again = keepWarm(services);
    while (asked.length < 4) await new Promise(setImmediate);
    await again.stop();
    const ours = [one.id, two.id, three.id];
    assert.deepEqual(
      asked.filter((call) => ours.includes((call as [number])[0])),
      [
        [two.id, 'two', null],
        [two.id, 'another', null],
        [three.id, 'three', null],
        [one.id, 'one', null],
      ],
    );
  });

  test('after a successful build the account gets a new process with all its functions; not after a failed one', async () => {
    const { services, asked, end } = watched(subject.services);
    const account = await createTestAccount(services);
    // At its start it warms none: it might find this account's hooks by then, or not.
    const listAccounts = async () => [];
    const store = { ...services.store, hooks: { ...services.store.hooks, listAccounts } };
    const warming = keepWarm({ ...services, store });
    await createHook(services, account, hook('plain'));
    await createHook(services, account, hook('packed', { packages: { lodash: '4.17.21' } }));
    await new Promise(setImmediate);
    asked.length = 0;
    end(account.id, 'failed');
    end(account.id, 'ready');
    await warming.stop();
    assert.deepEqual(
      asked.filter((call) => (call as unknown[]).includes(account.id)),
      [
        ['recycle', account.id],
        [account.id, 'plain', null],
        [account.id, 'packed', 'script'],
      ],
    );
  });
});
