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

/**
 * Verifies the chain of an account from its first event to its end, page by page. It cannot detect that the newest
 * events and the end of the chain were reset together to an earlier state, as restoring a backup does. `report` is told
 * after each page how many events were verified, of how many.
 */
export async function verifyTrail(
  { store, vault }: Pick<Services, 'store' | 'vault'>,
  account: AuditedAccount,
  report: (done: number, total: number) => void = () => {},
): Promise<Verification> {
  // Read first: events appended meanwhile are left for the next time.
  const end = await store.events.findEnd(account.id);
  let [reached, hash] = [0, ''];
  const bad = (): Verification => ({ events: reached, verified: false, firstBad: reached + 1 });
  let after = Number.MIN_SAFE_INTEGER;
  while (reached < end.lastId) {
    const page = await store.events.listAfter(account.id, after, pageSize);
    if (page.length === 0) return bad();
    for (const event of page.slice(0, end.lastId - reached)) {
      if (event.id !== reached + 1 || event.hash !== hashOf(vault, account, event, hash)) return bad();
      [reached, hash] = [event.id, event.hash];
    }
    after = reached;
    report(reached, end.lastId);
  }
  const whole = hash === end.lastHash && end.greatestId === end.lastId;
  return whole ? { events: reached, verified: true, firstBad: null } : bad();
}
