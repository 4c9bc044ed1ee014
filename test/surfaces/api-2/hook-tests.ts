import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { encoded } from './hooks.ts';
import { assertRefused, managing } from './managing.ts';

/** POST /api/2/hooks/{id}/test. */
export function hookTests(app: () => TestApp): void {
  const context = { user: { user_identifier: 'ada', policy_id: 1 } };

  it('runs the function once with the context, and nothing follows from it', async () => {
    const one = await app().another();
    const api = await managing(one);
    await api.done(201, 'POST', '/hooks/envs', { name: 'TOKEN', value: 'canary-55' });
    one.services.hooks.script('test-run-1', ({ context: given, variables }) => ({
      value: JSON.stringify({ given: JSON.parse(given), names: Object.keys(variables) }),
      output: [
        { at: 1_700_000_000_000, level: 'INFO', text: `token ${variables['TOKEN']}\nsecond line` },
        { at: 1_700_000_000_001, level: 'ERROR', text: 'bad' },
      ],
      dropped: 3,
      durationMilliseconds: 4.4,
    }));
    const body = { type: 'pre-authentication', function: encoded('// test-run-1'), env_vars: ['TOKEN'], retries: 4 };
    const { id } = await api.done(201, 'POST', '/hooks', { ...body, disabled: true });
    const calls = one.services.hooks.calls.length;
    const ran = await api.done(200, 'POST', `/hooks/${id}/test`, context);
    const [first = '', second, third = '', last = '', ...more] = ran.output;
    assert.match(first, /^2023-11-14T22:13:20\.000Z\t[\da-f-]{36}\tINFO\ttoken \*{4}$/);
    assert.equal(second, 'second line');
    assert.match(third, /^2023-11-14T22:13:20\.001Z\t[\da-f-]{36}\tERROR\tbad$/);
    assert.match(last, /\tWARN\t3 lines dropped$/);
    assert.deepEqual(more, []);
    const { output: _, ...rest } = ran;
    const value = { given: context, names: ['TOKEN'] };
    assert.deepEqual(rest, { outcome: 'success', value, error: null, dropped: 3, duration_ms: 4 });
    assert.deepEqual((await api.done(200, 'POST', `/hooks/${id}/test`, { context })).value.given, context);
    assert.equal(one.services.hooks.calls.length, calls + 2);
    assert.deepEqual(await api.done(200, 'GET', `/hooks/${id}/logs`), []);
  });

  it('says how it ended, and what it threw without the values of its variables', async () => {
    const one = await app().another();
    const api = await managing(one);
    await api.done(201, 'POST', '/hooks/envs', { name: 'TOKEN', value: 'canary-56' });
    const { hooks } = one.services;
    hooks.script('test-threw', () => ({ ending: 'error', error: { name: 'Error', message: 'no canary-56' } }));
    hooks.script('test-timeout', () => ({ ending: 'timeout' }));
    hooks.script('test-refuses', () => ({ value: '{"success":false}' }));
    hooks.script('test-nonsense', () => ({ value: '[1]' }));
    const outcome = async (source: string) => {
      const body = { type: 'pre-authentication', function: encoded(source), env_vars: ['TOKEN'] };
      const { id } = await api.done(201, 'POST', '/hooks', body);
      return api.done(200, 'POST', `/hooks/${id}/test`, context);
    };
    const threw = await outcome('// test-threw');
    assert.deepEqual([threw.outcome, threw.value, threw.error], ['error', null, { name: 'Error', message: 'no ****' }]);
    assert.match(threw.output[0], /\tERROR\tError: no \*{4}$/);
    assert.equal((await outcome('// test-timeout')).outcome, 'timeout');
    assert.equal((await outcome('// test-refuses')).outcome, 'refused');
    const nonsense = await outcome('// test-nonsense');
    assert.deepEqual([nonsense.outcome, nonsense.value], ['invalid_result', [1]]);
    assert.deepEqual((await outcome('')).output, []);
  });

  it('a context that is no object is 422', async () => {
    const api = await managing(app());
    const { id } = await api.done(201, 'POST', '/hooks', { type: 'pre-authentication', function: '' });
    assertRefused(await api.call('POST', `/hooks/${id}/test`, []), 422);
  });
}
