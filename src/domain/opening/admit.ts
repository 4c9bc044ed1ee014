/** The last look before anything opens: is what was shown still true, and is nothing else due? */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import type { Failure } from '../failure.ts';
import { isApprovedStill } from '../login/approval.ts';
import { type Due, findDue, lacksSecondFactor, type Way } from '../login/due.ts';
import { isOwnPages } from '../login/own-pages.ts';
import { isLive } from '../login/sessions.ts';
import { findStandingFailure } from '../login/standing.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { isActive } from '../tokens/access-token.ts';
import { isImportedDigest } from '../users/imported-passwords.ts';
import { type Evidence, type FirstEvidence, type MoreShown, methodsOf } from './evidence.ts';

declare const admission: unique symbol;

interface Admission<Session> {
  readonly at: 'end';
  /** As they are now, and stay until the transaction ends. */
  readonly user: UserRecord;
  /** The user's own, that they were admitted by, as it is now; null: what was shown is no session. */
  readonly session: Session;
  /** The app that they were admitted to, as it is now. */
  readonly client: ClientRecord;
  /** In force for this sign-in. */
  readonly policy: PolicyRecord;
  readonly [admission]: true;
}

/**
 * A user for whom something may be opened in this transaction, and in no other: it must not leave it. Only `admit` makes
 * one. What is opened is opened for the user, the session and the app in it.
 */
export type Admitted<Session extends SessionRecord | null = SessionRecord | null> = Session extends unknown
  ? Admission<Session>
  : never;

/** The session that belongs to what was shown. */
type SessionOf<Shown> = Shown extends { readonly session: infer Session extends SessionRecord | null } ? Session : null;

/** Nothing opens. */
export type Halted =
  /** The user's standing, or the access to the app, is in the way. */
  | { readonly at: 'refused'; readonly user: UserRecord; readonly failure: Failure }
  /** What was true is not any more: another password, a passkey removed, a session ended, an app deleted. */
  | { readonly at: 'outdated' };

/** Something else comes first. */
export interface Waiting {
  readonly at: Exclude<Due['due'], 'nothing' | 'refused'>;
  readonly user: UserRecord;
  readonly policy: PolicyRecord;
}

export type Verdict<Session extends SessionRecord | null = SessionRecord | null> = Admitted<Session> | Waiting | Halted;

/**
 * Reads the user again, locked until the transaction ends, and the app, and compares what was checked with what is true
 * now: password, passkey or session, what an approval rests on, a sign-out everywhere, standing, access, policy of user
 * and app, second factors, age of the password. The queue of hashes and the hooks lie between the check and this, and
 * what changed meanwhile counts. Must be called before the transaction locks anything else: the user comes first
 * everywhere.
 */
export async function admit<Shown extends Evidence>(
  { clock }: Pick<Services, 'clock'>,
  tx: StoreVerbs,
  account: Account,
  evidence: Shown,
  way: Way,
): Promise<Verdict<SessionOf<Shown>>> {
  const user = await tx.users.lock(account.id, evidence.user.id);
  const session = user && (await findShownSession({ clock }, tx, account, evidence, user));
  const client = await readAgain(tx, way.client);
  if (!user || session === undefined || !client) return { at: 'outdated' };
  const verdict = await judge({ store: tx, clock }, account, evidence, { ...way, client }, user);
  if (verdict.at !== 'end') return verdict;
  return { at: 'end', user, session, client, policy: verdict.policy } as Admitted<SessionOf<Shown>>;
}

/** The app as it is now, null when it was deleted; the pages of the account are no app. */
async function readAgain({ clients }: Pick<StoreVerbs, 'clients'>, client: ClientRecord): Promise<ClientRecord | null> {
  return isOwnPages(client) ? client : clients.find(client.accountId, client.clientId);
}

interface JudgingServices {
  readonly store: StoreVerbs;
  readonly clock: Services['clock'];
}

type Judged = { readonly at: 'end'; readonly policy: PolicyRecord } | Waiting | Halted;

async function judge(
  services: JudgingServices,
  account: Account,
  evidence: Evidence,
  way: Way,
  user: UserRecord,
): Promise<Judged> {
  if (!(await isStillTrue(services, account, evidence, way, user))) return { at: 'outdated' };
  switch (evidence.by) {
    case 'code':
    case 'device_code':
    case 'token':
    case 'session': {
      const failure = await findStandingFailure(services.store, user, way.client);
      if (failure) return { at: 'refused', user, failure };
      const policy = await effectivePolicy(services, account, user, way.client);
      if (evidence.by !== 'session') return { at: 'end', policy };
      const lacks = await lacksSecondFactor(services, account, way, user, evidence.session.amr);
      return lacks ? { at: 'outdated' } : { at: 'end', policy };
    }
    default: {
      const found = await findDue(services, account, way, user, methodsOf(evidence));
      if (found.due === 'refused') return { at: 'refused', user, failure: found.failure };
      const { policy } = found;
      return found.due === 'nothing' ? { at: 'end', policy } : { at: found.due, user, policy };
    }
  }
}

/** The session that was shown, as it is now; null: there is none in this. Undefined: it has ended, or is another user's. */
async function findShownSession(
  { clock }: Pick<Services, 'clock'>,
  tx: Pick<StoreVerbs, 'sessions'>,
  account: Account,
  evidence: Evidence,
  user: UserRecord,
): Promise<SessionRecord | null | undefined> {
  if (!('session' in evidence) || evidence.session === null) return null;
  const session = await tx.sessions.find(account.id, evidence.session.digest);
  return session?.userId === user.id && isLive(session, clock.now()) ? session : undefined;
}

async function isStillTrue(
  { store: tx, clock }: JudgingServices,
  account: Account,
  evidence: Evidence,
  { client }: Way,
  user: UserRecord,
): Promise<boolean> {
  if ('checkedAt' in evidence && wasSignedOut(evidence, user)) return false;
  switch (evidence.by) {
    case 'password':
    case 'link':
      return isSamePassword(evidence.user, user);
    case 'passkey': {
      const devices = await tx.secondFactors.listDevices(account.id, user.id);
      return devices.some(({ id }) => id === evidence.deviceId);
    }
    case 'second_factor':
    case 'new_password':
      return isSamePassword(evidence.user, user) && (user.passwordChangedAt ?? 0) <= evidence.checkedAt;
    case 'session':
      return true;
    case 'code':
    case 'device_code':
      return isApprovedStill(tx, client, user, evidence.approval);
    case 'token': {
      const found = await tx.grants.findAccessToken(account.id, evidence.tokenId);
      return found !== null && isActive(found, clock.now());
    }
  }
}

/** Who signs out everywhere, or is suspended, ends sign-ins under way as well: also when that is over again. */
function wasSignedOut({ user: checked, checkedAt }: FirstEvidence | MoreShown, { signedOutAt }: UserRecord): boolean {
  return checked.signedOutAt !== signedOutAt || (signedOutAt ?? 0) > checkedAt;
}

/** An imported digest that another sign-in has stored anew meanwhile is of the same password: its date is the same. */
function isSamePassword(checked: UserRecord, now: UserRecord): boolean {
  if (checked.passwordDigest === now.passwordDigest) return true;
  const { passwordDigest, passwordChangedAt } = checked;
  return (
    passwordDigest !== null &&
    isImportedDigest(passwordDigest) &&
    now.passwordDigest !== null &&
    !isImportedDigest(now.passwordDigest) &&
    passwordChangedAt === now.passwordChangedAt
  );
}
