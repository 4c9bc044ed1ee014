import assert from 'node:assert/strict';
import { it } from 'node:test';
import { day } from '../../../src/domain/durations.ts';
import { readPolicyAnswer } from '../../../src/domain/hooks/answers.ts';
import { handlerOf, stage } from '../../domain/hooks/stage.ts';
import type { TestApp } from '../../support/app.ts';
import { recordRun } from '../../support/hook-runs.ts';
import { encoded, least } from './hooks.ts';
import { assertRefused, managing } from './managing.ts';

/** Runs of functions before they are saved, and of recorded contexts. */
export function hookTrials(app: () => TestApp): void {
  it('sample contexts have one for each type and version, with the policy of the account', async () => {
    const one = await app().another();
    const api = await managing(one);
    const samples = await api.done(200, 'GET', '/hooks/contexts');
    assert.deepEqual(
      samples.map(({ type, context_version: version }: Record<string, unknown>) => `${type} ${version}`),
      ['pre-authentication 1.0.0', 'pre-authentication 1.1.0', 'user-migration 1.0.0', 'user-migration 1.1.0'],
    );
    const policies = await api.done(200, 'GET', '/policies');
    const known = new Set<number>(policies.map(({ id }: { id: number }) => id));
    for (const { type, context_version: version, context } of samples) {
      assert.equal(context.context_version, version);
      const source = encoded('exports.handler = async (context) => ({ user: context.user, given: context });');
      const ran = await api.done(200, 'POST', '/hooks/test', { type, function: source, context });
      assert.deepEqual(ran.value.given, context);
      if (type === 'pre-authentication')
        assert.notEqual(readPolicyAnswer(ran.value, known).says, 'invalid', JSON.stringify(context));
    }
  });

  it('a function is run before it is saved, with variables, and without any effect', async () => {
    const api = await managing(await app().another());
    await api.done(201, 'POST', '/hooks/envs', { name: 'TOKEN', value: 'canary-57' });
    const source = encoded(`exports.handler = async (context) => {
      console.log('token ' + process.env.TOKEN);
      return { given: context, names: Object.keys(process.env) };
    };`);
    const body = { type: 'pre-authentication', function: source, env_vars: ['TOKEN'], context: { any: [1] } };
    const ran = await api.done(200, 'POST', '/hooks/test', body);
    assert.deepEqual(ran.value, { given: { any: [1] }, names: ['TOKEN'] });
    assert.match(ran.output[0], /\ttoken \*{4}$/);
    assert.deepEqual(await api.done(200, 'GET', '/hooks'), []);
    const empty = await api.done(200, 'POST', '/hooks/test', { ...body, function: '' });
    assert.deepEqual([empty.outcome, empty.value], ['success', null]);
    const refusing = encoded('exports.handler = async () => ({ success: false });');
    assert.equal((await api.done(200, 'POST', '/hooks/test', { ...body, function: refusing })).outcome, 'refused');
    for (const [wrong, words] of [
      [{ function: encoded('exports.handler = (') }, /does not compile: line 1/],
      [{ env_vars: ['MISSING'] }, /must be the name of a variable/],
      [{ timeout: 5 }, /^timeout must be 1 /],
      [{ runtime: 'other' }, /^runtime must be /],
      [{ packages: { lodash: '4.17.21' } }, /^packages must be those of a version whose packages are built; /],
      [{ context: [] }, /context/],
    ] as const) {
      assertRefused(await api.call('POST', '/hooks/test', { ...body, ...wrong }), 422, words);
    }
  });

  it('a recorded run is replayed against the live version, another one, the draft, and a function', async () => {
    const on = await stage(app());
    const { api } = on;
    const [one, other] = [await on.policy(), await on.policy()];
    const id = await on.hook(`console.log('live'); return { user: { policy_id: ${one.id} } };`);
    await on.signIn();
    const [run] = await on.logs(id);
    assert.ok(run);
    const replay = (body: object) => api.done(200, 'POST', `/hooks/${id}/logs/${run.request_id}/replay`, body);
    const live = await replay({});
    assert.deepEqual(live.recorded, { outcome: 'success', policy_id: one.id, output: run.events });
    const { output, duration_ms: duration, ...replayed } = live.replayed;
    const value = { user: { policy_id: one.id } };
    assert.deepEqual(replayed, { outcome: 'success', policy_id: one.id, value, error: null, dropped: 0 });
    assert.match(output[0], /\tlive$/);
    assert.ok(Number.isInteger(duration));
    assert.deepEqual([live.same, live.context.request_id], [true, run.request_id]);
    assert.equal(live.context.user.id, on.user.id);
    const source = handlerOf(`return { user: { policy_id: ${other.id} } };`);
    await api.done(200, 'PUT', `/hooks/${id}`, { ...least, function: source });
    await api.done(200, 'PUT', `/hooks/${id}/draft`, { function: handlerOf('return { success: false };') });
    const ended = async (body: object) => {
      const { same, replayed: so } = await replay(body);
      return [same, so.outcome, so.policy_id];
    };
    assert.deepEqual(await ended({}), [false, 'success', other.id]);
    assert.deepEqual(await ended({ version: 1 }), [true, 'success', one.id]);
    assert.deepEqual(await ended({ draft: true }), [false, 'refused', null]);
    assert.deepEqual(await ended({ function: handlerOf('throw new Error();') }), [false, 'error', null]);
    assert.deepEqual(await ended({ function: '' }), [false, 'success', null]);
    assert.equal((await on.logs(id)).length, 1, 'it leaves no record');
    assert.deepEqual((await on.told('hook.replayed')).at(-1), { hook_id: id, execution_id: run.request_id });
  });

  it('refuses what cannot be replayed', async () => {
    const on = await stage(app());
    const { api } = on;
    const { id } = await api.done(201, 'POST', '/hooks', least);
    const another = await api.done(201, 'POST', '/hooks', least);
    const run = await recordRun(on.app, id);
    const call = (path: string, body: object = {}) => api.call('POST', `/hooks/${path}/replay`, body);
    for (const path of [`${another.id}/logs/${run}`, `${id}/logs/unknown`, `unknown/logs/${run}`]) {
      assertRefused(await call(path), 404, /could not be found/, path);
    }
    for (const [body, words] of [
      [{ version: 1, draft: true }, /^version must be the only one of version, draft and function$/],
      [{ version: 2 }, /^version must be one that is kept$/],
      [{ draft: true }, /^draft is not set for this hook$/],
      [{ function: 'x' }, /^function must be base64$/],
      [{ draft: 'yes' }, /draft/],
    ] as const) {
      assertRefused(await call(`${id}/logs/${run}`, body), 422, words);
    }
    const unsealed = await recordRun(on.app, id, { sealedReplay: null });
    assertRefused(await call(`${id}/logs/${unsealed}`), 422, /its context was not kept/);
    await api.done(200, 'PUT', `/hooks/${id}`, { ...least, packages: { lodash: '4.17.21' } });
    assertRefused(await call(`${id}/logs/${run}`, { version: 2 }), 422, /its packages are not built/);
    on.app.services.clock.advance(7 * day);
    const later = await managing(on.app);
    assertRefused(await later.call('POST', `/hooks/${id}/logs/${run}/replay`, {}), 404, /could not be found/);
  });

  it('replays count towards the runs of the account', async () => {
    const on = await stage(app(), { 'limit.hooks': '1/h' });
    const keeping = handlerOf('return null;');
    const { id } = await on.api.done(201, 'POST', '/hooks', { ...least, function: keeping });
    const run = await recordRun(on.app, id);
    const outcome = async () =>
      (await on.api.done(200, 'POST', `/hooks/${id}/logs/${run}/replay`, {})).replayed.outcome;
    assert.deepEqual([await outcome(), await outcome()], ['success', 'unavailable']);
    const body = { type: 'pre-authentication', function: least.function, context: {} };
    assert.equal((await on.api.done(200, 'POST', '/hooks/test', body)).outcome, 'unavailable');
  });
}
