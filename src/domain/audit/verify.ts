import type { Services } from '../../services.ts';
import { type AuditedAccount, hashOf } from './record.ts';

const pageSize = 1000;

export interface Verification {
  /** Number of events, up to the first bad one. */
  readonly events: number;
  readonly verified: boolean;
  /** The place of the first event that was changed, moved, removed or inserted; null when there is none. */
  readonly firstBad: number | null;
}

/** The last event that was verified, and the hash that the next one goes on from. */
export interface Link {
  readonly id: number;
  readonly hash: string;
}

/** Where every chain begins. */
export const beginning: Link = { id: 0, hash: '' };

export interface VerifiedPart {
  readonly reached: Link;
  /** Whether the event after `reached`, or the end of the chain, is not what it was; or there is more to verify. */
  readonly state: 'whole' | 'bad' | 'more';
}

/**
 * Verifies the chain of an account after `last`, `most` events at most, page by page. It cannot detect that the newest
 * events and the end of the chain were reset together to an earlier state, as restoring a backup does. `report` is told
 * after each page how many events were verified, of how many.
 */
export async function verifyPart(
  { store, vault }: Pick<Services, 'store' | 'vault'>,
  account: AuditedAccount,
  last: Link,
  most: number,
  report: (done: number, total: number) => void = () => {},
): Promise<VerifiedPart> {
  // Read first: events appended meanwhile are left for the next time.
  const end = await store.events.findEnd(account.id);
  const stop = Math.min(end.lastId, last.id + most);
  let [reached, hash] = [last.id, last.hash];
  const as = (state: VerifiedPart['state']): VerifiedPart => ({ reached: { id: reached, hash }, state });
  let after = last.id === 0 ? Number.MIN_SAFE_INTEGER : last.id;
  while (reached < stop) {
    const page = await store.events.listAfter(account.id, after, pageSize);
    if (page.length === 0) return as('bad');
    for (const event of page.slice(0, stop - reached)) {
      if (event.id !== reached + 1 || event.hash !== hashOf(vault, account, event, hash)) return as('bad');
      [reached, hash] = [event.id, event.hash];
    }
    after = reached;
    report(reached, end.lastId);
  }
  if (reached < end.lastId) return as('more');
  return as(hash === end.lastHash && end.greatestId === end.lastId ? 'whole' : 'bad');
}

/** Verifies the whole chain of an account, from its first event to its end. */
export async function verifyTrail(
  services: Pick<Services, 'store' | 'vault'>,
  account: AuditedAccount,
  report?: (done: number, total: number) => void,
): Promise<Verification> {
  const { reached, state } = await verifyPart(services, account, beginning, Number.POSITIVE_INFINITY, report);
  const verified = state === 'whole';
  return { events: reached.id, verified, firstBad: verified ? null : reached.id + 1 };
}
