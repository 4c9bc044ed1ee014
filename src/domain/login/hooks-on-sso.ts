/** Hooks at single sign-on, for accounts with `hook_on_sso=each_app`: once for each app of a session. */

import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { hasRow } from '../clients/console-client.ts';
import type { RunServices } from '../hooks/one-run.ts';
import type { Halted } from '../opening/admit.ts';
import { passHooks } from '../opening/walk.ts';
import type { OpenRequest } from './authorization-request.ts';
import { keepFired } from './sign-in.ts';

/** Which session is used for which request. */
export interface Use {
  readonly request: OpenRequest;
  readonly session: SessionRecord;
  readonly user: UserRecord;
}

/**
 * Whether the session was opened for this request, by a sign-in in which the hooks ran. The `sid` tells: it stays when
 * the session is raised and never becomes another user's. The browser may return with any session that it got since, so
 * being signed in is not enough.
 */
export function isSignedInFor({ record }: Pick<OpenRequest, 'record'>, { sid }: Pick<SessionRecord, 'sid'>): boolean {
  return record.sid === sid;
}

/**
 * Whether the hooks must run before this use: they have not run in this request, and the session has not yet opened
 * anything for the app. Checked again in the transaction that opens, so each of two simultaneous first uses has its own
 * run.
 */
export async function areHooksDue(
  { store }: { readonly store: Pick<StoreVerbs, 'sessions'> },
  account: Account,
  { request, session, user }: Use,
): Promise<boolean> {
  const { record, client } = request;
  // They run for an app: for one without a row when a user has agreed, before anything is given.
  if (account.settings.hookOnSso === 'never' || !hasRow(client)) return false;
  if (isSignedInFor(request, session) || record.hookPolicyUserId === user.id) return false;
  return !(await store.sessions.isUsedFor(account.id, session.sid, client.appId));
}

/**
 * Runs them and keeps with the request that they passed, and what they chose; or answers why nothing opens. Throws
 * `rate_limited` when too many requests of the session were granted or refused.
 */
export async function runHooksOnSso(
  services: RunServices & Pick<Services, 'store'>,
  account: Account,
  { request, session, user }: Use,
): Promise<Extract<Halted, { readonly at: 'refused' }> | null> {
  const { source, userAgent } = currentAuditContext();
  const seen = { username: user.email ?? user.username ?? '', source, userAgent };
  // A browser that is signed in can ask without end, with prompt=none and nobody there. What passes is counted once granted.
  const taken = await services.limits.take(account, 'authorize', { session: session.sid });
  const fired = await passHooks(services, account, user, request.client, seen);
  if ('at' in fired) return fired;
  await taken?.giveBack();
  await keepFired(services.store, request, user, fired, 'always');
  return null;
}

/** Records that the session has opened something for the app; part of the transaction that opens it. */
export async function noteUse(
  tx: Pick<StoreVerbs, 'sessions'>,
  account: Account,
  { request, session }: Use,
): Promise<void> {
  const { client } = request;
  if (account.settings.hookOnSso === 'never' || !hasRow(client)) return;
  await tx.sessions.noteUse(session, client.appId);
}
