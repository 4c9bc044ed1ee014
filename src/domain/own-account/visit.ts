/** The only way in which the account pages write: in a transaction that has checked the visit again. */

import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { isMultiFactor } from '../login/methods.ts';
import { ownPages } from '../login/own-pages.ts';
import { isRecent } from '../means/recent.ts';
import { type Admitted, admit } from '../opening/admit.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { findDemand } from '../second-factor/demand.ts';

/** The user of a browser and the session, as they were when the page admitted them. */
export interface Visitor {
  readonly user: UserRecord;
  readonly session: SessionRecord;
}

/** What a page requires beyond a session. */
export interface PageDemand {
  /** A sign-in within the last ten minutes, with the second factor if the user has one. */
  readonly recent: boolean;
}

interface DemandServices {
  readonly store: Pick<StoreVerbs, 'policies' | 'secondFactors'>;
  readonly clock: Services['clock'];
}

/** Whether a live session is recent enough for the page. */
export function isFreshFor(
  { recent }: PageDemand,
  { clock }: Pick<DemandServices, 'clock'>,
  session: SessionRecord,
): boolean {
  return !recent || isRecent(session, clock.now());
}

/** Whether a second factor is missing that the policy requires, or that the page requires of a user who has one. */
export async function lacksFactorFor(
  { recent }: PageDemand,
  { store }: Pick<DemandServices, 'store'>,
  account: Account,
  user: Pick<UserRecord, 'id'>,
  methods: readonly string[],
): Promise<boolean> {
  if (isMultiFactor(methods)) return false;
  const { otpRequired } = await effectivePolicy({ store }, account, user, null);
  if (otpRequired) return true;
  // A passkey too: a password that opens a sign-in without it must not be worth its removal.
  return recent && (await findDemand({ store }, account, user.id, { otpRequired: true })) === 'verify';
}

/**
 * Writes in a visit. The user is locked first; then the session must still exist, the user's standing must be good, and
 * the page's demand must be met. `write` gets the user and the session as they are now. Throws
 * `authorization_request_invalid` for a visit that is over, `user_locked`, `user_suspended` and `user_inactive`, and
 * `rate_limited` when the session changes means of sign-in too often: each change stays in the trail for ever. Endings
 * are never refused for that.
 */
export async function inVisit<Result>(
  { store, clock, limits }: Pick<Services, 'store' | 'clock' | 'limits'>,
  account: Account,
  { user, session }: Visitor,
  demand: PageDemand,
  write: (tx: StoreVerbs, admitted: Admitted<SessionRecord>) => Promise<Result>,
): Promise<Result> {
  if (demand.recent) await limits.take(account, 'authorize', { session: session.sid });
  return store.transaction(async (tx) => {
    const shown = { by: 'session', user, session } as const;
    const way = { client: ownPages(account), hookPolicyId: null, wantsSecondFactor: false };
    const admitted = await admit({ clock }, tx, account, shown, way);
    if (admitted.at === 'refused') throw admitted.failure;
    if (admitted.at !== 'end' || !isFreshFor(demand, { clock }, admitted.session)) throw visitOver();
    const { amr } = admitted.session;
    if (await lacksFactorFor(demand, { store: tx }, account, admitted.user, amr)) throw visitOver();
    return write(tx, admitted);
  });
}

function visitOver(): Failure {
  const message = 'You are no longer signed in, or the sign-in is too old for this page. Open the page again.';
  return new Failure('authorization_request_invalid', { message });
}
