/** When the trail of an account was last found to be whole: what nobody verifies, nobody can rely on. */

import type { Services } from '../../services.ts';
import type { AccountRecord } from '../../store/accounts.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { AuditedAccount } from './record.ts';
import { beginning, type Link, type Verification, verifyPart } from './verify.ts';

type Verified = Pick<AccountRecord, 'id' | 'createdAt'>;
type Kept = Pick<Services, 'store' | 'clock'>;

/** When; read by the metric of all accounts. */
function factOf({ id }: Pick<Verified, 'id'>): string {
  return `audit_verified ${id}`;
}

function chainFactOf({ id }: Pick<Verified, 'id'>): string {
  return `audit_chain ${id}`;
}

/** What verifications have found; `Chain` tells it. */
interface Findings {
  readonly events: number | null;
  readonly firstBad: number | null;
  readonly run: Link | null;
}

async function readFindings({ store }: Pick<Services, 'store'>, account: Pick<Verified, 'id'>): Promise<Findings> {
  const text = await store.facts.read(chainFactOf(account));
  return text === null ? { events: null, firstBad: null, run: null } : (JSON.parse(text) as Findings);
}

async function keepFindings({ store }: Kept, account: Pick<Verified, 'id'>, findings: Findings): Promise<void> {
  await store.facts.replace(chainFactOf(account), JSON.stringify(findings));
}

/** Keeps what a verification of the whole trail found. */
export async function noteVerification(
  services: Kept,
  account: Pick<Verified, 'id'>,
  { events, verified, firstBad }: Verification,
): Promise<void> {
  if (!verified) {
    const former = await readFindings(services, account);
    return keepFindings(services, account, { ...former, firstBad, run: null });
  }
  await services.store.facts.replace(factOf(account), String(services.clock.now()));
  await keepFindings(services, account, { events, firstBad: null, run: null });
}

/** When the account was made, if its trail was never verified. */
export async function verifiedAt({ store }: Pick<Services, 'store'>, account: Verified): Promise<Milliseconds> {
  return Number((await store.facts.read(factOf(account))) ?? account.createdAt);
}

/** How the trail of an account stands. */
export interface Chain {
  /** How many events there are. */
  readonly events: number;
  /** When all of them were last verified; null: never. */
  readonly verifiedAt: Milliseconds | null;
  /** How many there were then; null where that is not known. */
  readonly verifiedEvents: number | null;
  /** The first that the last verification found changed, moved, removed or inserted. */
  readonly firstBad: number | null;
  /** How many events the verification under way has been through; null: none is. */
  readonly reached: number | null;
}

export async function readChain({ store }: Pick<Services, 'store'>, account: Pick<Verified, 'id'>): Promise<Chain> {
  const { lastId } = await store.events.findEnd(account.id);
  const { events, firstBad, run } = await readFindings({ store }, account);
  const at = await store.facts.read(factOf(account));
  return {
    events: lastId,
    verifiedAt: at === null ? null : Number(at),
    verifiedEvents: events,
    firstBad,
    reached: run?.id ?? null,
  };
}

/** How many events one call verifies: what a request may cost. */
const mostAtOnce = 10_000;

/** Verifies the next part of the trail, from the first event where no verification is under way. */
export async function verifyNextPart(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: AuditedAccount,
  most = mostAtOnce,
): Promise<Chain> {
  const former = await readFindings(services, account);
  const { reached, state } = await verifyPart(services, account, former.run ?? beginning, most);
  if (state === 'more') await keepFindings(services, account, { ...former, run: reached });
  else {
    const verified = state === 'whole';
    const found = { events: reached.id, verified, firstBad: verified ? null : reached.id + 1 };
    await noteVerification(services, account, found);
  }
  return readChain(services, account);
}
