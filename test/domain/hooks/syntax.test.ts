/** Functions are checked before anything is stored or run, a few at a time. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setDraft, setShadow } from '../../../src/domain/hooks/drafts.ts';
import { createHook, replaceHook } from '../../../src/domain/hooks/hooks.ts';
import { replay } from '../../../src/domain/hooks/replay.ts';
import type { SyntaxVerdict } from '../../../src/domain/hooks/runner.ts';
import { readFunction } from '../../../src/domain/hooks/source.ts';
import { tryFunction } from '../../../src/domain/hooks/trial.ts';
import { gate, scriptedHooks } from '../../support/scripted-hooks.ts';
import { createTestAccount } from '../../support/services.ts';
import { onServices } from '../subject.ts';

onServices('the check of functions', (subject) => {
  it('what takes too long to compile is refused wherever a function is taken, and changes nothing', async () => {
    let verdict: SyntaxVerdict = { says: 'compiles' };
    const hooks = { ...scriptedHooks(), checkSyntax: async () => verdict };
    const services = { ...subject.services, hooks };
    const account = await createTestAccount(services);
    const source = 'exports.handler = async () => null;';
    const encoded = Buffer.from(source).toString('base64');
    const input = { type: 'pre-authentication', function: encoded };
    const { hook } = await createHook(services, account, input);
    const ways = [
      () => createHook(services, account, input),
      () => replaceHook(services, account, hook.uuid, input),
      () => setDraft(services, account, hook.uuid, encoded),
      () => setShadow(services, account, hook.uuid, source),
      () => tryFunction(services, account, input, {}),
      () => replay(services, account, 'a-run', source),
    ];
    const refusals = [
      [{ says: 'too_slow' }, { code: 'value_invalid', message: 'function takes longer than 2 seconds to compile' }],
      [
        { says: 'error', line: 3, column: 7, message: 'Unexpected token' },
        { code: 'value_invalid', message: 'function does not compile: line 3, column 7: Unexpected token' },
      ],
      [{ says: 'unavailable' }, { code: 'unavailable' }],
    ] as const;
    for (const [said, refusal] of refusals) {
      verdict = said;
      for (const way of ways) await assert.rejects(way(), refusal);
    }
    assert.equal(await services.store.hooks.count(account.id), 1);
    const kept = await services.store.hooks.find(account.id, hook.uuid);
    assert.equal(kept?.hook.version, hook.version);
    assert.equal(kept?.hook.shadowFunction, null);
    assert.deepEqual(hooks.seen, []);
  });

  it('an account has one check at a time, all accounts two', async () => {
    const underWay = new Map<string, () => void>();
    const checkSyntax = async (source: string): Promise<SyntaxVerdict> => {
      const held = gate();
      underWay.set(source, held.open);
      await held.opened;
      return { says: 'compiles' };
    };
    const services = { ...subject.services, hooks: { ...scriptedHooks(), checkSyntax } };
    const [busy, second, third] = [
      await createTestAccount(services),
      await createTestAccount(services),
      await createTestAccount(services),
    ];
    const check = (account: typeof busy, source: string) =>
      readFunction(services, account, Buffer.from(source).toString('base64'));
    const all = ['a1', 'a2', 'a3'].map((source) => check(busy, source));
    all.push(check(second, 'b1'), check(third, 'c1'));
    const settled = async () => {
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      return [...underWay.keys()].map(([account]) => account);
    };
    assert.deepEqual(await settled(), ['a', 'b'], 'two, though the first account wants three');
    for (const _ of all) {
      const accounts = await settled();
      assert.ok(accounts.length <= 2 && new Set(accounts).size === accounts.length, accounts.join(' '));
      const [[source, end] = ['', () => assert.fail('nothing is under way')]] = underWay;
      underWay.delete(source);
      end();
    }
    await Promise.all(all);
    assert.equal(await readFunction(services, busy, ''), '', 'the empty one needs no turn');
  });
});
