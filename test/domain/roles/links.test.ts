/** How many roles callers give and take in an hour. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Actor, actAs } from '../../../src/domain/audit/context.ts';
import { assignRoles, withdrawRoles } from '../../../src/domain/roles/links.ts';
import { createTestAccount } from '../../support/services.ts';
import { onServices } from '../subject.ts';

onServices('links of roles', (subject) => {
  test('callers give and take a million in an hour; the command line is not bounded', async () => {
    const { services } = subject;
    using _ = services.clock.hold();
    const account = await createTestAccount(services);
    const ids = Array.from({ length: 600_000 }, (_each, at) => at + 1);
    const { store } = services;
    // The first event would be recorded.
    const events = { ...store.events, append: () => Promise.reject(new Error('recorded')) };
    const roles = { ...store.roles, assign: async () => ids, withdraw: async () => ids.slice(200_000) };
    const tx = { ...store, events, roles };
    const credential: Actor = { type: 'credential', id: 1 };
    const as = (actor: Actor, work: () => Promise<void>) => actAs({ actor, source: null, requestId: null }, work);
    const give = (to: typeof account) => () => assignRoles(services, tx, to, 1, [], services.clock.now());
    await assert.rejects(as(credential, give(account)), /recorded/);
    await assert.rejects(as(credential, give(account)), { code: 'rate_limited' });
    await assert.rejects(
      as(credential, () => withdrawRoles(services, tx, account, 1, [])),
      /recorded/,
      'the rest',
    );
    await assert.rejects(
      as(credential, () => withdrawRoles(services, tx, account, 1, [])),
      { code: 'rate_limited' },
    );
    await assert.rejects(as({ type: 'command_line', id: null }, give(account)), /recorded/);
    await assert.rejects(as(credential, give(await createTestAccount(services))), /recorded/);
    services.clock.advance(3_600_000);
    await assert.rejects(as(credential, give(account)), /recorded/);
  });
});
