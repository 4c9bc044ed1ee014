/** Authorization requests that a client sends ahead (RFC 9126). */

import type { Services } from '../../services.ts';
import type { AuthorizationRequestRecord } from '../../store/authorizations.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { isAnybodys } from '../clients/client-methods.ts';
import { isUnstored } from '../clients/document-client.ts';
import { type Proof, readProof, useProof } from '../dpop/check-proof.ts';
import { Failure } from '../failure.ts';
import { networkSourceOf } from '../network-source.ts';
import { digestOf, newSecret } from '../secrets.ts';
import { type AuthorizationQuery, parameterNames, type SentQuery } from './authorization-query.ts';
import { checkRequest } from './check-request.ts';
import type { AuthorizationError } from './redirect.ts';
import { pageFailure } from './refused-request.ts';
import { readRequestObject, unsignedFault } from './request-object.ts';
import { sealPushed, unsealPushed } from './sealed-push.ts';

const prefix = 'urn:ietf:params:oauth:request_uri:';
const lifetimeSeconds = 90;

export type PushedRequest =
  | { readonly outcome: 'pushed'; readonly requestUri: string; readonly expiresInSeconds: number }
  | { readonly outcome: 'refused'; readonly error: AuthorizationError };

/**
 * The error for a pushed request that is unknown, used or expired. It is shown on a page, because no other parameter
 * counts. The page leads back to the client.
 */
export function usedUp(account: Account, client: ClientRecord): Failure {
  const message = 'This sign-in has expired or has already been finished (request_uri).';
  const { code, detail } = pageFailure('request_uri', 'request_used_up', message);
  const startAgain = addressToStart(account, client);
  return new Failure(code, { ...detail, ...(startAgain !== undefined && { startAgain }) });
}

/**
 * Where the client lets sign-ins begin, else its own page. Only for clients that a caller of the account registered:
 * anybody can have this page shown, and others could make it lead to any place.
 */
function addressToStart({ baseUrl }: Account, { registeredBy, extra }: ClientRecord): string | undefined {
  if (registeredBy !== 'token') return undefined;
  const begin = extra.initiate_login_uri === undefined ? null : URL.parse(extra.initiate_login_uri);
  // OpenID Connect Core §4.
  begin?.searchParams.set('iss', baseUrl);
  return begin?.href ?? extra.login_url ?? extra.client_uri;
}

/** Whether this service issued the `request_uri`. */
export function isPushedUri(requestUri: string): boolean {
  return requestUri.startsWith(prefix);
}

/** How a request was pushed. */
interface Pushing {
  readonly source: string;
  /** The `DPoP` header. */
  readonly proof: string | undefined;
  /** The URLs that it may have been pushed to. */
  readonly urls: readonly string[];
}

/**
 * Stores the request of an authenticated client until it expires. It is checked as at the authorization
 * endpoint, and there again. If it came with a proof of a key, its code works with this key only. Throws
 * `authorization_request_invalid` for a redirect URI that is not registered, `rate_limited`, `dpop_proof_invalid` and
 * `dpop_nonce_required`.
 */
export async function pushRequest(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'signer' | 'limits' | 'clientKeys' | 'vault'>,
  account: Account,
  client: ClientRecord,
  sent: SentQuery,
  { source, ...proven }: Pushing,
): Promise<PushedRequest> {
  const network = networkSourceOf(source);
  await services.limits.take(account, 'par', { source: network, client: client.clientId });
  // Anyone can register any number of these clients, so their requests count as rows by source like all others.
  if (isAnybodys(client)) await services.limits.take(account, 'authorize', { source: network });
  if (sent.request_uri !== undefined) {
    return refused({ error: 'invalid_request', description: 'request_uri cannot be pushed' });
  }
  const asked =
    sent.request === undefined
      ? (unsignedFault(client) ?? sent)
      : await readRequestObject(services, account, client, sent.request);
  if ('error' in asked) return refused(asked);
  const { query, proof } = await withKey(services, account, client, asked, proven);
  const { read } = await checkRequest(services, account, client, query);
  if ('error' in read) return refused(read);
  const expiresAt = services.clock.now() + lifetimeSeconds * 1000;
  const pushed = { parameters: onlyParameters(query), expiresAt };
  if (isUnstored(client)) return sealed(sealPushed(services, account, client.clientId, pushed));
  const secret = newSecret(services.random, '');
  await useProof(services.store, proof);
  const digest = digestOf(secret);
  await services.store.authorizations.push({ accountId: account.id, digest, appId: client.appId, ...pushed });
  return { outcome: 'pushed', requestUri: prefix + secret, expiresInSeconds: lifetimeSeconds };
}

function sealed(reference: string | null): PushedRequest {
  if (reference !== null) {
    return { outcome: 'pushed', requestUri: prefix + reference, expiresInSeconds: lifetimeSeconds };
  }
  const description = 'the request is too large for a client that no user has allowed yet; a shorter state may do';
  return refused({ error: 'invalid_request', description });
}

/** RFC 9449 §10.1: a proof has the same effect as `dpop_jkt`, and proves that the client has the key. */
async function withKey(
  services: Pick<Services, 'clock' | 'vault'>,
  account: Account,
  client: ClientRecord,
  query: AuthorizationQuery,
  { proof: text, urls }: Omit<Pushing, 'source'>,
): Promise<{ readonly query: AuthorizationQuery; readonly proof: Proof | null }> {
  if (text === undefined) return { query, proof: null };
  const proven = { proof: text, method: 'POST', urls, accessToken: null };
  const proof = await readProof(services, account, client, proven);
  const dpop_jkt = proof.thumbprint;
  if (query.dpop_jkt === undefined || query.dpop_jkt === dpop_jkt) return { query: { ...query, dpop_jkt }, proof };
  throw new Failure('dpop_proof_invalid', { message: 'the key of the DPoP proof does not match dpop_jkt' });
}

/**
 * Uses up the pushed request of a sign-in when that ends, if it came from one: true for exactly one caller. Until then
 * the address can be loaded again (RFC 9126 §4), also by a browser that lost the answer.
 */
export async function usePushed(
  { authorizations }: Pick<StoreVerbs, 'authorizations'>,
  { accountId, parameters, expiresAt }: AuthorizationRequestRecord,
): Promise<boolean> {
  const { pushed } = parameters;
  if (pushed === undefined) return true;
  // Any other sign-in that began with it ends at most this much later.
  const latest = expiresAt + lifetimeSeconds * 1000;
  return authorizations.finishRequest({ accountId, digest: pushed, expiresAt: latest });
}

/** A pushed request, and its name in the store. */
interface FoundPushed {
  readonly query: AuthorizationQuery;
  readonly digest: string;
}

/** A pushed request of this client that can still be used (§7.3), or null. */
export async function findPushed(
  { store, clock, vault }: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  client: ClientRecord,
  requestUri: string,
): Promise<FoundPushed | null> {
  const reference = requestUri.slice(prefix.length);
  const digest = digestOf(reference);
  const unsealed = unsealPushed({ vault }, account, client.clientId, reference);
  const found = unsealed ?? (await store.authorizations.findPushed(account.id, client.appId, digest));
  if (!found || found.expiresAt <= clock.now()) return null;
  if (unsealed && (await store.authorizations.hasEnded(account.id, digest))) return null;
  return { query: { ...found.parameters, client_id: client.clientId }, digest };
}

/** Without the client's authentication. */
function onlyParameters(query: AuthorizationQuery): Record<string, string> {
  return Object.fromEntries(parameterNames.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])));
}

function refused(error: AuthorizationError): PushedRequest {
  return { outcome: 'refused', error };
}
