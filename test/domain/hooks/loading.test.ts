/** Functions without a handler that an older release stored: what is done with such a hook must not enable it. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { replaceHook, rollBackHook, switchHook } from '../../../src/domain/hooks/hooks.ts';
import { onApps } from './on-apps.ts';
import { handlerOf, stage } from './stage.ts';

onApps('a stored function without a handler', (app) => {
  it('is neither enabled nor rolled back to, and can be disabled', async () => {
    const on = await stage(app());
    const { services, account } = on.app;
    const { store } = services;
    const uuid = await on.hook('return null;');
    const found = await store.hooks.find(account.id, uuid);
    assert.ok(found);
    const { definition, hook } = found;
    const bad = { ...definition, function: Buffer.from('exports.hander = 1;').toString('base64') };
    const one = { accountId: account.id, id: hook.id, runningVersion: null, updatedAt: services.clock.now() };
    const author = { authorType: 'system', authorId: null };
    await store.hooks.addVersion({ ...one, ...author }, bad, null);
    const refusal = { code: 'value_invalid', detail: { name: 'function' } };
    const read = async () => (await store.hooks.find(account.id, uuid))?.definition.disabled;
    assert.equal((await switchHook(services, account, uuid, true)).warning, null);
    await assert.rejects(switchHook(services, account, uuid, false), (error) => {
      const { code, detail } = error as { code: string; detail: { name: string; message: string } };
      assert.deepEqual({ code, detail: { name: detail.name } }, refusal);
      return detail.message.startsWith('function exports no handler, but hander: ');
    });
    assert.equal(await read(), true);
    // The version before is the same function, enabled.
    await assert.rejects(rollBackHook(services, account, uuid), { code: 'value_invalid' });
    const input = { type: definition.type, function: handlerOf('return null;') };
    await replaceHook(services, account, uuid, input);
    assert.equal((await rollBackHook(services, account, uuid)).definition.disabled, true);
  });
});
