/** Sends the requested links in the background: no request waits for a message. */

import type { Services } from '../../services.ts';
import type { ResetRequestRecord } from '../../store/reset-requests.ts';
import { type UserRecord, type UserStatus, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { accountOf } from '../accounts/accounts.ts';
import { actAs } from '../audit/context.ts';
import { recordEvent } from '../audit/record.ts';
import { minute } from '../durations.ts';
import { Failure } from '../failure.ts';
import { mailClaimMilliseconds, mailPauses, sendMail } from '../mail.ts';
import { digestOf, newSecret, secretPrefixes } from '../secrets.ts';
import { foldIdentifier } from '../users/identifiers.ts';
import { passwordLink } from '../users/password-link.ts';
import { createWorker, type Worker } from '../worker.ts';
import { namePlace } from './ask.ts';
import { resetMessage } from './message.ts';

/** How long a link is valid. */
const resetLifeMinutes = 60;
const atOnce = 4;
/** Users with these statuses get a link. */
const mailable: ReadonlySet<UserStatus> = new Set([
  userStatuses.active,
  userStatuses.passwordExpired,
  userStatuses.awaitingReset,
  userStatuses.passwordPending,
]);

type MailServices = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'limits' | 'mailer' | 'addresses' | 'log'>;

/** Sends the stored messages, `atOnce` at a time. */
export function createResetMails(services: MailServices): Worker {
  return createWorker<ResetRequestRecord>(services, {
    name: 'reset mails',
    atOnce,
    claim: (now, { accounts }) => services.store.resetRequests.claim(now, now + mailClaimMilliseconds, 1, accounts),
    // The trail names the request but no actor, because the sender is not authenticated.
    deliver: (request) => {
      const { source, requestId } = request;
      return actAs({ actor: { type: 'user', id: null }, source, requestId }, () => deliver(services, request));
    },
  });
}

async function deliver(services: MailServices, request: ResetRequestRecord): Promise<void> {
  const { store } = services;
  const { accountId, id, attempts } = request;
  const record = await store.accounts.find(accountId);
  const account = record && accountOf(record, services.addresses);
  if (!account) return void (await store.resetRequests.remove(accountId, id));
  // The request made one node after another crash, or it cannot be read.
  if (attempts > mailPauses.length + 1) return giveUp(services, account, request, null);
  const found = await findReceiver(services, account, request);
  if ('refused' in found) {
    await store.transaction(async (tx) => {
      if (!(await tx.resetRequests.remove(accountId, id))) return;
      const target = { type: 'user', id: found.userId } as const;
      const detail = { reason: found.refused };
      await recordEvent(tx, services, account, { action: 'password_reset.refused', target, detail });
    });
    return;
  }
  const link = await createLink(services, account, found.user);
  const message = resetMessage(account, found.email, link, resetLifeMinutes);
  if (await sendMail(services, account, message)) {
    await store.resetRequests.remove(accountId, id);
    return;
  }
  const pause = mailPauses[attempts - 1];
  if (pause === undefined) return giveUp(services, account, request, found.user.id);
  await store.resetRequests.postpone(accountId, id, services.clock.now() + pause);
}

async function giveUp(
  services: MailServices,
  account: Account,
  { accountId, id, attempts }: ResetRequestRecord,
  userId: number | null,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    if (!(await tx.resetRequests.remove(accountId, id))) return;
    const target = { type: 'user', id: userId } as const;
    await recordEvent(tx, services, account, { action: 'password_reset.abandoned', target, detail: { attempts } });
  });
}

type Receiver =
  | { readonly user: UserRecord; readonly email: string }
  | {
      readonly refused: 'unknown_user' | 'no_email' | 'not_active' | 'held' | 'too_many';
      readonly userId: number | null;
    };

/**
 * Who gets a link: a user with an address who is active or must set a password. An unactivated user waits for an
 * invite, and a locked or suspended one for an administrator. An address that was written by someone who may not set
 * passwords is held for a day.
 */
async function findReceiver(
  services: MailServices,
  account: Account,
  { sealedName, attempts }: ResetRequestRecord,
): Promise<Receiver> {
  const name = services.vault.unseal(account.record, namePlace, sealedName).toString('utf8');
  const key = foldIdentifier(name);
  const user = key === null ? null : await services.store.users.findByName(account.id, key);
  if (!user) return { refused: 'unknown_user', userId: null };
  if (user.email === null) return { refused: 'no_email', userId: user.id };
  if (!mailable.has(user.status)) return { refused: 'not_active', userId: user.id };
  if ((user.emailHeldUntil ?? 0) > services.clock.now()) return { refused: 'held', userId: user.id };
  // A retry of the same message does not count again.
  if (attempts > 1) return { user, email: user.email };
  try {
    await services.limits.take(account, 'reset-user', { user: user.id });
    return { user, email: user.email };
  } catch (error) {
    if (error instanceof Failure && error.code === 'rate_limited') return { refused: 'too_many', userId: user.id };
    throw error;
  }
}

/**
 * Creates a link without ending the user's other links. It is stored as a digest, so a retried message gets another
 * link.
 */
async function createLink(services: MailServices, account: Account, { id, meansVersion }: UserRecord): Promise<string> {
  const token = newSecret(services.random, secretPrefixes.resetLink);
  const now = services.clock.now();
  await services.store.transaction(async (tx) => {
    await tx.passwordResets.add({
      accountId: account.id,
      userId: id,
      digest: digestOf(token),
      createdAt: now,
      expiresAt: now + resetLifeMinutes * minute,
      usedAt: null,
      // The version of the user who was found: if the address was changed since, the link is invalid.
      meansVersion,
    });
    const target = { type: 'user', id } as const;
    await recordEvent(tx, services, account, { action: 'password_reset.created', target, detail: {} });
  });
  return passwordLink(account, token);
}
