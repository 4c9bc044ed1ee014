/** A batch of refresh tokens: how both databases apply the domain's verdicts. */

import type { Consumption, ConsumptionOutcome } from '../consumption.ts';
import type { NewEvent } from '../events.ts';
import type { GrantRecord } from '../grants.ts';

export const reuseReason = 'refresh_token_reused';

/** The grant after its current token was used. */
export function rotated(grant: GrantRecord, consumption: Consumption): GrantRecord {
  return {
    ...grant,
    currentDigest: consumption.successorDigest,
    previousDigest: grant.currentDigest,
    successorSalt: consumption.successorSalt,
    rotatedAt: consumption.now,
    generation: grant.generation + 1,
    idleExpiresAt: consumption.idleExpiresAt,
  };
}

/** The events of the batch; rotations have none. */
export function eventsOf(batch: readonly Consumption[], outcomes: readonly ConsumptionOutcome[]): NewEvent[] {
  const events: NewEvent[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const event = outcome.outcome === 'rotated' ? undefined : batch[index]?.eventOf(outcome);
    if (event) events.push(event);
  }
  return events;
}
