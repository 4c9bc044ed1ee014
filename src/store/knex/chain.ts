/** The chain of an account's events: the part that both engines share. */

import type { EventRecord, NewEvent } from '../events.ts';

/** The end of an account's chain, read while it is locked. */
export interface Head {
  readonly lastId: number;
  readonly lastHash: string;
}

export const noHead: Head = { lastId: 0, lastHash: '' };

/** The accounts of the events, in the order in which all processes lock their chains. */
export function accountsOf(events: readonly NewEvent[]): number[] {
  return [...new Set(events.map(({ accountId }) => accountId))].sort((one, other) => one - other);
}

/** Gives the events their places, in the given order, and moves the `heads` of their accounts. */
export function link(heads: Map<number, Head>, events: readonly NewEvent[]): EventRecord[] {
  return events.map(({ seal, ...event }) => {
    const head = heads.get(event.accountId) ?? noHead;
    const id = head.lastId + 1;
    const hash = seal(id, head.lastHash);
    heads.set(event.accountId, { lastId: id, lastHash: hash });
    return { ...event, id, hash };
  });
}
