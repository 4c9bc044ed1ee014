import type { Services } from '../../services.ts';
import { type AuditedAccount, hashOf } from './record.ts';

const pageSize = 1000;

export interface Verification {
  /** How many events there are, up to the first bad one. */
  readonly events: number;
  readonly verified: boolean;
  /** The place of the first event that was changed, moved, removed or put in; null when all are as they were written. */
  readonly firstBad: number | null;
}

/**
 * Follows the chain of an account from its first event to where it ends, page by page. What it cannot find: that the
 * newest events and the end of the chain were put back together to an earlier state, as restoring a backup does.
 */
export async function verifyTrail(
  { store, vault }: Pick<Services, 'store' | 'vault'>,
  account: AuditedAccount,
): Promise<Verification> {
  // Read first: what is appended meanwhile is left to the next time.
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
  }
  const whole = hash === end.lastHash && end.greatestId === end.lastId;
  return whole ? { events: reached, verified: true, firstBad: null } : bad();
}
