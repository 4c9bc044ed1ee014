/** From the first factor to what is opened: the same way for every sign-in. */

import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { type Fired, firePreAuthentication, type SeenAttempt } from '../hooks/fire.ts';
import type { RunServices } from '../hooks/one-run.ts';
import type { Way } from '../login/due.ts';
import { afterReplacing, findStandingFailure } from '../login/standing.ts';
import { type Admitted, admit, type Halted, type Waiting } from './admit.ts';
import type { FirstEvidence } from './evidence.ts';

/** What a sign-in is for. */
export interface Door extends Omit<Way, 'hookPolicyId'> {
  /** What the hooks are told about the attempt. */
  readonly seen: SeenAttempt;
}

/** Runs in the transaction in which the user is locked: opens something, or stores how far the sign-in has come. */
export type Onward<Result> = (tx: StoreVerbs, reached: Admitted | Waiting, fired: Fired) => Promise<Result>;

/**
 * Takes a user with a valid first factor through the check of standing and access, then the hooks, then `admit`, which
 * checks the user as they are after the hooks. What the hooks choose applies to this sign-in. `onward` opens something,
 * or asks for the step that comes first. When the answer is `refused` or `outdated`, nothing was done.
 */
export async function walkIn<Result>(
  services: RunServices,
  account: Account,
  evidence: FirstEvidence,
  { seen, ...door }: Door,
  onward: Onward<Result>,
): Promise<Result | Halted> {
  const { user } = evidence;
  const failure = await findStandingFailure(services.store, account, afterReplacing(user), door.client);
  if (failure) return { at: 'refused', user, failure };
  const fired = await passHooks(services, account, user, door.client, seen);
  if ('at' in fired) return fired;
  const way = { ...door, hookPolicyId: fired.chosen?.id ?? null };
  return services.store.transaction(async (tx) => {
    const verdict = await admit(services, tx, account, evidence, way);
    return verdict.at === 'refused' || verdict.at === 'outdated' ? verdict : onward(tx, verdict, fired);
  });
}

/** Runs the hooks of a sign-in; their refusal is returned, not thrown. */
export async function passHooks(
  services: RunServices,
  account: Account,
  user: UserRecord,
  client: ClientRecord,
  { username, source, userAgent }: SeenAttempt,
): Promise<Fired | Extract<Halted, { readonly at: 'refused' }>> {
  const browser = { userAgent: userAgent ?? null };
  try {
    return await firePreAuthentication(services, account, { user, client, username, source, browser });
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'sign_in_refused')) throw error;
    return { at: 'refused', user, failure: error };
  }
}
