/** Users of the account who may use its management API, each with the scopes that are given to them. */

import type { Services } from '../../services.ts';
import type { AdministratorRecord } from '../../store/administrators.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { recordEvent } from '../audit/record.ts';
import { readAdministratorScopes } from '../callers/scopes.ts';
import { Failure } from '../failure.ts';
import { findStatusFailure } from '../login/standing.ts';

export type { AdministratorRecord as Administrator };

type WriteServices = Pick<Services, 'store' | 'clock' | 'vault'>;
type Audited = Pick<Account, 'id' | 'record'>;

/** Throws `not_found`. */
export async function readAdministrator(
  store: Pick<StoreVerbs, 'administrators'>,
  account: Pick<Account, 'id'>,
  userId: number,
): Promise<AdministratorRecord> {
  const administrator = await store.administrators.find(account.id, userId);
  if (!administrator) throw new Failure('not_found', { name: 'user', message: 'the user is no administrator' });
  return administrator;
}

/**
 * Gives a user these scopes in place of those that the user has. Throws `not_found`, `value_invalid` for an unknown
 * scope, and `last_administrator`.
 */
export function setAdministrator(
  services: WriteServices,
  account: Audited,
  userId: number,
  names: readonly string[],
): Promise<AdministratorRecord> {
  const scopes = readAdministratorScopes(names);
  return services.store.transaction(async (tx) => {
    if (!(await tx.users.lock(account.id, userId))) {
      throw new Failure('not_found', { name: 'user', message: 'there is no such user' });
    }
    const all = await tx.administrators.lockAll(account.id);
    requireStanding(all);
    if (!scopes.includes('manage_all')) await requireSuccessor(tx, all, userId);
    const createdAt = all.find((one) => one.userId === userId)?.createdAt ?? services.clock.now();
    const administrator = { accountId: account.id, userId, scopes, createdAt };
    await tx.administrators.put(administrator);
    await recordChange(services, tx, account, userId, scopes);
    return administrator;
  });
}

/** Takes all scopes from a user. Throws `not_found`, `last_administrator`. */
export async function removeAdministrator(services: WriteServices, account: Audited, userId: number): Promise<void> {
  await services.store.transaction(async (tx) => {
    await tx.users.lock(account.id, userId);
    const all = await tx.administrators.lockAll(account.id);
    await readAdministrator(tx, account, userId);
    await requireSuccessor(tx, all, userId);
    await tx.administrators.remove(account.id, userId);
    await recordChange(services, tx, account, userId, []);
  });
}

/**
 * For a user who is locked and will not be able to sign in: throws `last_administrator` if it is the caller, and the
 * last one.
 */
export async function requireOtherAdministrator(
  tx: Pick<StoreVerbs, 'administrators' | 'users'>,
  account: Pick<Account, 'id'>,
  userId: number,
): Promise<void> {
  const { actor } = currentAuditContext();
  if (actor?.type !== 'user' || actor.id !== userId) return;
  // The caller holds the user, so that nobody gives or takes the scopes meanwhile. Only changes of a full administrator
  // need the lock on all of them.
  const own = await tx.administrators.find(account.id, userId);
  if (!own?.scopes.includes('manage_all')) return;
  await requireSuccessor(tx, await tx.administrators.lockAll(account.id), userId);
}

function isFull(all: readonly AdministratorRecord[], userId: number | null): boolean {
  return all.some((one) => one.userId === userId && one.scopes.includes('manage_all'));
}

/**
 * An administrator's call was let in before it waited for these rows. One whose right was taken meanwhile could give it
 * back to itself, which the look at the end of the transaction would take for the right. Throws `caller_unauthenticated`.
 */
function requireStanding(all: readonly AdministratorRecord[]): void {
  const { actor } = currentAuditContext();
  if (actor?.type === 'user' && !isFull(all, actor.id)) throw taken();
}

/**
 * For a user who is locked in the database: a caller who was locked or suspended while its call waited cannot let itself
 * in again. Throws `caller_unauthenticated`.
 */
export function requireOwnStanding(user: Pick<UserRecord, 'id' | 'status'>): void {
  const { actor } = currentAuditContext();
  if (actor?.type === 'user' && actor.id === user.id && findStatusFailure(user)) throw taken();
}

function taken(): Failure {
  const reason = 'the right was taken meanwhile';
  return new Failure('caller_unauthenticated', { reason, challenged: true, scheme: 'DPoP' });
}

/**
 * Throws `last_administrator` if this is the caller's own right to everything, and nobody else who can sign in has it.
 * Of several who give theirs up at once one is the last, since all rows are locked.
 */
async function requireSuccessor(
  tx: Pick<StoreVerbs, 'users'>,
  all: readonly AdministratorRecord[],
  userId: number,
): Promise<void> {
  const { actor } = currentAuditContext();
  if (actor?.type !== 'user' || actor.id !== userId) return;
  if (!isFull(all, userId)) return;
  for (const one of all) {
    if (one.userId === userId || !one.scopes.includes('manage_all')) continue;
    if (await canSignIn(tx, one)) return;
  }
  const message = 'you are the last administrator with manage_all: give it to another user first';
  throw new Failure('last_administrator', { name: 'scopes', message });
}

async function canSignIn(
  tx: Pick<StoreVerbs, 'users'>,
  { accountId, userId }: Pick<AdministratorRecord, 'accountId' | 'userId'>,
): Promise<boolean> {
  const user = await tx.users.find(accountId, userId);
  return user !== null && !findStatusFailure(user);
}

function recordChange(
  services: WriteServices,
  tx: StoreVerbs,
  account: Audited,
  userId: number,
  scopes: readonly string[],
): Promise<void> {
  const target = { type: 'user', id: userId } as const;
  const detail = { fields: ['administrator_scopes'], administrator_scopes: scopes };
  return recordEvent(tx, services, account, { action: 'user.changed', target, detail });
}
