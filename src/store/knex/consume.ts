/** A batch of refresh tokens: what both databases do with what the domain's rule said. */

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

/** What the trail says of the batch: of the usual one, nothing. */
export function eventsOf(batch: readonly Consumption[], outcomes: readonly ConsumptionOutcome[]): NewEvent[] {
  const events: NewEvent[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const event = outcome.outcome === 'rotated' ? undefined : batch[index]?.eventOf(outcome);
    if (event) events.push(event);
  }
  return events;
}
