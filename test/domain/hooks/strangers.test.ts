/** Unknown names fire user-migration: however many come, the runs after a right password have what they need. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHook } from '../../../src/domain/hooks/hooks.ts';
import { migrateUser } from '../../../src/domain/hooks/migrate-user.ts';
import type { HookRun, HookRunResult } from '../../../src/domain/hooks/runner.ts';
import { takeRun } from '../../../src/domain/hooks/take-run.ts';
import { load } from '../../support/scripted-hooks.ts';
import { createTestAccount, type TestServices } from '../../support/services.ts';
import { until } from '../../support/until.ts';
import { onServices } from '../subject.ts';
import { handlerOf } from './stage.ts';

/** The same services, with functions that continue until the test ends them. */
function held(services: TestServices) {
  const runs: { readonly call: HookRun; readonly end: () => void }[] = [];
  const answer: HookRunResult = {
    ending: 'success',
    value: 'null',
    error: null,
    output: [],
    dropped: 0,
    durationMilliseconds: 1,
  };
  const run = (call: HookRun) =>
    new Promise<HookRunResult>((resolve) => runs.push({ call, end: () => resolve(answer) }));
  const hooks = { ...services.hooks, load, run, warm: async () => {} };
  const names = () => runs.map(({ call }) => JSON.parse(call.context).user_identifier);
  return { services: { ...services, hooks, hookWaitMilliseconds: 60_000 }, runs, names };
}

onServices('runs of user-migration', (subject) => {
  async function scene(settings: Readonly<Record<string, string>> = {}, given = {}) {
    const on = held(subject.services);
    const services = { ...on.services, ...given };
    const account = await createTestAccount(services, { settings });
    await createHook(services, account, { type: 'user-migration', function: handlerOf('return null;') });
    const attempt = (name: string, source: string) =>
      migrateUser(services, account, { username: name, password: 'guess', source });
    return { ...on, services, account, attempt };
  }

  test('run two at a time per account and one per source; the next is from a source that had none', async () => {
    const { attempt, runs, names } = await scene();
    const first = attempt('first', '192.0.2.1');
    await until(() => runs.length === 1);
    const flood = [0, 1, 2].map((number) => attempt(`flood${number}`, '192.0.2.1'));
    const second = attempt('second', '192.0.2.2');
    await until(() => runs.length === 2);
    assert.deepEqual(names(), ['first', 'second'], 'no other request of the first source');
    const third = attempt('third', '192.0.2.3');
    runs[0]?.end();
    await until(() => runs.length === 3);
    assert.ok(runs.every(({ call }) => call.isForStranger));
    const others = [first, second, third];
    for (let at = 1; at < 6; at += 1) {
      await until(() => runs.length > at);
      assert.ok(runs.length <= at + 2, 'two at a time');
      runs[at]?.end();
    }
    assert.deepEqual(new Set(await Promise.all([...flood, ...others])), new Set([null]));
  });

  test('a request without a turn in time is answered as for an unknown name, and nothing runs', async () => {
    const { attempt, runs, names } = await scene({}, { hookWaitMilliseconds: 1 });
    const first = attempt('first', '192.0.2.1');
    await until(() => runs.length === 1);
    assert.equal(await attempt('second', '192.0.2.1'), null);
    assert.deepEqual(names(), ['first']);
    runs[0]?.end();
    assert.equal(await first, null);
  });

  test('do not count towards the limit of runs after a right password', async () => {
    const { attempt, runs, services, account } = await scene({ 'limit.hooks': '2/h' });
    for (const [at, name] of ['one', 'two'].entries()) {
      const tried = attempt(name, '192.0.2.1');
      await until(() => runs.length === at + 1);
      runs.at(-1)?.end();
      await tried;
    }
    assert.equal(runs.length, 2);
    const quick = { ...services, hookWaitMilliseconds: 0 };
    assert.equal(await takeRun(quick, account, 'user-migration'), false, 'their limit is used up');
    assert.equal(await takeRun(quick, account, 'pre-authentication'), true);
  });
});
