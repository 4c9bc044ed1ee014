import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { encoded } from './hooks.ts';
import { assertRefused, managing } from './managing.ts';

/** POST /api/2/hooks/{id}/test. */
export function hookTests(app: () => TestApp): void {
  const context = { user: { user_identifier: 'ada', policy_id: 1 } };

  it('runs the function once with the context, without any effect', async () => {
    const one = await app().another();
    const api = await managing(one);
    await api.done(201, 'POST', '/hooks/envs', { name: 'TOKEN', value: 'canary-55' });
    const source = `exports.handler = async (context) => {
      console.log('token ' + process.env.TOKEN + '\\nsecond line');
      console.error('bad', { token: process.env.TOKEN });
      return { given: context, names: Object.keys(process.env) };
    };`;
    const body = { type: 'pre-authentication', function: encoded(source), env_vars: ['TOKEN'], retries: 4 };
    const { id } = await api.done(201, 'POST', '/hooks', { ...body, disabled: true });
    const ran = await api.done(200, 'POST', `/hooks/${id}/test`, context);
    const [first = '', second, third = '', ...more] = ran.output;
    assert.match(first, /^20\d\d-\d\d-\d\dT[\d:.]+Z\t[\da-f-]{36}\tINFO\ttoken \*{4}$/);
    assert.equal(second, 'second line');
    assert.match(third, /\tERROR\tbad \{ token: '\*{4}' \}$/);
    assert.deepEqual(more, []);
    const { output: _, duration_ms: duration, ...rest } = ran;
    assert.ok(Number.isInteger(duration));
    const value = { given: context, names: ['TOKEN'] };
    assert.deepEqual(rest, { outcome: 'success', value, error: null, dropped: 0 });
    assert.deepEqual((await api.done(200, 'POST', `/hooks/${id}/test`, { context })).value.given, context);
    assert.deepEqual(await api.done(200, 'GET', `/hooks/${id}/logs`), []);
    assertRefused(await api.call('GET', `/hooks/${id}/logs?cursor=AAAA`), 422, /cursor/);
  });

  it('reports how it ended and what it threw, without the values of its variables', async () => {
    const one = await app().another();
    const api = await managing(one);
    await api.done(201, 'POST', '/hooks/envs', { name: 'TOKEN', value: 'canary-56' });
    const outcome = async (source: string) => {
      const body = { type: 'pre-authentication', function: encoded(source), env_vars: ['TOKEN'] };
      const { id } = await api.done(201, 'POST', '/hooks', body);
      return api.done(200, 'POST', `/hooks/${id}/test`, context);
    };
    const threw = await outcome("exports.handler = async () => { throw new Error('no ' + process.env.TOKEN); };");
    assert.deepEqual([threw.outcome, threw.value, threw.error], ['error', null, { name: 'Error', message: 'no ****' }]);
    assert.match(threw.output[0], /\tERROR\tError: no \*{4}$/);
    assert.equal((await outcome('exports.handler = () => { for (;;); };')).outcome, 'timeout');
    assert.equal((await outcome('exports.handler = async () => ({ success: false });')).outcome, 'refused');
    const nonsense = await outcome('exports.handler = async () => [1];');
    assert.deepEqual([nonsense.outcome, nonsense.value], ['invalid_result', [1]]);
    assert.match(nonsense.output.at(-1), /\tERROR\tinvalid_result: the answer is a list$/);
    const flood = await outcome('exports.handler = () => { for (let n = 0; n < 1000; n += 1) console.log(n); };');
    assert.equal(flood.dropped, 800);
    assert.match(flood.output.at(-1), /\tWARN\t800 lines dropped$/);
    assert.deepEqual((await outcome('')).output, []);
  });

  it('a context that is not an object is 422', async () => {
    const api = await managing(app());
    const { id } = await api.done(201, 'POST', '/hooks', { type: 'pre-authentication', function: '' });
    assertRefused(await api.call('POST', `/hooks/${id}/test`, []), 422, /must be an object/);
  });
}
