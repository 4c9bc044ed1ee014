/** Reads what the trail of an application's account says. */

import assert from 'node:assert/strict';
import type { ActorType } from '../../../src/domain/audit/context.ts';
import type { Action, TargetType } from '../../../src/domain/audit/events.ts';
import type { EventRecord } from '../../../src/store/events.ts';
import type { TestApp } from '../../support/app.ts';
import { readTable } from '../../support/rows.ts';

/** An event in short: action, outcome, actor, target and detail. */
export type Told = readonly [
  action: Action,
  actor: `${ActorType} ${number}` | ActorType,
  target: `${TargetType} ${number}` | TargetType,
  detail: object,
];

function named(type: string, id: number | null): string {
  return id === null ? type : `${type} ${id}`;
}

/** What `work` added to the trail. */
export async function toldBy({ services, account }: TestApp, work: () => Promise<unknown>): Promise<EventRecord[]> {
  const { lastId } = await services.store.events.findEnd(account.id);
  await work();
  return services.store.events.listAfter(account.id, lastId, 1000);
}

/** Asserts that `work` leaves exactly these events. */
export async function assertTold(
  app: TestApp,
  work: () => Promise<unknown>,
  expected: readonly Told[],
): Promise<EventRecord[]> {
  const events = await toldBy(app, work);
  const told = events.map(({ action, actorType, actorId, targetType, targetId, detail }) => [
    action,
    named(actorType, actorId),
    named(targetType, targetId),
    JSON.parse(detail),
  ]);
  assert.deepEqual(told, expected);
  return events;
}

/** `user/role` of every role assignment in the account. */
async function memberships({ url, account }: TestApp): Promise<ReadonlySet<string>> {
  const links = (await readTable(url, 'role_users')) as readonly Readonly<Record<string, unknown>>[];
  const own = links.filter((link) => Number(link['account_id']) === account.id);
  return new Set(own.map((link) => `${link['user_id']}/${link['role_id']}`));
}

/** Asserts that the trail records, once each, the roles that users got and lost by `work`, and their numbers. */
export async function assertRolesTold(
  app: TestApp,
  work: () => Promise<unknown>,
  expected: { readonly assigned: number; readonly withdrawn: number },
): Promise<void> {
  const before = await memberships(app);
  const events = await toldBy(app, work);
  const current = await memberships(app);
  const told = (wanted: Action) =>
    events
      .filter(({ action }) => action === wanted)
      .map(({ targetId, detail }) => `${targetId}/${JSON.parse(detail).role_id}`)
      .toSorted();
  const assigned = [...current].filter((one) => !before.has(one)).toSorted();
  const withdrawn = [...before].filter((one) => !current.has(one)).toSorted();
  assert.deepEqual({ assigned: assigned.length, withdrawn: withdrawn.length }, expected);
  assert.deepEqual([told('role.assigned'), told('role.withdrawn')], [assigned, withdrawn]);
}
