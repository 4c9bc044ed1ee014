import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { type BasicPair, readBasic } from '../callers/basic.ts';
import { limitFailures } from '../callers/limit-failures.ts';
import { Failure } from '../failure.ts';
import { type NetworkSource, networkSourceOf } from '../network-source.ts';
import { matchesDigest } from '../secrets.ts';
import { certificateFault } from './certificate-authentication.ts';
import { assertionFault, clientNamedBy, type PresentedAssertion } from './client-assertion.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { findClient } from './client-id.ts';
import { usesCertificate } from './client-methods.ts';
import { findBeginning, isUnstored, withCurrentKeys } from './document-client.ts';
import { requireProfiledMethod } from './security-profile.ts';

export type AuthenticatedClient = ClientRecord;

/** How a client authenticates: the Authorization header, parameters of the form, its certificate, or several. */
export interface PresentedClient {
  readonly authorization: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** A JWT that the client signed, if the form has any part of one, with the endpoints that it may be for. */
  readonly assertion?: PresentedAssertion;
  /** Counts for clients that registered to authenticate by it; others may have one, too. */
  readonly certificate: ClientCertificate | null;
  readonly source: string;
  /** Whether something begins here, so that a client without a row may come by its metadata document. */
  readonly begins?: boolean;
}

type AuthenticationServices = Pick<Services, 'store' | 'limits' | 'clock' | 'clientKeys' | 'clientDocuments'>;

/**
 * Where nothing begins, a client without a row has nothing, so that no document is fetched for it. What a stored one
 * proves itself by is what its document says now; without a proof the row is enough.
 */
async function findPresented(
  services: AuthenticationServices,
  account: Account,
  clientId: string | undefined,
  { begins }: PresentedClient,
): Promise<ClientRecord | null> {
  if (begins) return findBeginning(services, account, clientId);
  const client = await findClient(services, account, clientId);
  return client?.authMethod === 'private_key_jwt' ? withCurrentKeys(services, account, client) : client;
}

/**
 * Authenticates a client by its registered method only (RFC 6749 §2.3). Uses up nothing except a valid assertion.
 * Throws `authorization_header_malformed`, `client_unknown`, `client_authentication_failed`, `rate_limited`, and
 * `security_profile` if its method is not that of its profile; where something begins `client_document_unusable`, and
 * elsewhere `unavailable` for a client whose keys are not known now.
 */
export async function authenticateClient(
  services: AuthenticationServices,
  account: Account,
  presented: PresentedClient,
): Promise<ClientRecord> {
  const challenged = presented.authorization !== undefined;
  const basic = presented.authorization === undefined ? null : readBasic(presented.authorization);
  if (challenged && !basic) throw new Failure('authorization_header_malformed', { challenged });
  const clientId = basic?.id ?? presented.clientId ?? clientNamedBy(presented.assertion?.text ?? '');
  const client = await findPresented(services, account, clientId, presented);
  const source = networkSourceOf(presented.source);
  // The identifiers of clients without a row are strangers' to choose, as unknown ones are.
  const subject = client && !isUnstored(client) ? { source, client: client.clientId } : { source };
  let reason: string | undefined;
  const authentic = await limitFailures(services.limits, account, subject, async () => {
    const verdict = await isAuthentic(services, account, client, basic, presented, source);
    if (verdict === true) return client;
    if (verdict !== false) ({ reason } = verdict);
    // An unknown client cost a database lookup; a wrong secret costs one too, so that both take the same time.
    if (client) await services.store.clients.find(account.id, client.clientId, 'fresh');
    return null;
  });
  if (authentic) {
    requireProfiledMethod(account, authentic, challenged);
    return authentic;
  }
  throw new Failure(client ? 'client_authentication_failed' : 'client_unknown', {
    challenged,
    ...(reason !== undefined && { reason }),
  });
}

/** A refused assertion, certificate or method says why, for the log: the developer is told of none. */
type Verdict = boolean | { readonly reason: string };

function isAuthentic(
  services: AuthenticationServices,
  account: Account,
  client: ClientRecord | null,
  basic: BasicPair | null,
  presented: PresentedClient,
  source: NetworkSource,
): Verdict | Promise<Verdict> {
  const { clientId, clientSecret, assertion } = presented;
  // An unknown client takes as long as a wrong secret.
  if (!client) return matchesDigest(basic?.secret ?? clientSecret ?? '', null);
  if (basic && clientId !== undefined && clientId !== basic.id) return false;
  if (basic && clientSecret !== undefined) return false;
  if (assertion || usesCertificate(client.authMethod)) {
    if (basic || clientSecret !== undefined) return false;
    return keyFault(services, account, client, presented, source).then((reason) => reason === null || { reason });
  }
  const method = basic ? 'client_secret_basic' : clientSecret !== undefined ? 'client_secret_post' : 'none';
  const either = !client.authMethodNamed && client.authMethod !== 'none' && method !== 'none';
  if (method !== client.authMethod && !either) return { reason: `method ${method} in place of ${client.authMethod}` };
  if (client.secretDigest === null) return method === 'none';
  const secret = basic?.secret ?? clientSecret ?? '';
  return matchesDigest(secret, client.secretDigest) || isFormerSecret(client, secret, services.clock);
}

/** Why the assertion or the certificate, by the client's method, does not show that it has its key; null if it does. */
async function keyFault(
  services: AuthenticationServices,
  account: Account,
  client: ClientRecord,
  { assertion, certificate }: PresentedClient,
  source: NetworkSource,
): Promise<string | null> {
  if (!assertion) return certificateFault(services, account, client, certificate);
  if (client.authMethod !== 'private_key_jwt') return 'the client did not register to authenticate by an assertion';
  return assertionFault(services, account, client, assertion, source);
}

/** Whether it is the previous secret and still valid. Most clients have none. */
function isFormerSecret(
  { previousSecretDigest, previousSecretExpiresAt }: ClientRecord,
  secret: string,
  clock: Services['clock'],
): boolean {
  if (previousSecretDigest === null || previousSecretExpiresAt === null) return false;
  return matchesDigest(secret, previousSecretDigest) && clock.now() < previousSecretExpiresAt;
}
