import assert from 'node:assert/strict';
import { it } from 'node:test';
import { actAs } from '../../../src/domain/audit/context.ts';
import { promoteDraft } from '../../../src/domain/hooks/drafts.ts';
import { rollBackHook } from '../../../src/domain/hooks/hooks.ts';
import { shadowsSettled } from '../../../src/domain/hooks/shadow.ts';
import { handlerOf, stage } from '../../domain/hooks/stage.ts';
import type { TestApp } from '../../support/app.ts';
import { encoded, least } from './hooks.ts';
import { assertRefused, managing } from './managing.ts';

const nothing = encoded('exports.handler = async () => null;');
const noHandler = encoded('exports.hander = async () => null;');

/** Versions and drafts of hooks. */
export function hookHistory(app: () => TestApp): void {
  it('each write makes a version, which says who wrote it; two reads compare two', async () => {
    using _ = app().services.clock.hold();
    const one = await app().another();
    const api = await managing(one);
    const { id } = await api.done(201, 'POST', '/hooks', { ...least, env_vars: [] });
    one.services.clock.advance(1000);
    await api.done(200, 'PUT', `/hooks/${id}`, { ...least, function: nothing, retries: 2 });
    const listed = await api.done(200, 'GET', `/hooks/${id}/versions`);
    assert.deepEqual(
      listed.map((version: Record<string, unknown>) => [version['version'], version['function'], version['running']]),
      [
        [2, nothing, true],
        [1, least.function, false],
      ],
    );
    const [newest, first] = listed;
    assert.deepEqual([newest.retries, first.retries], [2, 0]);
    assert.equal(newest.created_at, new Date(one.services.clock.now()).toISOString());
    assert.equal(newest.written_by.type, 'credential');
    assert.ok(newest.written_by.id > 0);
    assert.deepEqual(await api.done(200, 'GET', `/hooks/${id}/versions/2`), newest);
    assert.deepEqual(await api.done(200, 'GET', `/hooks/${id}/versions/1`), first);
    for (const unknown of ['0', '3', 'x', '2147483648']) {
      assertRefused(await api.call('GET', `/hooks/${id}/versions/${unknown}`), 404, /could not be found/, unknown);
    }
    // What the command line and the service itself do has no number.
    const system = { actor: { type: 'command_line', id: null }, source: null, requestId: null } as const;
    await actAs(system, () => rollBackHook(one.services, one.account, id));
    const { written_by: author } = await api.done(200, 'GET', `/hooks/${id}/versions/3`);
    assert.deepEqual(author, { type: 'command_line', id: null });
  });

  it('keeps ten versions', async () => {
    const api = await managing(await app().another());
    const { id } = await api.done(201, 'POST', '/hooks', least);
    for (let write = 0; write < 11; write += 1) await api.done(200, 'PUT', `/hooks/${id}`, { ...least, function: '' });
    const listed = await api.done(200, 'GET', `/hooks/${id}/versions`);
    assert.deepEqual(
      listed.map(({ version }: { version: number }) => version),
      [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
    );
    assertRefused(await api.call('GET', `/hooks/${id}/versions/2`), 404);
    assertRefused(
      await api.call('POST', `/hooks/${id}/rollback`, { version: 2 }),
      422,
      /^version must be one that is kept/,
    );
  });

  it('a version shows the version that runs while packages are built', async () => {
    const api = await managing(await app().another());
    const { id } = await api.done(201, 'POST', '/hooks', least);
    await api.done(200, 'PUT', `/hooks/${id}`, { ...least, packages: { lodash: '4.17.21' } });
    const listed = await api.done(200, 'GET', `/hooks/${id}/versions`);
    assert.deepEqual(
      listed.map(({ running }: { running: boolean }) => running),
      [false, true],
    );
  });

  it('rolls back to a named version, or to the previous one, as a new version', async () => {
    const on = await stage(app());
    const { api } = on;
    const { id } = await api.done(201, 'POST', '/hooks', least);
    assertRefused(await api.call('POST', `/hooks/${id}/rollback`, {}), 422, /^hook has no previous version$/);
    await api.done(200, 'PUT', `/hooks/${id}`, { ...least, function: nothing });
    await api.done(200, 'PUT', `/hooks/${id}`, { ...least, function: '' });
    const back = await api.done(200, 'POST', `/hooks/${id}/rollback`, { version: 1 });
    assert.equal(back.function, least.function);
    const [newest] = await api.done(200, 'GET', `/hooks/${id}/versions`);
    assert.deepEqual([newest.version, newest.function], [4, least.function]);
    assert.equal((await api.done(200, 'POST', `/hooks/${id}/rollback`, { version: null })).function, '');
    assert.equal((await api.done(200, 'POST', `/hooks/${id}/rollback`)).function, least.function);
    for (const [version, words] of [
      [6, /^version must be an earlier one: it is the newest already$/],
      [7, /^version must be one that is kept; GET /],
      [0, /version/],
    ] as const) {
      assertRefused(await api.call('POST', `/hooks/${id}/rollback`, { version }), 422, words);
    }
    assert.deepEqual(await on.told('hook.rolled_back'), [
      { hook_id: id, version: 4 },
      { hook_id: id, version: 5 },
      { hook_id: id, version: 6 },
    ]);
  });

  it('a rollback with If-Match and a key is done once, and only to the hook that was read', async () => {
    const api = await managing(await app().another());
    const { id } = await api.done(201, 'POST', '/hooks', least);
    await api.done(200, 'PUT', `/hooks/${id}`, { ...least, function: nothing });
    const tagOf = async () => String((await api.call('GET', `/hooks/${id}`)).headers['etag']);
    const [tag, key] = [await tagOf(), 'one-rollback'];
    const roll = (ifMatch: string) =>
      api.call('POST', `/hooks/${id}/rollback`, {}, { 'if-match': ifMatch, 'idempotency-key': key });
    assertRefused(await roll('"former"'), 412);
    const done = await roll(tag);
    assert.equal(done.status, 200, done.text);
    assert.equal((await roll(tag)).text, done.text, 'the kept answer, though the tag is another one now');
    assert.notEqual(await tagOf(), tag);
    assert.equal((await api.done(200, 'GET', `/hooks/${id}/versions`)).length, 3);
  });

  it('a draft is set, read, replaced and deleted; only a pre-authentication has one', async () => {
    const on = await stage(app());
    const { api } = on;
    const { id } = await api.done(201, 'POST', '/hooks', least);
    const path = `/hooks/${id}/draft`;
    for (const [method, at] of [
      ['GET', path],
      ['DELETE', path],
      ['POST', `${path}/promote`],
      ['GET', `${path}/results`],
    ] as const) {
      assertRefused(await api.call(method, at), 404, /could not be found/, at);
    }
    const hook = await api.done(200, 'GET', `/hooks/${id}`);
    const set = await api.done(200, 'PUT', path, { function: nothing });
    assert.deepEqual(set, { function: nothing, updated_at: set.updated_at });
    assert.deepEqual(await api.done(200, 'GET', path), set);
    assert.deepEqual(await api.done(200, 'GET', `/hooks/${id}`), hook, 'the hook is as it was');
    const again = await api.done(200, 'PUT', path, { ...set });
    assert.ok(again.updated_at > set.updated_at);
    assertRefused(await api.call('PUT', path, { function: encoded('exports.handler = (') }), 422, /does not compile/);
    assertRefused(await api.call('PUT', path, { function: 'x' }), 422, /function must be base64/);
    assertRefused(await api.call('PUT', path, {}), 422, /function/);
    assert.deepEqual(await api.done(200, 'GET', path), again);
    await api.done(204, 'DELETE', path);
    assertRefused(await api.call('GET', path), 404);
    const migration = await api.done(201, 'POST', '/hooks', { ...least, type: 'user-migration' });
    const refused = await api.call('PUT', `/hooks/${migration.id}/draft`, { function: nothing });
    assertRefused(refused, 422, /^hook must be of type pre-authentication to have a draft$/);
    const told = (await on.told('hook.shadow_set')) as { readonly shadow: string }[];
    assert.deepEqual(
      told.map(({ shadow }) => shadow),
      ['on', 'on', 'off'],
    );
  });

  it('a promoted draft is the function of a new version, and no draft any more', async () => {
    const on = await stage(app());
    const { api } = on;
    const { id } = await api.done(201, 'POST', '/hooks', { ...least, retries: 3 });
    const path = `/hooks/${id}/draft`;
    await api.done(200, 'PUT', path, { function: noHandler });
    assertRefused(await api.call('POST', `${path}/promote`), 422, /^function exports no handler, but hander/);
    await api.done(200, 'PUT', path, { function: nothing });
    const tag = String((await api.call('GET', path)).headers['etag']);
    assertRefused(await api.call('POST', `${path}/promote`, undefined, { 'if-match': '"former"' }), 412);
    const live = await api.call('POST', `${path}/promote`, undefined, { 'if-match': tag });
    assert.deepEqual([live.status, live.body.function, live.body.retries], [200, nothing, 3]);
    assertRefused(await api.call('GET', path), 404);
    const [newest] = await api.done(200, 'GET', `/hooks/${id}/versions`);
    assert.deepEqual([newest.version, newest.function, newest.running], [2, nothing, true]);
    assert.deepEqual((await on.told('hook.changed')).at(-1), { hook_id: id, fields: ['function'], version: 2 });
  });

  it('promotion and rollback refuse a runtime that is not offered, a promotion also a hook of another type', async () => {
    const one = await app().another();
    const { services, account } = one;
    const api = await managing(one);
    const { id } = await api.done(201, 'POST', '/hooks', least);
    await api.done(200, 'PUT', `/hooks/${id}/draft`, { function: nothing });
    const elsewhere = { ...services, hookRuntimes: ['jsruntime99.x'] };
    await assert.rejects(promoteDraft(elsewhere, account, id), { code: 'value_invalid' });
    await api.done(200, 'PUT', `/hooks/${id}`, { ...least, disabled: true });
    await api.done(200, 'PUT', `/hooks/${id}`, least);
    await assert.rejects(rollBackHook(elsewhere, account, id), { code: 'value_invalid' });
    await api.done(200, 'PUT', `/hooks/${id}/draft`, { function: nothing });
    await api.done(200, 'PUT', `/hooks/${id}`, { ...least, type: 'user-migration' });
    const refused = await api.call('POST', `/hooks/${id}/draft/promote`);
    assertRefused(refused, 422, /^hook must be of type pre-authentication to have a draft$/);
  });

  it('results count the sign-ins that would have gone on otherwise, since the draft was set', async () => {
    const on = await stage(app());
    const { api } = on;
    const live = await on.policy({ sessionTimeoutMinutes: 3 });
    const id = await on.hook(`return { user: { policy_id: ${live.id} } };`);
    const path = `/hooks/${id}/draft`;
    const results = () => api.done(200, 'GET', `${path}/results`);
    const signIn = async () => {
      await on.signIn();
      await shadowsSettled(on.app.services.hooks);
    };
    const refusing = await api.done(200, 'PUT', path, { function: handlerOf('return { success: false };') });
    assert.deepEqual(await results(), { since: refusing.updated_at, same: 0, different: 0, differences: [] });
    await signIn();
    on.app.services.clock.advance(1000);
    await signIn();
    const [second, first] = await on.logs(id);
    const { same, different, differences } = await results();
    assert.deepEqual([same, different], [0, 2]);
    assert.deepEqual(
      differences,
      [second, first].map((run) => ({
        request_id: run?.request_id,
        correlation_id: run?.correlation_id,
        created_at: run?.created_at,
        live: { outcome: 'success', policy_id: live.id },
        draft: { outcome: 'refused', policy_id: null },
      })),
    );
    on.app.services.clock.advance(1000);
    const other = await api.done(200, 'PUT', path, {
      function: handlerOf(`return { user: { policy_id: ${live.id} } };`),
    });
    await signIn();
    assert.deepEqual(await results(), { since: other.updated_at, same: 1, different: 0, differences: [] });
    await api.done(200, 'PUT', path, { function: handlerOf('throw new Error("draft");') });
    on.app.services.clock.advance(1000);
    await signIn();
    assert.deepEqual((await results()).differences[0].draft, { outcome: 'error', policy_id: null });
  });
}
