/**
 * Clients that are known by their metadata documents. They count as open-registered ones. Looking at one writes nothing:
 * it has no row until a user agrees to it (`keepDocumentClient`). From then on it is an app like others, whose row says
 * what the document said when somebody last agreed; where something begins, the document itself counts.
 */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { digestOf } from '../secrets.ts';
import { changedFields } from './changed-fields.ts';
import { findClient } from './client-id.ts';
import { decidedBy } from './document-metadata.ts';
import { isDocumentId, isWelcome } from './document-url.ts';
import type { ClientDocuments, DocumentRead } from './documents-port.ts';
import type { ClientMetadata } from './metadata.ts';

/** Every real app has a positive number. */
const unstoredAppId = -1;

/** The most of an account: each is an app that its operators see. */
const mostOfAccount = 1_000;

/** Whether nobody has agreed to the client yet, so that nothing can be stored for it. */
export function isUnstored({ appId }: Pick<ClientRecord, 'appId'>): boolean {
  return appId === unstoredAppId;
}

/** What each document made last, and of what: requests bring the same two again and again. */
const made = new WeakMap<ClientMetadata, { readonly of: ClientRecord | number; readonly client: ClientRecord }>();

function madeOnce(metadata: ClientMetadata, of: ClientRecord | number, make: () => ClientRecord): ClientRecord {
  const known = made.get(metadata);
  if (known?.of === of) return known.client;
  const client = make();
  made.set(metadata, { of, client });
  return client;
}

function unstored({ id }: Account, clientId: string, metadata: ClientMetadata): ClientRecord {
  return madeOnce(metadata, id, () => ({
    ...metadata,
    accountId: id,
    appId: unstoredAppId,
    clientId,
    secretDigest: null,
    registeredBy: 'open',
    policyId: null,
    accessTokenMinutes: null,
    refreshTokenMinutes: null,
    createdAt: 0,
    linkedServers: 0,
    usesOpenServers: false,
    previousSecretDigest: null,
    previousSecretExpiresAt: null,
  }));
}

/** A stored client as its document says. */
function withDocument(stored: ClientRecord, metadata: ClientMetadata): ClientRecord {
  return madeOnce(metadata, stored, () => ({ ...stored, ...metadata }));
}

type LookUpServices = Pick<Services, 'store' | 'clientDocuments'>;

/**
 * The client with this id where something begins, or null: a registered one, or by its document. `readLast`: it has begun
 * already. Throws `client_document_unusable`, `rate_limited`, `unavailable`.
 */
export async function findBeginning(
  services: LookUpServices,
  account: Account,
  clientId: string | undefined,
  how: keyof ClientDocuments = 'read',
): Promise<ClientRecord | null> {
  if (clientId === undefined || !isDocumentId(clientId)) return findClient(services, account, clientId);
  if (!isWelcome(account, clientId)) return null;
  const read = await services.clientDocuments[how](account, clientId);
  if ('fault' in read) {
    throw new Failure('client_document_unusable', {
      name: 'client_id',
      message: `client_id is an address, but its document ${read.fault}`,
      reason: 'client_document_unusable',
    });
  }
  const stored = await findClient(services, account, clientId);
  return stored ? withDocument(stored, read.metadata) : unstored(account, clientId, read.metadata);
}

type ReadServices = Pick<Services, 'clientDocuments'>;

/**
 * A stored client as `judge` makes it of its document, or of the last one while its address gives none. Null if the
 * account takes the client no more.
 */
async function byLastDocument(
  { clientDocuments }: ReadServices,
  account: Account,
  client: ClientRecord,
  judge: (read: DocumentRead) => ClientRecord,
): Promise<ClientRecord | null> {
  if (!isDocumentId(client.clientId)) return client;
  if (!isWelcome(account, client.clientId)) return null;
  return judge(await clientDocuments.readLast(account, client.clientId));
}

/** A stored client in the middle of something: by its document, or by its row where none is known. */
export function asItIs(services: ReadServices, account: Account, client: ClientRecord): Promise<ClientRecord | null> {
  return byLastDocument(services, account, client, (read) =>
    'fault' in read ? client : withDocument(client, read.metadata),
  );
}

/**
 * A stored client with the keys by which it proves itself: those of its document. Never those of its row, which may have
 * been replaced for a reason, and which anybody could bring back who keeps the document from being fetched. All else is
 * as its users agreed to. Throws `unavailable`.
 */
export function withCurrentKeys(
  services: ReadServices,
  account: Account,
  client: ClientRecord,
): Promise<ClientRecord | null> {
  return byLastDocument(services, account, client, (read) => {
    if ('fault' in read) {
      throw new Failure('unavailable', { reason: `the client's document ${read.fault}`, retryAfterSeconds: 60 });
    }
    const { jwks, jwks_uri: uri } = read.metadata.extra;
    const { jwks: _, jwks_uri: __, ...others } = client.extra;
    return { ...client, extra: { ...others, ...(jwks && { jwks }), ...(uri !== undefined && { jwks_uri: uri }) } };
  });
}

/**
 * The name under which consent is stored to what the document lets the client do, and to what a user is told of it: with
 * another document consent is asked for again.
 */
export function documentMark(client: ClientRecord): string {
  const { name, applicationType, redirectUris, grantTypes, responseTypes, authMethod, subjectType, scope } = client;
  const told = [name, applicationType, redirectUris, grantTypes, responseTypes, authMethod, subjectType, scope];
  return `${markPrefix}${digestOf(JSON.stringify(told))}`;
}

/** No scope has a quotation mark (RFC 6749 §3.3), so the name of none begins so. */
const markPrefix = '"document:';

/** Whether a name that is stored with a consent is of `documentMark`. */
export function isDocumentMark(name: string): boolean {
  return name.startsWith(markPrefix);
}

/**
 * The row of the client, in the transaction in which a user agrees: made now, with the roles that the account names, or
 * brought up to date. Null if the account has too many.
 */
export async function keepDocumentClient(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  client: ClientRecord,
  userId: number,
): Promise<ClientRecord | null> {
  const now = services.clock.now();
  const metadata = decidedBy(client);
  const { accountId, clientId, registeredBy } = client;
  const fresh = {
    ...metadata,
    accountId,
    clientId,
    secretDigest: null,
    policyId: null,
    registeredBy,
    createdAt: now,
  } as const;
  const ensured = await tx.clients.ensureDocument(fresh, mostOfAccount);
  if (!ensured) return null;
  const { client: stored, isNew } = ensured;
  const about = {
    actor: { type: 'user', id: userId },
    target: { type: 'app', id: stored.appId },
  } as const;
  const fields = isNew ? [] : changedFields(stored, metadata);
  if (isNew) {
    const detail = { registered_by: 'document' } as const;
    await recordEvent(tx, services, account, { ...about, action: 'app.registered', detail });
    await giveRoles(services, tx, account, stored, about);
  } else if (fields.length > 0) {
    await tx.clients.update(accountId, stored.appId, { ...metadata, updatedAt: now });
    await recordEvent(tx, services, account, { ...about, action: 'app.changed', detail: { fields } });
  }
  return { ...stored, ...metadata };
}

async function giveRoles(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  { appId }: ClientRecord,
  about: Pick<Parameters<typeof recordEvent>[3], 'actor' | 'target'>,
): Promise<void> {
  for (const name of account.settings.documentRoles) {
    const role = await tx.roles.findByName(account.id, name);
    if (!role || !(await tx.access.grant(account.id, appId, { roleId: role.id }, services.clock.now()))) continue;
    await recordEvent(tx, services, account, { ...about, action: 'access.granted', detail: { role_id: role.id } });
  }
}
