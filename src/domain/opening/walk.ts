/** From a first factor to whatever opens: one way for every sign-in. */

import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { type Fired, firePreAuthentication, type SeenAttempt } from '../hooks/fire.ts';
import type { RunServices } from '../hooks/run-hook.ts';
import type { Way } from '../login/due.ts';
import { afterReplacing, findStandingFailure } from '../login/standing.ts';
import { type Admitted, admit, type Halted, type Waiting } from './admit.ts';
import type { FirstEvidence } from './evidence.ts';

/** Where somebody wants to go in. */
export interface Door extends Omit<Way, 'hookPolicyId'> {
  /** What hooks see of the attempt. */
  readonly seen: SeenAttempt;
}

/** Done in the transaction in which the user stays as they are: opens, or keeps how far the sign-in has come. */
export type Onward<Result> = (tx: StoreVerbs, reached: Admitted | Waiting, fired: Fired) => Promise<Result>;

/**
 * Takes a user who has shown a first factor through standing and access, the hooks, and then, on the user as they are
 * after the hooks, through all that `admit` looks at. What the hooks choose holds for this sign-in. `onward` opens, or
 * asks for what comes first. Nothing was done when the answer is `refused` or `outdated`.
 */
export async function walkIn<Result>(
  services: RunServices,
  account: Account,
  evidence: FirstEvidence,
  { seen, ...door }: Door,
  onward: Onward<Result>,
): Promise<Result | Halted> {
  const { user } = evidence;
  const failure = await findStandingFailure(services.store, afterReplacing(user), door.client);
  if (failure) return { at: 'refused', user, failure };
  const fired = await passHooks(services, account, user, door.client, seen);
  if ('at' in fired) return fired;
  const way = { ...door, hookPolicyId: fired.chosen?.id ?? null };
  return services.store.transaction(async (tx) => {
    const verdict = await admit(services, tx, account, evidence, way);
    return verdict.at === 'refused' || verdict.at === 'outdated' ? verdict : onward(tx, verdict, fired);
  });
}

/** Runs the hooks of a sign-in; a refusal of theirs is answered, not thrown. */
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
