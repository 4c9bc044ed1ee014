import type { Services, VerifyPassword } from '../../services.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import type { Share } from '../fair-queue/fair-queue.ts';
import { shareOf } from '../fair-queue/share.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { attemptUnder } from '../policies/lockout.ts';
import { foldIdentifier } from '../users/identifiers.ts';
import { isImportedDigest } from '../users/imported-passwords.ts';
import { countFailures } from './count-failures.ts';

export interface PasswordAttempt {
  readonly username: string;
  readonly password: string;
  /** Only an e-mail address counts as a name. */
  readonly nameIs?: 'email';
  /** Address the attempt came from; null where the caller's own limit takes the place of the address's. */
  readonly source: string | null;
  /** What the browser or program says of itself, where it may matter. */
  readonly userAgent?: string | undefined;
}

/** What became of an attempt; why it was refused is for the trail, and for doors whose contract tells it. */
export type TriedPassword =
  /** `checkedAt`: when the user was read whose password it is, before the hash was computed. */
  | { readonly user: UserRecord; readonly checkedAt: Milliseconds }
  | { readonly user: null; readonly reason: 'unknown_user' | 'wrong_password' | 'closed' };

/**
 * The user whose name and password these are, or null: for an unknown name, a wrong password and a closed sign-in
 * alike, after the same work. All doors share it and its counters. Says nothing about the user's standing.
 * Throws `rate_limited` when too many attempts from this address failed, `unavailable` when too many wait; what fails
 * by no fault of the user's is held against neither user nor address. `migrate` is asked for who has an unknown name;
 * when it says that the user was made meanwhile, the attempt is one at that user's password.
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
    // The place is taken before anything is counted: who is turned away has not guessed.
    const verified = () => passwords.withPlace(share, (verify) => verifyAttempt(services, account, attempt, verify));
    let tried = await verified();
    // Outside of the place, which others wait for while a function of the account runs.
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
 * The first right sign-in with an imported password stores it as every other; a later one does when that cannot be now.
 * Answers the user as stored then.
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

/** A refusal, with what the trail is to tell of it. */
interface Refused {
  readonly user: null;
  readonly reason: 'unknown_user' | 'wrong_password' | 'closed';
  /** Who has the name. */
  readonly named: UserRecord | null;
  /** After how many wrong passwords sign-in was closed by this one; null: it was not. */
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
  // Looked up for a name that nobody has as well. The user's own, whatever the app: nobody picks a door with more guesses.
  const policy = await effectivePolicy(services, account, user, null);
  // A pause that is known already is not asked about again: every refusal costs the same searches and one write.
  const open = user !== null && (user.lockedUntil ?? 0) <= services.clock.now();
  // Before the hash is computed: however many arrive at once, no more than the maximum are tried.
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

/** One commit for every refusal, whatever its reason; never the name that was typed, which may be a password. */
async function recordFailure(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  { named, reason, closedAfter }: Refused,
): Promise<void> {
  // Nobody knows who typed; whoever passed it on with an API key is known.
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
 * Users, as `<account>/<user>`, whose password was right while the store could not say so: until it can, the attempt
 * stands as counted.
 */
const uncleared = new WeakMap<Services['store'], Set<string>>();
const mostUncleared = 10_000;

async function clearAttempts({ store }: Pick<Services, 'store'>, { accountId, id }: UserRecord): Promise<void> {
  try {
    await store.users.clearAttempts(accountId, id);
    uncleared.get(store)?.delete(`${accountId}/${id}`);
  } catch (error) {
    const owed = uncleared.get(store) ?? new Set();
    uncleared.set(store, owed);
    if (owed.size < mostUncleared) owed.add(`${accountId}/${id}`);
    throw error;
  }
}

/** The user with this name, after what an outage left uncleared was made good. */
async function findUser(
  services: Pick<Services, 'store'>,
  account: Account,
  key: string,
  nameIs: PasswordAttempt['nameIs'],
): Promise<UserRecord | null> {
  const { users } = services.store;
  const find = () => (nameIs === 'email' ? users.findByEmail(account.id, key) : users.findByName(account.id, key));
  const user = await find();
  if (user === null || !uncleared.get(services.store)?.has(`${account.id}/${user.id}`)) return user;
  await clearAttempts(services, user);
  return find();
}
