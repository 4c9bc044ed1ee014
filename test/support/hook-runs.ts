/** Records of runs that did not happen, for what reads or replays them. */

import { randomUUID } from 'node:crypto';
import { sealReplay } from '../../src/domain/hooks/replay-records.ts';
import type { HookExecutionRecord } from '../../src/store/hook-executions.ts';
import type { TestApp } from './app.ts';

/** Adds one to the log of a hook; answers its `request_id`. */
export async function recordRun(
  { services, account }: Pick<TestApp, 'services' | 'account'>,
  uuid: string,
  given: Partial<HookExecutionRecord> = {},
): Promise<string> {
  const { store, clock } = services;
  const requestId = randomUUID();
  const hookId = given.hookId ?? (await store.hooks.find(account.id, uuid))?.hook.id ?? 0;
  const context = { user: { user_identifier: 'ada@example.com', policy_id: 1 } };
  const answer = { says: 'keep' };
  await store.hookExecutions.add([
    {
      ...{ accountId: account.id, hookId, requestId, correlationId: randomUUID(), createdAt: clock.now() },
      ...{ outcome: 'success', durationMilliseconds: 1, attempt: 1, events: ['recorded'], shadow: null },
      sealedReplay: sealReplay(services, account, requestId, { context, outcome: 'success', answer }),
      expiresAt: clock.now() + 1_000_000,
      ...given,
    },
  ]);
  return requestId;
}
