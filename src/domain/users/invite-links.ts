import type { Services } from '../../services.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { hour } from '../durations.ts';
import { Failure } from '../failure.ts';
import { digestOf, newSecret, secretPrefixes } from '../secrets.ts';
import { foldIdentifier } from './identifiers.ts';
import { passwordLink } from './password-link.ts';

const lifeMilliseconds = 72 * hour;

type InviteServices = Pick<Services, 'store' | 'clock' | 'random' | 'vault'>;

/**
 * A link to the page on which the user chooses a password (the document's §2.6). It works once within 72 hours, and
 * replaces an earlier link. The caller sends it.
 */
export async function createInviteLink(
  services: InviteServices,
  account: Account,
  user: Pick<UserRecord, 'id' | 'meansVersion'>,
): Promise<string> {
  const { store, clock, random } = services;
  const token = newSecret(random, secretPrefixes.inviteLink);
  const now = clock.now();
  const target = { type: 'user', id: user.id } as const;
  await store.transaction(async (tx) => {
    await tx.users.update(account.id, user.id, { invitationSentAt: now });
    await tx.invites.replace({
      accountId: account.id,
      userId: user.id,
      digest: digestOf(token),
      createdAt: now,
      expiresAt: now + lifeMilliseconds,
      usedAt: null,
      meansVersion: user.meansVersion,
    });
    await recordEvent(tx, services, account, { action: 'invite.created', target, detail: {} });
  });
  return passwordLink(account, token);
}

/**
 * Creates a link for the user with this e-mail address, and reports errors to the caller: throws `parameter_missing`,
 * `value_invalid`.
 */
export async function requireInviteLink(
  services: InviteServices,
  account: Account,
  email: string | undefined,
): Promise<string> {
  // The wording of the document's §7, which callers' programs know.
  if (!email) throw new Failure('parameter_missing', { name: 'email', message: 'Email Parameter is missing' });
  const key = foldIdentifier(email);
  const user = key === null ? null : await services.store.users.findByEmail(account.id, key);
  if (!user) throw new Failure('value_invalid', { name: 'email', message: 'No User exists for input email' });
  return createInviteLink(services, account, user);
}
