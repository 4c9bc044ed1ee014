/** The last look before anything opens: is what was shown still true, and is nothing else due? */

import type { Services } from '../../services.ts';
import type { PolicyRecord, UserRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import type { Failure } from '../failure.ts';
import { isApprovedStill } from '../login/approval.ts';
import { type Due, findDue, lacksSecondFactor, type Way } from '../login/due.ts';
import { findStandingFailure } from '../login/standing.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { isActive } from '../tokens/access-token.ts';
import { isImportedDigest } from '../users/imported-passwords.ts';
import { type Evidence, type FirstEvidence, type MoreShown, methodsOf } from './evidence.ts';

declare const admission: unique symbol;

/** A user for whom something may be opened in this transaction. Nothing else makes one than `admit`. */
export interface Admitted<User = UserRecord> {
  readonly at: 'end';
  /** As they are now, and stay until the transaction ends. */
  readonly user: User;
  /** In force for this sign-in. */
  readonly policy: PolicyRecord;
  readonly [admission]: true;
}

/** Nothing opens. */
export type Halted =
  /** The user's standing, or the access to the app, is in the way. */
  | { readonly at: 'refused'; readonly user: UserRecord; readonly failure: Failure }
  /** What was shown was right and is not any more: another password, a passkey removed, a session ended. */
  | { readonly at: 'outdated' };

/** Something else comes first. */
export interface Waiting {
  readonly at: Exclude<Due['due'], 'nothing' | 'refused'>;
  readonly user: UserRecord;
  readonly policy: PolicyRecord;
}

export type Verdict = Admitted | Waiting | Halted;

/**
 * Reads the user again, locked until the transaction ends, and compares what was checked with what is: password, passkey
 * or session, what an approval rests on, a sign-out everywhere, standing, access, policy, second factors, age of the password. Between the check and this lie the queue of
 * hashes and the hooks, and what changed meanwhile counts. To be called before anything else of the transaction is
 * locked: the user is first everywhere.
 */
export async function admit(
  { clock }: Pick<Services, 'clock'>,
  tx: StoreVerbs,
  account: Account,
  evidence: Evidence,
  way: Way,
): Promise<Verdict> {
  const user = await tx.users.lock(account.id, evidence.user.id);
  const services = { store: tx, clock };
  if (!user || !(await isStillTrue(services, account, evidence, way, user))) return { at: 'outdated' };
  switch (evidence.by) {
    case 'code':
    case 'device_code':
    case 'token':
    case 'session': {
      const failure = await findStandingFailure(tx, user, way.client);
      if (failure) return { at: 'refused', user, failure };
      const policy = await effectivePolicy(services, account, user, way.client);
      if (evidence.by !== 'session') return admitted(user, policy);
      const lacks = await lacksSecondFactor(services, account, way, user, evidence.session.amr);
      return lacks ? { at: 'outdated' } : admitted(user, policy);
    }
    default: {
      const found = await findDue(services, account, way, user, methodsOf(evidence));
      if (found.due === 'refused') return { at: 'refused', user, failure: found.failure };
      return found.due === 'nothing' ? admitted(user, found.policy) : { at: found.due, user, policy: found.policy };
    }
  }
}

function admitted(user: UserRecord, policy: PolicyRecord): Admitted {
  return { at: 'end', user, policy } as Admitted;
}

async function isStillTrue(
  { store: tx, clock }: { readonly store: StoreVerbs; readonly clock: Services['clock'] },
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
      return (
        isSamePassword(evidence.user, user) &&
        (user.passwordChangedAt ?? 0) <= evidence.checkedAt &&
        (evidence.session === null || (await tx.sessions.find(account.id, evidence.session.digest)) !== null)
      );
    case 'session':
      return (await tx.sessions.find(account.id, evidence.session.digest)) !== null;
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
