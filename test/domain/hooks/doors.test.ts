/** The table of doors in docs/hooks.md: derived from walks through every door, and held equal to them. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { openTestApp } from '../../support/app.ts';
import { isSampled, sampledDatabases } from '../../support/sample.ts';
import { fail, type Script, scriptedHooks } from '../../support/scripted-hooks.ts';
import { type Door, doors, type End, type Ground, makeHook, migratedRole } from './doors.ts';

/** Rows of the table, as the page has them: door, runs, refuses, fails, demands. */
function written(): Map<string, readonly string[]> {
  const page = readFileSync(new URL('../../../docs/hooks.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| Door | Runs |');
  const rows = (table.split('\n\n')[0] ?? '').split('\n').slice(2);
  return new Map(
    rows.map((row) => {
      const [, door = '', ...cells] = row.split('|').map((cell) => cell.trim());
      return [door, cells.slice(0, 4)];
    }),
  );
}

for (const kind of sampledDatabases) {
  describe(`doors and hooks on ${kind}`, () => {
    const hooks = scriptedHooks();
    const settings = {
      'limit.sign-in': 'off',
      'limit.reset': 'off',
      'limit.api-2': 'off',
      'grant.password': 'on',
    };
    let ground: Ground;
    before(async () => {
      const app = await openTestApp(kind, { settings: { ...settings, 'limit.register': 'off' }, services: { hooks } });
      const { services, account } = app;
      await createRole(services, account, { name: migratedRole });
      await setAccount(services, account.subdomain, { hook_migration_roles: migratedRole });
      ground = { app, hooks, demanding: new Map() };
      await makeHook(ground);
      await makeHook(ground, 'user-migration');
    });
    after(() => ground.app.dispose());

    /** The hook answers so while the door is walked through, and lets everybody pass before. */
    async function walked(door: Door, script: Script): Promise<{ readonly runs: boolean; readonly end: End }> {
      hooks.answer = () => null;
      const through = await door(ground);
      const before = hooks.seen.length;
      hooks.answer = script;
      const end = await through();
      return { runs: hooks.seen.length > before, end };
    }

    const scripts: Readonly<Record<string, Script>> = {
      refuses: () => ({ success: false }),
      fails: () => fail,
      demands: ({ user }) => ({ user: { policy_id: ground.demanding.get(Object(user).policy_id) } }),
    };

    it('names every door', () => assert.deepEqual([...written().keys()], Object.keys(doors)));

    // Each door with a refusal, and with one of the others; the drill M5 tries all of them.
    for (const [row, [name, door]] of Object.entries(doors).entries()) {
      for (const [at, [answer, script]] of Object.entries(scripts).entries()) {
        if (answer !== 'refuses' && !isSampled(row + at, 2)) continue;
        it(`${name}: a hook that ${answer}`, async () => {
          const { runs, end } = await walked(door, script);
          const [documented, ...ends] = written().get(name) ?? [];
          assert.deepEqual([runs ? 'yes' : 'no', end], [documented, ends[at]]);
        });
      }
    }
  });
}
