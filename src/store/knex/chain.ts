/** The chain of an account's events: what both engines have in common. */

import type { EventRecord, NewEvent } from '../events.ts';

/** Where the chain of an account ends, as read under its lock. */
export interface Head {
  readonly lastId: number;
  readonly lastHash: string;
}

export const noHead: Head = { lastId: 0, lastHash: '' };

/** The accounts of the events, in the order in which every process locks the ends of their chains. */
export function accountsOf(events: readonly NewEvent[]): number[] {
  return [...new Set(events.map(({ accountId }) => accountId))].sort((one, other) => one - other);
}

/** Gives the events their places, in the order given, and moves the `heads` of their accounts behind them. */
export function link(heads: Map<number, Head>, events: readonly NewEvent[]): EventRecord[] {
  return events.map(({ seal, ...event }) => {
    const head = heads.get(event.accountId) ?? noHead;
    const id = head.lastId + 1;
    const hash = seal(id, head.lastHash);
    heads.set(event.accountId, { lastId: id, lastHash: hash });
    return { ...event, id, hash };
  });
}
