import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setShadow } from '../../../src/domain/hooks/drafts.ts';
import { pageExecutions } from '../../../src/domain/hooks/executions.ts';
import { rollBackHook } from '../../../src/domain/hooks/hooks.ts';
import { replay } from '../../../src/domain/hooks/replay.ts';
import type { HookRun } from '../../../src/domain/hooks/runner.ts';
import { shadowsSettled } from '../../../src/domain/hooks/shadow.ts';
import { purgeAll } from '../../support/purge.ts';
import { dump, readRows } from '../../support/rows.ts';
import { assertRefused } from '../../surfaces/api-2/managing.ts';
import { onApps } from './on-apps.ts';
import { handlerOf, stage } from './stage.ts';

const day = 86_400_000;

// The document's §4.4: the last seven days.
onApps('logs of hooks', (app) => {
  it('records are newest first, filtered by request and correlation, up to 100 per page', async () => {
    const on = await stage(app());
    const id = await on.hook('console.log("hello", { a: [1, "x"] }); console.warn("careful");');
    for (let turn = 0; turn < 3; turn += 1) {
      on.app.services.clock.advance(1000);
      assert.equal(await on.status(), 0);
    }
    const all = await on.logs(id);
    assert.deepEqual(
      all.map(({ created_at: at }) => at),
      all
        .map(({ created_at: at }) => at)
        .toSorted()
        .reverse(),
    );
    const [newest, middle] = all;
    assert.ok(newest && middle);
    const lines = newest.events.map((line) => line.split('\t'));
    assert.deepEqual(
      lines.map(([, run, level, text]) => [run, level, text]),
      [
        [newest.request_id, 'INFO', "hello { a: [ 1, 'x' ] }"],
        [newest.request_id, 'WARN', 'careful'],
      ],
    );
    assert.deepEqual(await on.logs(id, `?request_id=${middle.request_id}`), [middle]);
    assert.deepEqual(await on.logs(id, `?correlation_id=${middle.correlation_id}`), [middle]);
    assert.deepEqual(await on.logs(id, '?request_id=none'), []);
    assert.deepEqual(await on.logs(id, `?created_since=${newest.created_at}&fields=attempt`), [{ attempt: 1 }]);
    assert.deepEqual(await on.logs(id, '?sort=created_at'), [...all].reverse());
    const first = await on.api.call('GET', `/hooks/${id}/logs?limit=2`);
    assert.equal(first.headers['total-count'], '3');
    assert.deepEqual(await on.logs(id, `?cursor=${first.headers['after-cursor']}`), all.slice(2));
    assertRefused(await on.api.call('GET', `/hooks/${id}/logs?cursor=AAAA`), 422, /cursor/);
    assertRefused(await on.api.call('GET', `/hooks/${id}/logs?limit=101`), 400, /limit/);
  });

  it('records of day 8 are gone, those of day 7 remain; and housekeeping deletes the rows (A6)', async () => {
    using _ = app().services.clock.hold();
    const on = await stage(app());
    const id = await on.hook('return null;');
    const { clock, store } = on.app.services;
    assert.equal(await on.status(), 0);
    const [record] = await on.logs(id);
    assert.ok(record);
    clock.advance(7 * day - 1);
    await purgeAll(store, clock.now());
    assert.equal((await pageOf(on, id)).length, 1);
    clock.advance(1);
    assert.equal((await pageOf(on, id)).length, 0, 'not shown, deleted or not');
    assert.ok((await dump(on.app.url)).includes(record?.request_id ?? ''));
    await purgeAll(store, clock.now());
    const left = await store.hookExecutions.find(on.app.account.id, record?.request_id ?? '');
    assert.equal(left, null);
  });

  it('a shadow draft changes nothing, and the log shows where the two differ', async () => {
    const on = await stage(app());
    const { services, account } = on.app;
    const [live, draft] = [
      await on.policy({ sessionTimeoutMinutes: 3 }),
      await on.policy({ sessionTimeoutMinutes: 4 }),
    ];
    const id = await on.hook(`return { user: { policy_id: ${live.id} } };`);
    await setShadow(services, account, id, `exports.handler = async () => ({ user: { policy_id: ${draft.id} } });`);
    const signedIn = async () => {
      const minutes = await on.idleMinutes(await on.signIn());
      await shadowsSettled(services.hooks);
      return minutes;
    };
    assert.equal(await signedIn(), 3);
    const [record, ...more] = await on.logs(id);
    assert.deepEqual(more, []);
    const note = `shadow: the draft ends with policy ${draft.id}, this version with policy ${live.id}`;
    assert.equal(record?.events.at(-1)?.split('\t')[3], note);
    await setShadow(services, account, id, `exports.handler = async () => ({ user: { policy_id: ${live.id} } });`);
    await signedIn();
    assert.deepEqual((await on.logs(id, '?limit=1'))[0]?.events, []);
    await setShadow(services, account, id, 'exports.handler = async () => { throw new Error("draft"); };');
    assert.equal(await signedIn(), 3);
    assert.match((await on.logs(id, '?limit=1'))[0]?.events.at(-1) ?? '', /the draft ends with error, this version/);
    await assert.rejects(setShadow(services, account, id, 'exports.handler = ('), /does not compile: line 1/);
    await setShadow(services, account, id, null);
    await signedIn();
    assert.deepEqual((await on.logs(id, '?limit=1'))[0]?.events, []);
    assert.deepEqual(
      (await on.told('hook.shadow_set')).map((detail) => (detail as { shadow: string }).shadow),
      ['on', 'on', 'on', 'off'],
    );
  });

  it('no sign-in waits for, fails with or loses a run to a draft; one draft runs at a time', async () => {
    const on = await stage(app(), { 'limit.hooks': '2/h' });
    const { services, account } = on.app;
    const id = await on.hook('return null;');
    const { run } = services.hooks;
    const draft = Promise.withResolvers<void>();
    let drafts = 0;
    Object.assign(services.hooks, {
      run: async (call: HookRun) => {
        if (!call.isDraft) return run(call);
        drafts += 1;
        await draft.promise;
        return run(call);
      },
    });
    try {
      await setShadow(services, account, id, 'exports.handler = () => { for (;;); };');
      assert.equal(await on.status(), 0);
      on.app.services.clock.advance(1000);
      assert.equal(await on.status(), 0, 'the draft still runs');
      assert.equal(drafts, 1);
      assert.match((await on.logs(id, '?limit=1'))[0]?.events.at(-1) ?? '', /\tWARN\tshadow: the draft did not run/);
      draft.resolve();
      await shadowsSettled(services.hooks);
      assert.match((await on.logs(id))[1]?.events.at(-1) ?? '', /\tWARN\tshadow: the draft ends with timeout, this/);
    } finally {
      Object.assign(services.hooks, { run });
    }
  });

  it('a recorded run is replayed against a draft; an account may keep no records', async () => {
    const on = await stage(app());
    const { services, account } = on.app;
    const policy = await on.policy();
    const id = await on.hook('return null;');
    await on.signIn(undefined, undefined, 'canary-agent');
    const [record] = await on.logs(id);
    const runId = record?.request_id ?? '';
    const { sessions: _tellsOfBrowsers, ...rows } = await readRows(on.app.url);
    assert.doesNotMatch(JSON.stringify(rows), /canary-agent/, 'sealed');
    const draft = `exports.handler = async (context) => {
      console.log(context.device.user_agent); return { user: { policy_id: ${policy.id} } };
    };`;
    const replayed = await replay(services, account, runId, draft);
    const [line = ''] = replayed.draft.output;
    assert.match(line, /\tINFO\tcanary-agent$/);
    assert.equal(replayed.same, false);
    assert.deepEqual(replayed.recorded, { outcome: 'success', result: 'keeps the policy' });
    assert.deepEqual([replayed.draft.outcome, replayed.draft.result], ['success', `policy ${policy.id}`]);
    assert.equal((await replay(services, account, runId, 'exports.handler = () => null;')).same, true);
    await assert.rejects(replay(services, account, 'none', draft), { code: 'not_found' });
    await assert.rejects(replay(services, account, runId, 'exports.handler = ('), /does not compile/);
    assert.equal((await on.told('hook.replayed')).length, 2);
    assert.equal((await on.logs(id)).length, 1, 'a replay does not count as a run of the hook');
    const off = await stage(app(), { hook_replay: 'off' });
    const other = await off.hook('return null;');
    await off.signIn();
    const [kept] = await off.logs(other);
    const none = replay(off.app.services, off.app.account, kept?.request_id ?? '', draft);
    await assert.rejects(none, /its context was not kept/);
  });

  it('a rollback restores the previous version, and a second rollback undoes it', async () => {
    const on = await stage(app());
    const { services, account } = on.app;
    const [one, two] = [await on.policy({ sessionTimeoutMinutes: 5 }), await on.policy({ sessionTimeoutMinutes: 6 })];
    const id = await on.hook(`return { user: { policy_id: ${one.id} } };`);
    await assert.rejects(rollBackHook(services, account, id), /no previous version/);
    const first = await on.api.done(200, 'GET', `/hooks/${id}`);
    const body = { type: 'pre-authentication', function: handlerOf(`return { user: { policy_id: ${two.id} } };`) };
    const second = await on.api.done(200, 'PUT', `/hooks/${id}`, { ...body, retries: 3 });
    assert.equal(await on.idleMinutes(await on.signIn()), 6);
    await rollBackHook(services, account, id);
    assert.equal(await on.idleMinutes(await on.signIn()), 5);
    const back = await on.api.done(200, 'GET', `/hooks/${id}`);
    assert.deepEqual({ ...back, updated_at: '' }, { ...first, updated_at: '' });
    await rollBackHook(services, account, id);
    assert.equal(await on.idleMinutes(await on.signIn()), 6);
    assert.equal((await on.api.done(200, 'GET', `/hooks/${id}`)).retries, second.retries);
    assert.equal((await on.told('hook.rolled_back')).length, 2);
    for (let write = 0; write < 15; write += 1) await on.api.done(200, 'PUT', `/hooks/${id}`, body);
    const rows = (await dump(on.app.url)).match(/"timeout_seconds":1/g)?.length ?? 0;
    assert.ok(rows > 0);
  });
});

function listOf(from: number) {
  const filters = [{ field: 'created_at', test: 'from', values: [from] }] as const;
  return { sort: { field: 'created_at', descending: true }, filters, limit: 10, at: { page: 1 } } as const;
}

/** As the API lists them; its tokens do not live for a week. */
async function pageOf({ app }: Awaited<ReturnType<typeof stage>>, id: string) {
  return (await pageExecutions(app.services, app.account, id, listOf(0))).items;
}
