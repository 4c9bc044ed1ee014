/** A client's management of its own registration, with its registration access token (RFC 7592). */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { KeyAlgorithm } from '../../store/keys.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { limitFailures } from '../callers/limit-failures.ts';
import { Failure } from '../failure.ts';
import { networkSourceOf } from '../network-source.ts';
import { digestOf, matchesDigest, newSecret, secretPrefixes } from '../secrets.ts';
import { changedFields } from './changed-fields.ts';
import { findClient } from './client-id.ts';
import { hasSecret } from './client-methods.ts';
import { invalid } from './extra-metadata.ts';
import type { ClientMetadata, RegistrationRules } from './metadata.ts';
import { readProfiledMetadata } from './profiled-registration.ts';
import type { Registration } from './register.ts';
import type { RegistrationRequest } from './registration-request.ts';
import { withSameSector } from './sector.ts';

/** The registration that a request is about, and its credentials. */
export interface RegistrationOwner {
  readonly clientId: string;
  /** Null when none was sent. */
  readonly token: string | null;
  readonly source: string;
}

/** A complete new registration; the identifiers must match and change nothing (RFC 7592 §2.2). */
interface ReplacementRequest extends RegistrationRequest {
  readonly client_id?: string;
  readonly client_secret?: string;
}

type OwnServices = Pick<Services, 'store' | 'clock' | 'limits' | 'vault'>;

/**
 * The client with this registration token (RFC 7592 §2.1). The token is not rotated: a client that lost the response
 * would be locked out and could not get another. Throws `caller_unauthenticated` for a wrong token and a wrong client
 * alike, and `rate_limited`.
 */
export async function readOwnRegistration(
  services: Pick<Services, 'store' | 'limits'>,
  account: Account,
  owner: RegistrationOwner,
): Promise<Registration> {
  return { client: await requireOwner(services, account, owner), clientSecret: null, registrationToken: owner.token };
}

/**
 * Replaces the metadata with what is sent; members left out are cleared or get their defaults (RFC 7592 §2.2). A secret
 * is generated, and shown once, for a client that had none and whose new method needs one; otherwise it stays. A
 * request that changes nothing writes nothing. Throws as `readOwnRegistration` and `registerClient` do.
 */
export async function replaceOwnRegistration(
  services: OwnServices & Pick<Services, 'random' | 'egress'>,
  account: Account,
  owner: RegistrationOwner,
  request: ReplacementRequest,
  rules: RegistrationRules,
): Promise<Registration> {
  const client = await requireOwner(services, account, owner);
  requireSame(request, client);
  await limitChanges(services, account, client, owner);
  const read = readProfiledMetadata(request, rules, {
    ...account.settings,
    ...client,
    idTokenSigningAlg: defaultAlgorithm(account, client),
  });
  const metadata = await withSameSector(services, account, read, client);
  const isNew = hasSecret(metadata.authMethod) && client.secretDigest === null;
  const clientSecret = isNew ? newSecret(services.random, secretPrefixes.clientSecret) : null;
  const fields = changedFields(client, metadata);
  if (fields.length === 0) return { client, clientSecret: null, registrationToken: owner.token };
  const changes = { ...metadata, ...secretChanges(metadata, clientSecret), updatedAt: services.clock.now() };
  await services.store.transaction(async (tx) => {
    if (!(await tx.clients.update(account.id, client.appId, changes))) throw new Failure('caller_unauthenticated');
    await recordEvent(tx, services, account, { action: 'app.changed', ...about(client), detail: { fields } });
  });
  return { client: { ...client, ...changes }, clientSecret, registrationToken: owner.token };
}

/** Removes the client with its app, access, grants and tokens (RFC 7592 §2.3). Throws as `readOwnRegistration` does. */
export async function removeOwnRegistration(
  services: OwnServices,
  account: Account,
  owner: RegistrationOwner,
): Promise<void> {
  const client = await requireOwner(services, account, owner);
  await limitChanges(services, account, client, owner);
  await services.store.transaction(async (tx) => {
    // It was removed meanwhile, which is what was requested.
    if (!(await tx.clients.remove(account.id, client.appId, services.clock.now()))) return;
    await recordEvent(tx, services, account, { action: 'app.removed', ...about(client), detail: {} });
  });
}

/** The account's default may be younger than the client, which then understands the documented one for sure. */
function defaultAlgorithm({ settings }: Account, { idTokenAlg }: ClientRecord): KeyAlgorithm {
  return settings.idTokenSigningAlg === idTokenAlg ? settings.idTokenSigningAlg : 'RS256';
}

function about({ appId }: ClientRecord) {
  return { actor: { type: 'client', id: appId }, target: { type: 'app', id: appId } } as const;
}

async function requireOwner(
  { store, limits }: Pick<Services, 'store' | 'limits'>,
  account: Account,
  { clientId, token, source }: RegistrationOwner,
): Promise<ClientRecord> {
  const known = await findClient({ store }, account, clientId);
  const network = networkSourceOf(source);
  const subject = known ? { source: network, registration: known.clientId } : { source: network };
  const client = await limitFailures(limits, account, subject, async () =>
    known ? store.clients.findOwner(account.id, known.clientId, digestOf(token ?? '')) : null,
  );
  if (!client) throw new Failure('caller_unauthenticated', { challenged: token !== null });
  return client;
}

/**
 * Counts a change against the limit of registrations that the client was created under: each change is an event that
 * stays.
 */
async function limitChanges(
  { limits }: Pick<Services, 'limits'>,
  account: Account,
  { clientId, registeredBy }: ClientRecord,
  { source }: RegistrationOwner,
): Promise<void> {
  const limit = registeredBy === 'open' ? 'register-open' : 'register';
  await limits.take(account, limit, { source: networkSourceOf(source), registration: clientId });
}

/** RFC 7592 §2.2: the identifier is required, and a secret, if sent, must be the current one. */
function requireSame({ client_id: clientId, client_secret: secret }: ReplacementRequest, client: ClientRecord): void {
  if (clientId !== client.clientId) throw invalid('client_id', 'must be the identifier of this client');
  if (secret === undefined) return;
  if (!matchesDigest(secret, client.secretDigest)) throw invalid('client_secret', 'must be the one that was issued');
}

function secretChanges({ authMethod }: ClientMetadata, clientSecret: string | null): Partial<ClientRecord> {
  if (clientSecret !== null) return { secretDigest: digestOf(clientSecret) };
  if (hasSecret(authMethod)) return {};
  return { secretDigest: null, previousSecretDigest: null, previousSecretExpiresAt: null };
}
