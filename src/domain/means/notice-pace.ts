/**
 * How many messages about changes go out: to one address, and from one account to addresses that nobody has proved. What
 * is too much waits, as one message, and is not lost: else whoever exhausts a limit could make a change that nobody
 * hears of. How many may wait is decided where they are added (`note-change.ts`).
 */

import type { Services } from '../../services.ts';
import {
  type ChangeNoticeRecord,
  type ChangeNoticeStore,
  type NoticeStanding,
  noticeStandings,
} from '../../store/change-notices.ts';
import type { New } from '../../store/row.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { hour } from '../durations.ts';
import { digestOf } from '../secrets.ts';
import { foldIdentifier } from '../users/identifiers.ts';

/** So many go at once, and one each `period` after that. */
interface Pace {
  readonly atOnce: number;
  readonly period: Milliseconds;
}

/** To one address: its owner hears of the first changes at once, and of what follows within the hour. */
const toAddress: Readonly<Record<NoticeStanding, Pace>> = {
  proven: { atOnce: 5, period: hour },
  unproven: { atOnce: 1, period: hour },
};

/** From an account to all unproven addresses: strangers get 7,200 a day at most. */
const ofAccount: Pace = { atOnce: 300, period: hour / 300 };

/**
 * Messages to unproven addresses that callers without `manage_all` may have waiting, and places before them: the last of
 * those goes within 20 hours, before a reset link may go to an address that they wrote (`authority.ts`).
 */
const mostUnproven = 3_000;

const accountDigest = digestOf('change notices to unproven addresses');

/** Whether as many wait; those that went or were merged have used up their places, too. */
export async function isFull(
  changeNotices: Pick<ChangeNoticeStore, 'countUnproven' | 'findPace'>,
  { id }: Pick<Account, 'id'>,
  now: Milliseconds,
): Promise<boolean> {
  if ((await changeNotices.countUnproven(id, mostUnproven)) >= mostUnproven) return true;
  const freeAt = await changeNotices.findPace(id, accountDigest);
  return freeAt - now >= mostUnproven * ofAccount.period;
}

/** The same for all spellings of an address: whoever reads one of them reads all. */
export function mailboxOf(address: string): string {
  return foldIdentifier(address) ?? address;
}

/**
 * Lets a message go, for all its attempts, or holds it back together with others to its address. Returns whether it goes
 * now.
 */
export function paceNotice(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  { accountId, id, address, standing, dueAt }: ChangeNoticeRecord,
): Promise<boolean> {
  // An allowance for each standing: what strangers got must not delay the first message to an owner.
  const digest = digestOf(`change notices, ${standing}: ${mailboxOf(address)}`);
  return store.transaction(async ({ changeNotices }) => {
    const now = clock.now();
    const freeAt = await changeNotices.lockPace(accountId, digest);
    const held = await changeNotices.findHeld(accountId, address, now);
    const ids = [id, ...held.map((one) => one.id)];
    const joined = held.find((one) => rank(one.standing) <= rank(standing));
    if (joined?.allowedAt) {
      const until = joined.allowedAt;
      await changeNotices.merge(accountId, ids, (merged) => together(merged, until));
      return false;
    }
    const turn = turnOf(toAddress[standing], freeAt, now);
    const at = standing === 'unproven' ? Math.max(turn, await takeOfAccount(changeNotices, accountId, now)) : turn;
    await changeNotices.setPace(accountId, digest, Math.max(freeAt, at) + toAddress[standing].period);
    if (at > now) await changeNotices.merge(accountId, ids, (merged) => together(merged, at));
    else await changeNotices.postpone(accountId, id, dueAt, now);
    return at <= now;
  });
}

function rank(standing: NoticeStanding): number {
  return noticeStandings.indexOf(standing);
}

/** When the next one may go. */
function turnOf({ atOnce, period }: Pace, freeAt: Milliseconds, now: Milliseconds): Milliseconds {
  return Math.max(now, freeAt - (atOnce - 1) * period);
}

async function takeOfAccount(
  changeNotices: ChangeNoticeStore,
  accountId: number,
  now: Milliseconds,
): Promise<Milliseconds> {
  const freeAt = await changeNotices.lockPace(accountId, accountDigest);
  await changeNotices.setPace(accountId, accountDigest, Math.max(freeAt, now) + ofAccount.period);
  return turnOf(ofAccount, freeAt, now);
}

/** One message in the place of several: it names all their changes, and has all its attempts. */
function together(merged: readonly ChangeNoticeRecord[], until: Milliseconds): New<ChangeNoticeRecord> {
  const [best] = merged.toSorted((one, other) => rank(one.standing) - rank(other.standing));
  if (!best) throw new Error('a message is made of others');
  const { accountId, address, standing } = best;
  const changes = [...new Set(merged.flatMap((one) => one.changes))].sort();
  const changedAt = Math.max(...merged.map((one) => one.changedAt));
  return { accountId, address, standing, changes, changedAt, attempts: 0, dueAt: until, allowedAt: until };
}
