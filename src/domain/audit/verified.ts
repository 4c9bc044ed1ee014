/** When the trail of an account was last found to be whole: what nobody verifies, nobody can rely on. */

import { timingSafeEqual } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { AccountRecord } from '../../store/accounts.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { AuditedAccount } from './record.ts';
import { beginning, type Link, type Verification, verifyPart } from './verify.ts';

type Verified = Pick<AccountRecord, 'id' | 'createdAt'>;
type Kept = Pick<Services, 'store' | 'clock' | 'vault'>;

/** When; read by the metric of all accounts. */
function factOf({ id }: Pick<Verified, 'id'>): string {
  return `audit_verified ${id}`;
}

function chainFactOf({ id }: Pick<Verified, 'id'>): string {
  return `audit_chain ${id}`;
}

/** What was known when a verification began. */
export interface Begun {
  readonly at: Milliseconds;
  /** How many alarms there had been: it ends none that came later. */
  readonly alarms: number;
}

/** Where a verification goes on. */
interface Run extends Link {
  readonly begun: Begun;
  /** Without it, whoever can write to the database could place a run behind the event that they changed. */
  readonly seal: string;
}

/** What verifications have found; `Chain` tells it. */
interface Findings {
  readonly events: number | null;
  readonly firstBad: number | null;
  readonly alarms: number;
  readonly run: Run | null;
  /** In a fact of its own. */
  readonly verifiedAt: Milliseconds | null;
}

const nothingFound: Findings = { events: null, firstBad: null, alarms: 0, run: null, verifiedAt: null };

/** A verification that takes longer begins again: what it read first may have been changed since. */
const longestRun: Milliseconds = 3_600_000;

async function findingsIn(
  { facts }: Pick<StoreVerbs, 'facts'>,
  account: Pick<Verified, 'id'>,
  kept: string | null,
): Promise<Findings> {
  const at = await facts.read(factOf(account));
  const found = kept === null ? nothingFound : { ...nothingFound, ...(JSON.parse(kept) as Findings) };
  return { ...found, verifiedAt: at === null ? null : Number(at) };
}

async function readFindings({ store }: Pick<Services, 'store'>, account: Pick<Verified, 'id'>): Promise<Findings> {
  return findingsIn(store, account, await store.facts.read(chainFactOf(account)));
}

function sealOf({ vault }: Kept, { record }: AuditedAccount, { id, hash, begun }: Omit<Run, 'seal'>): string {
  return vault.mac(record, 'audit run', JSON.stringify([id, hash, begun.at, begun.alarms])).toString('base64url');
}

/** Null for a run that this service did not keep, or that began too long ago. */
function trusted(services: Kept, account: AuditedAccount, { run }: Findings): Run | null {
  if (!run?.begun || typeof run.seal !== 'string') return null;
  const [kept, made] = [run.seal, sealOf(services, account, run)].map((one) => Buffer.from(one)) as [Buffer, Buffer];
  if (kept.length !== made.length || !timingSafeEqual(kept, made)) return null;
  return services.clock.now() - run.begun.at > longestRun ? null : run;
}

/**
 * Keeps what a verification adds to what is known by now, when others may have ended or gone on; `add` answers null for
 * nothing.
 */
async function keep(
  { store }: Kept,
  account: Pick<Verified, 'id'>,
  add: (now: Findings) => Findings | null,
): Promise<void> {
  await store.transaction(async (tx) => {
    const now = await findingsIn(tx, account, await tx.facts.hold(chainFactOf(account), JSON.stringify(nothingFound)));
    const added = add(now);
    if (added === null) return;
    const { verifiedAt: at, ...findings } = added;
    await tx.facts.replace(chainFactOf(account), JSON.stringify(findings));
    if (at !== now.verifiedAt) await tx.facts.replace(factOf(account), String(at));
  });
}

/** Call it before a verification of the whole trail, for `noteVerification`. */
export async function beginVerification(
  services: Pick<Services, 'store' | 'clock'>,
  account: Pick<Verified, 'id'>,
): Promise<Begun> {
  const at = services.clock.now();
  return { at, alarms: (await readFindings(services, account)).alarms };
}

/** Keeps what a verification of the whole trail found. */
export async function noteVerification(
  services: Kept,
  account: Pick<Verified, 'id'>,
  begun: Begun,
  { events, verified, firstBad }: Verification,
): Promise<void> {
  await keep(services, account, (now) => (verified ? whole(now, begun, events) : bad(now, firstBad)));
}

/** Whatever others found meanwhile, an alarm is kept. */
function bad(now: Findings, firstBad: number | null): Findings {
  return { ...now, firstBad, alarms: now.alarms + 1, run: null };
}

function whole(now: Findings, begun: Begun, events: number): Findings {
  const firstBad = now.alarms === begun.alarms ? null : now.firstBad;
  // One that began later may have ended first.
  const isNewer = now.verifiedAt === null || now.verifiedAt <= begun.at;
  return { ...now, ...(isNewer ? { events, verifiedAt: begun.at } : {}), firstBad, run: null };
}

/** When the account was made, if its trail was never verified. */
export async function verifiedAt({ store }: Pick<Services, 'store'>, account: Verified): Promise<Milliseconds> {
  return Number((await store.facts.read(factOf(account))) ?? account.createdAt);
}

/** How the trail of an account stands. */
export interface Chain {
  /** How many events there are. */
  readonly events: number;
  /** When the verification that last found all of them right began; null: none did. */
  readonly verifiedAt: Milliseconds | null;
  /** How many there were then; null where that is not known. */
  readonly verifiedEvents: number | null;
  /** The first that the last verification found changed, moved, removed or inserted. */
  readonly firstBad: number | null;
  /** How many events the verification under way has been through; null: none is. */
  readonly reached: number | null;
}

export async function readChain(services: Kept, account: AuditedAccount): Promise<Chain> {
  const { store } = services;
  const { lastId } = await store.events.findEnd(account.id);
  const findings = await readFindings(services, account);
  const { events, firstBad, verifiedAt } = findings;
  return {
    events: lastId,
    verifiedAt,
    verifiedEvents: events,
    firstBad,
    reached: trusted(services, account, findings)?.id ?? null,
  };
}

/** How many events one call verifies: what a request may cost. */
const mostAtOnce = 10_000;

/**
 * Verifies the next part of the trail, from the first event where no verification is under way. It reads outside the
 * transaction that keeps what it found, so that others wait for none of its reading.
 */
export async function verifyNextPart(services: Kept, account: AuditedAccount, most = mostAtOnce): Promise<Chain> {
  const begunAt = services.clock.now();
  const former = await readFindings(services, account);
  const run = trusted(services, account, former);
  const begun = run?.begun ?? { at: begunAt, alarms: former.alarms };
  const { reached, state } = await verifyPart(services, account, run ?? beginning, most);
  const next = { ...reached, begun };
  const kept = { ...next, seal: sealOf(services, account, next) };
  await keep(services, account, (now) => {
    if (state === 'bad') return bad(now, reached.id + 1);
    // Another one has gone on, or ended, where the run is not the same any more.
    if (JSON.stringify(now.run) !== JSON.stringify(former.run)) return null;
    return state === 'more' ? { ...now, run: kept } : whole(now, begun, reached.id);
  });
  return readChain(services, account);
}
