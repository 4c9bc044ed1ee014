/** Reads what the trail of an application's account says. */

import assert from 'node:assert/strict';
import type { Action, TargetType } from '../../../src/domain/audit/events.ts';
import type { ActorType } from '../../../src/domain/audit/origin.ts';
import type { EventRecord } from '../../../src/store/records.ts';
import type { TestApp } from '../../support/app.ts';

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
