import assert from 'node:assert/strict';
import { it } from 'node:test';
import { examineStoredRuntimes } from '../../../src/cli/hook-findings.ts';
import { createHook, rollBackHook } from '../../../src/domain/hooks/hooks.ts';
import { onApps } from './on-apps.ts';
import { handlerOf, stage } from './stage.ts';

// What a sign-in makes of a hook that fails.
onApps('a hook that fails', (app) => {
  const ways: readonly (readonly [body: string, outcome: string])[] = [
    ['throw new TypeError("broken");', 'error'],
    ['for (;;);', 'timeout'],
    ['await new Promise(() => {});', 'timeout'],
    ['return "5";', 'invalid_result'],
  ];

  /** One function that fails in the way that the user agent names: its process need not be restarted for each. */
  const body = `const way = context.device.user_agent;\n${ways
    .map(([failing], at) => `if (way === 'way-${at}') { ${failing} }`)
    .join('\n')}`;

  it('is retried as configured, then nobody signs in; each run is recorded', async () => {
    const on = await stage(app());
    const id = await on.hook(body, { retries: 1 });
    for (const [at, [, outcome]] of ways.entries()) {
      // It waits a second each time, as the one before it does.
      if (at === 2) continue;
      on.app.services.clock.advance(1000);
      assert.equal((await on.signIn(undefined, undefined, `way-${at}`)).answer.status, 403, outcome);
      const records = await on.logs(id, '?limit=2');
      assert.deepEqual(
        records.map((record) => [record.attempt, record.outcome]),
        [2, 1].map((attempt) => [attempt, outcome]),
      );
      assert.equal(new Set(records.map((record) => record.correlation_id)).size, 1);
      assert.equal(new Set(records.map((record) => record.request_id)).size, 2);
      const failed = { hook_id: id, user_id: on.user.id, reason: outcome, sign_in: 'denied' };
      assert.deepEqual((await on.told('hook.failed')).at(-1), failed);
    }
    assert.deepEqual(await on.told('sign_in.succeeded'), []);
  });

  it('with hook_failure continue the sign-in continues with the policy in force', async () => {
    const on = await stage(app(), { hook_failure: 'continue' });
    const id = await on.hook(body);
    for (const [at, [, outcome]] of ways.entries()) {
      assert.equal(await on.idleMinutes(await on.signIn(undefined, undefined, `way-${at}`)), 30, outcome);
      const failed = { hook_id: id, user_id: on.user.id, reason: outcome, sign_in: 'continued' };
      assert.deepEqual((await on.told('hook.failed')).at(-1), failed);
    }
  });

  it('does the same when its runtime is not offered: no other runtime is used, and the log says why', async () => {
    for (const [hookFailure, status] of [
      ['deny', 403],
      ['continue', 0],
    ] as const) {
      const on = await stage(app(), { hook_failure: hookFailure });
      const { services, account } = on.app;
      const elsewhere = { ...services, hookRuntimes: ['jsruntime99.x'] };
      const input = { type: 'pre-authentication', function: handlerOf('return null;') };
      const before = await services.store.hooks.countRuntimes();
      const { hook } = await createHook(elsewhere, account, input);
      await createHook(elsewhere, account, { ...input, disabled: true });
      assert.equal(await on.status(), status);
      const [record] = await on.logs(hook.uuid);
      assert.equal(record?.outcome, 'unavailable');
      assert.match(
        record?.events[0] ?? '',
        /\tERROR\tthe runtime jsruntime99\.x is not offered here: HOOK_RUNTIMES names those that are$/,
      );
      assert.deepEqual(
        (await on.told('hook.failed')).map((detail) => (detail as { reason: string }).reason),
        ['unavailable'],
      );
      const offered = [{ name: 'jsruntime12.x', node: null }];
      const counted = (await services.store.hooks.countRuntimes()).find(({ runtime }) => runtime === 'jsruntime99.x');
      const known = before.find(({ runtime }) => runtime === 'jsruntime99.x')?.hooks ?? 0;
      assert.equal(counted?.hooks, known + 1);
      const [finding, ...more] = await examineStoredRuntimes({ hookRuntimes: offered }, services.store);
      assert.deepEqual([finding?.layer, finding?.status, more], ['hook runtime jsruntime99.x', 'degraded', []]);
      const test = await on.api.done(200, 'POST', `/hooks/${hook.uuid}/test`, {});
      assert.deepEqual([test.outcome, test.output.length], ['unavailable', 1]);
      // An update must name another one, and a rollback to the former version is refused.
      const members = { type: 'pre-authentication', function: handlerOf('return null;') };
      await on.api.done(422, 'PUT', `/hooks/${hook.uuid}`, { ...members, runtime: 'jsruntime99.x' });
      await on.api.done(200, 'PUT', `/hooks/${hook.uuid}`, members);
      assert.equal(await on.status(), 0);
      const refused = { code: 'value_invalid', detail: { name: 'runtime', message: 'runtime must be jsruntime12.x' } };
      await assert.rejects(rollBackHook(services, account, hook.uuid), refused);
    }
  });

  it('a retry that succeeds is a success', async () => {
    const on = await stage(app());
    const { hooks } = on.app.services;
    const id = await on.hook('return null;', { retries: 1 });
    let failures = 1;
    const run = hooks.run;
    const services = on.app.services as { hooks: typeof hooks };
    Object.assign(services.hooks, {
      run: async (call: Parameters<typeof run>[0]) => {
        failures -= 1;
        const result = await run(call);
        return failures < 0 ? result : { ...result, ending: 'crashed', value: 'null' };
      },
    });
    try {
      assert.equal(await on.status(), 0);
    } finally {
      Object.assign(services.hooks, { run });
    }
    const seen = (await on.logs(id)).map(({ attempt, outcome }) => [attempt, outcome]);
    assert.deepEqual(seen, [
      [2, 'success'],
      [1, 'crashed'],
    ]);
    assert.deepEqual(await on.told('hook.failed'), []);
  });

  it('a meaningless answer has no effect (S12)', async () => {
    const on = await stage(app(), { hook_failure: 'continue' });
    const other = await app().another();
    const [foreign] = await other.services.store.policies.list(other.account.id);
    const faults: Readonly<Record<number, string>> = {
      0: `policy_id ${foreign?.id}: the account has no such policy`,
      6: 'policy_id is an object',
      9: 'success is a string',
      12: 'the answer is a number',
    };
    const answers = [
      `{ user: { policy_id: ${foreign?.id} } }`,
      '{ user: { policy_id: 2 ** 40 } }',
      '{ user: { policy_id: 0 } }',
      '{ user: { policy_id: -1 } }',
      '{ user: { policy_id: NaN }, success: 1 }',
      '{ user: { policy_id: "1" } }',
      '{ user: { policy_id: {} } }',
      '{ user: 5 }',
      '{ user: [] }',
      '{ success: "yes" }',
      '[]',
      'true',
      '7',
      '"x".repeat(1e6)',
      '(() => { const a = {}; a.a = a; return a; })()',
      '(() => { let a = {}; for (let n = 0; n < 5000; n += 1) a = { a }; return { user: a, success: 0 }; })()',
    ];
    const chosen = answers.map((answer, at) => `if (way === 'way-${at}') return ${answer};`).join('\n');
    const id = await on.hook(`const way = context.device.user_agent;\n${chosen}`);
    for (const [at, answer] of answers.entries()) {
      on.app.services.clock.advance(1000);
      assert.equal(await on.idleMinutes(await on.signIn(undefined, undefined, `way-${at}`)), 30, answer);
      const [record] = await on.logs(id, '?limit=1');
      assert.ok(['invalid_result', 'error'].includes(record?.outcome ?? ''), `${answer}: ${record?.outcome}`);
      const fault = faults[at];
      if (fault !== undefined) assert.equal(record?.events.at(-1)?.split('\t').at(-1), `invalid_result: ${fault}`);
    }
    const before = await on.app.services.store.users.find(on.app.account.id, on.user.id);
    const sly = `return JSON.parse('{"user":{"__proto__":{"policy_id":1},"id":1,"status":3,"role_ids":[1]},"__proto__":{"success":false}}');`;
    await on.hook(sly);
    assert.equal(await on.status(), 0);
    const after = await on.app.services.store.users.find(on.app.account.id, on.user.id);
    assert.deepEqual({ ...after, lastLogin: 0 }, { ...before, lastLogin: 0 });
    assert.deepEqual(await on.told('hook.policy_chosen'), []);
    assert.equal(({} as Record<string, unknown>)['success'], undefined);
  });

  it('runs beyond limit.hooks wait and then count as failed', async () => {
    const on = await stage(app(), { 'limit.hooks': '2/h' });
    const id = await on.hook('return null;');
    assert.equal(await on.status(), 0);
    assert.equal((await on.api.call('POST', `/hooks/${id}/test`, {})).body.outcome, 'success');
    assert.equal(await on.status(), 403);
    assert.equal((await on.logs(id))[0]?.outcome, 'unavailable');
    assert.equal((await on.api.call('POST', `/hooks/${id}/test`, {})).body.outcome, 'unavailable');
  });
});
