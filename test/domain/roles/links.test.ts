/** How many roles callers give in an hour. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ActorType, actAs } from '../../../src/domain/audit/context.ts';
import { assignRoles, withdrawRoles } from '../../../src/domain/roles/links.ts';
import type { CommitCheck } from '../../../src/store/events.ts';
import { createTestAccount } from '../../support/services.ts';
import { onServices } from '../subject.ts';

onServices('links of roles', (subject) => {
  test('callers give a million in an hour; the command line and what is undone are not bounded, nor is taking', async () => {
    const { services } = subject;
    using _ = services.clock.hold();
    const account = await createTestAccount(services);
    const ids = Array.from({ length: 600_000 }, (_each, at) => at + 1);
    const { store } = services;
    const checks: CommitCheck[] = [];
    // The first event would be recorded.
    const recorded = new Error('recorded');
    const beforeCommit = async (check: CommitCheck) => void checks.push(check);
    const events = { ...store.events, append: () => Promise.reject(recorded), beforeCommit };
    const roles = { ...store.roles, assign: async () => ids, withdraw: async () => ids };
    const tx = { ...store, events, roles };
    const as = (type: ActorType, work: () => Promise<void>) =>
      actAs({ actor: { type, id: 1 }, source: null, requestId: null }, work);
    /** Gives the roles, and commits. */
    const give = (type: ActorType, to = account) =>
      as(type, async () => {
        await assert.rejects(assignRoles(services, tx, to, 1, [], services.clock.now()), recorded);
        for (const check of checks.splice(0)) await check(store, store);
      });
    await as('credential', async () => {
      await assert.rejects(assignRoles(services, tx, account, 1, [], services.clock.now()), recorded);
      checks.length = 0;
    });
    await give('credential');
    await assert.rejects(give('API'), { code: 'rate_limited' });
    await as('user', () => assert.rejects(withdrawRoles(services, tx, account, 1, []), recorded));
    assert.deepEqual(checks, []);
    await give('command_line');
    await give('credential', await createTestAccount(services));
    services.clock.advance(3_600_000);
    await give('credential');
  });
});
