/** Fires pre-authentication: the account's hooks may choose the policy of a sign-in, or refuse it. */

import { bytesOf } from '../../store/hook-executions.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import type { SigningIn } from './context.ts';
import { decidePreAuthentication, type Firing } from './decide.ts';
import { noneWanted, sayDeleted, withinMinute, withoutRoom } from './log-room.ts';
import type { RunServices } from './one-run.ts';
import type { SignInTraits } from './risk.ts';
import { withShadows } from './shadow.ts';

/** What hooks are told about an attempt. */
export interface SeenAttempt {
  /** The name as typed, or the user's name if none was typed. */
  readonly username: string;
  /** The address that it comes from; null if that is not the user's own. */
  readonly source: string | null;
  /** The User-Agent of the browser or program. */
  readonly userAgent?: string | undefined;
}

/** What the rest of the sign-in uses. */
export interface Fired {
  /** The policy chosen last; null if none was chosen. */
  readonly chosen: PolicyRecord | null;
  /** The traits that its risk was computed from; null if no hook asked for the risk. */
  readonly traits: SignInTraits | null;
}

/**
 * Runs the hooks of a sign-in whose first factor was right, each with the policy chosen so far. Returns the policy
 * chosen last, and what to store once the sign-in succeeds. Throws `sign_in_refused` when a hook refuses. Throws it
 * also when a hook fails and the account's setting says so, or when the hook could not run because of the user's other
 * sign-ins. Everything is recorded in one commit in all cases.
 */
export async function firePreAuthentication(
  services: RunServices,
  account: Account,
  signingIn: SigningIn,
): Promise<Fired> {
  const { chosen, traits, refused, shadows, executions, events } = await decidePreAuthentication(
    services,
    account,
    signingIn,
  );
  await withShadows(services, account, shadows, executions, (all) =>
    writeDown(services, account, { executions: all, events }),
  );
  if (refused) throw new Failure('sign_in_refused', { reason: refused });
  return { chosen, traits };
}

/** Records of runs are complete or absent: one transaction at the end, together with the trail. */
export async function writeDown(
  services: Pick<RunServices, 'store' | 'clock' | 'vault' | 'hooks' | 'log'>,
  account: Account,
  { executions, events }: Pick<Firing, 'executions' | 'events'>,
): Promise<void> {
  if (executions.length === 0 && events.length === 0) return;
  const runs = withinMinute(services, account, executions);
  const wanted = runs.reduce((total, run) => total + bytesOf(run), 0);
  const most = account.settings.hookLogBytes;
  const deleted = await services.store.transaction(async (tx) => {
    const room = wanted === 0 ? noneWanted : await tx.hookExecutions.makeRoom(account.id, wanted, most);
    await tx.hookExecutions.add(room.isEnough ? runs : withoutRoom(account, runs));
    for (const event of events) await recordEvent(tx, services, account, event);
    return room.deleted;
  });
  if (deleted > 0) sayDeleted(services, account);
}
