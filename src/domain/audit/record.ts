/** Writes the trail. An event is part of the transaction that makes the change it records. */

import type { Services } from '../../services.ts';
import type { AccountRecord } from '../../store/accounts.ts';
import type { EventRecord, NewEvent } from '../../store/events.ts';
import type { StoreVerbs } from '../../store/store.ts';
import { type AuditContext, currentAuditContext } from './context.ts';
import { type AuditEvent, outcomes } from './events.ts';

export type AuditServices = Pick<Services, 'clock' | 'vault'>;

/** The account of a trail; the stored row holds the key of the hashes. */
export interface AuditedAccount {
  readonly id: number;
  readonly record: Pick<AccountRecord, 'subdomain' | 'sealedKey'>;
}

const unknownActor = { type: 'system', id: null } as const;

/** Appends an event to the account's trail, in the transaction `tx`. */
export async function recordEvent(
  tx: Pick<StoreVerbs, 'events'>,
  services: AuditServices,
  account: AuditedAccount,
  event: AuditEvent,
): Promise<void> {
  await tx.events.append(newEvent(services, account, event, currentAuditContext()));
}

/**
 * An event for the store functions that append by themselves. The caller reads `origin`, because such a function does
 * the work of several requests at once.
 */
export function newEvent(
  { clock, vault }: AuditServices,
  account: AuditedAccount,
  { action, target, detail, actor }: AuditEvent,
  origin: AuditContext,
): NewEvent {
  const { type, id } = actor ?? origin.actor ?? unknownActor;
  const event = {
    accountId: account.id,
    at: clock.now(),
    action,
    outcome: outcomes[action],
    actorType: type,
    actorId: id,
    targetType: target.type,
    targetId: target.id,
    source: origin.source,
    requestId: origin.requestId,
    detail: JSON.stringify(detail),
  };
  return { ...event, seal: (place, previousHash) => hashOf(vault, account, { ...event, id: place }, previousHash) };
}

/**
 * The hash of an event in its place: an HMAC under a key of the account. Write access to the database without the
 * master key is not enough to forge a valid chain.
 */
export function hashOf(
  vault: Services['vault'],
  account: AuditedAccount,
  event: Omit<EventRecord, 'hash'>,
  previousHash: string,
): string {
  // JSON has one form for a list of texts, numbers and nulls, and keeps values apart.
  const form = JSON.stringify([
    previousHash,
    event.accountId,
    event.id,
    event.at,
    event.action,
    event.outcome,
    event.actorType,
    event.actorId,
    event.targetType,
    event.targetId,
    event.source,
    event.requestId,
    event.detail,
  ]);
  return vault.mac(account.record, 'audit', form).toString('base64url');
}
