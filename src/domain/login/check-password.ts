import type { Services, VerifyPassword } from '../../services.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import type { Share } from '../fair-queue/share.ts';
import { shareOf } from '../fair-queue/share.ts';
import { perKey } from '../per-key.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { attemptUnder, isPasswordClosed } from '../policies/lockout.ts';
import { foldIdentifier } from '../users/identifiers.ts';
import { isImportedDigest } from '../users/imported-passwords.ts';
import { countFailures } from './count-failures.ts';

export interface PasswordAttempt {
  readonly username: string;
  readonly password: string;
  /** If set, only an e-mail address is accepted as a name. */
  readonly nameIs?: 'email';
  /** The address that the attempt came from; null if the caller's own limit replaces the limit per address. */
  readonly source: string | null;
  /** The User-Agent of the browser or program, where it may matter. */
  readonly userAgent?: string | undefined;
}

/** The outcome of an attempt. The reason of a refusal is for the trail and for doors whose contract reports it. */
export type TriedPassword =
  /** `checkedAt`: when the user was read, before the hash was computed. */
  | { readonly user: UserRecord; readonly checkedAt: Milliseconds }
  | { readonly user: null; readonly reason: 'unknown_user' | 'wrong_password' | 'closed' };

/**
 * The user with this name and password, or null. An unknown name, a wrong password and a closed sign-in all give null
 * after the same work. All doors share this check and its counters. It does not look at the user's standing.
 * Throws `rate_limited` when too many attempts from this address failed, and `unavailable` when too many are waiting.
 * An attempt that fails through no fault of the user counts against neither user nor address.
 * `migrate` is called for an unknown name; when it reports that the user was created meanwhile, the attempt is checked
 * against that user's password.
 */
export async function checkPassword(
  services: Pick<Services, 'store' | 'clock' | 'passwords' | 'limits' | 'vault'>,
  account: Account,
  attempt: PasswordAttempt,
  migrate?: () => Promise<UserRecord | 'made_meanwhile' | null>,
): Promise<UserRecord | null> {
  return (await tryPassword(services, account, attempt, migrate)).user;
}

/** The same, with the reason of a refusal. */
export async function tryPassword(
  services: Pick<Services, 'store' | 'clock' | 'passwords' | 'limits' | 'vault'>,
  account: Account,
  attempt: PasswordAttempt,
  migrate?: () => Promise<UserRecord | 'made_meanwhile' | null>,
): Promise<TriedPassword> {
  const { passwords, limits } = services;
  const share = shareOf(account, attempt.source);
  const tryOnce = async (): Promise<TriedPassword> => {
    // The place is taken before anything is counted: an attempt that is turned away was not a guess.
    const verified = () => passwords.withPlace(share, (verify) => verifyAttempt(services, account, attempt, verify));
    let tried = await verified();
    // Called without holding a place, because others would wait for it while a function of the account runs.
    const migrated = tried.user === null && tried.reason === 'unknown_user' && migrate ? await migrate() : null;
    if (migrated === 'made_meanwhile') tried = await verified();
    else if (migrated) return { user: migrated, checkedAt: services.clock.now() };
    if (tried.user) return { ...tried, user: await renewImported(services, tried.user, attempt.password, share) };
    await recordFailure(services, account, tried);
    return tried;
  };
  return countFailures(limits, account, attempt.source, tryOnce, ({ user }) => user === null);
}

/**
 * The first successful sign-in with an imported password stores it in the usual form; if that fails now, a later
 * sign-in does it. Returns the user as stored.
 */
async function renewImported(
  { store, passwords }: Pick<Services, 'store' | 'passwords'>,
  user: UserRecord,
  password: string,
  share: Share,
): Promise<UserRecord> {
  const { accountId, id, passwordDigest: imported } = user;
  if (imported === null || !isImportedDigest(imported)) return user;
  try {
    const passwordDigest = await passwords.digest(password, share);
    const isStored = await store.users.replaceDigest(accountId, id, imported, passwordDigest);
    return isStored ? { ...user, passwordDigest } : user;
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'unavailable')) throw error;
    return user;
  }
}

/** A refusal and what the trail records about it. */
interface Refused {
  readonly user: null;
  readonly reason: 'unknown_user' | 'wrong_password' | 'closed';
  /** The user with this name, if there is one. */
  readonly named: UserRecord | null;
  /** The number of wrong passwords if this attempt closed the sign-in; null if it did not. */
  readonly closedAfter: number | null;
}

async function verifyAttempt(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  attempt: PasswordAttempt,
  verify: VerifyPassword,
): Promise<{ readonly user: UserRecord; readonly checkedAt: Milliseconds } | Refused> {
  const { store } = services;
  const checkedAt = services.clock.now();
  const key = foldIdentifier(attempt.username);
  const user = key === null ? null : await findUser(services, account, key, attempt.nameIs);
  // The policy is looked up for unknown names too. It is the user's own policy in every app, so nobody can choose a
  // door that allows more guesses.
  const policy = await effectivePolicy(services, account, user, null);
  // A sign-in that is known to be closed is not counted again: every refusal costs the same searches and one write.
  const open = user !== null && !isPasswordClosed(user, services.clock.now());
  // Counted before the hash is computed: no more than the maximum are tried, however many arrive at once.
  const counted = open ? await services.store.users.countAttempt(attemptUnder(services, user, policy)) : null;
  if (!counted) await store.users.countDecoyAttempt(account.id);
  const right = await verify(attempt.password, (counted && user?.passwordDigest) || null);
  if (right && user !== null) {
    await clearAttempts(services, user);
    return { user, checkedAt };
  }
  const reason = user === null ? 'unknown_user' : counted ? 'wrong_password' : 'closed';
  const closedAfter = counted === 'last' ? policy.maximumInvalidLoginAttempts : null;
  return { user: null, reason, named: user, closedAfter };
}

/**
 * One commit for every refusal, whatever the reason. The name is never recorded, because it may be a password typed
 * into the wrong field.
 */
async function recordFailure(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  { named, reason, closedAfter }: Refused,
): Promise<void> {
  // The person who typed is unknown; a caller that passed the attempt on with an API key is known.
  const actor = currentAuditContext().actor ?? ({ type: 'user', id: null } as const);
  const about = { actor, target: { type: 'user', id: named?.id ?? null } } as const;
  await services.store.transaction(async (tx) => {
    await recordEvent(tx, services, account, { ...about, action: 'sign_in.failed', detail: { reason } });
    if (closedAfter === null) return;
    const detail = { attempts: closedAfter };
    await recordEvent(tx, services, account, { ...about, action: 'sign_in.closed', detail });
  });
}

/**
 * Users, as `<account>/<user>`, whose password was right while the store failed to clear the count. The attempt stays
 * counted until the store can clear it.
 */
const uncleared = perKey<Services['store'], Set<string>>(() => new Set());
const mostUncleared = 10_000;

async function clearAttempts({ store }: Pick<Services, 'store'>, { accountId, id }: UserRecord): Promise<void> {
  try {
    await store.users.clearAttempts(accountId, id);
    uncleared(store).delete(`${accountId}/${id}`);
  } catch (error) {
    const owed = uncleared(store);
    if (owed.size < mostUncleared) owed.add(`${accountId}/${id}`);
    throw error;
  }
}

/** The user with this name, after clearing counts that an outage left. */
async function findUser(
  services: Pick<Services, 'store'>,
  account: Account,
  key: string,
  nameIs: PasswordAttempt['nameIs'],
): Promise<UserRecord | null> {
  const { users } = services.store;
  const find = () => (nameIs === 'email' ? users.findByEmail(account.id, key) : users.findByName(account.id, key));
  const user = await find();
  if (user === null || !uncleared(services.store).has(`${account.id}/${user.id}`)) return user;
  await clearAttempts(services, user);
  return find();
}
