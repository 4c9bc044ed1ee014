/** Who may exchange which access token, and who is the actor of the new one (RFC 8693). */

import type { Services } from '../../services.ts';
import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { isConfidential } from '../clients/client-methods.ts';
import { isWelcome } from '../clients/document-url.ts';
import { hasGrantType } from '../clients/grant-types.ts';
import { exchangeGrant } from '../clients/known-values.ts';
import { Failure } from '../failure.ts';
import { type FoundAccessToken, findAccessToken, isActive } from './access-token.ts';
import { linkedServersOf } from './audience.ts';
import { type Binding, isSameBinding } from './binding.ts';
import type { Actor } from './jwt-access-token.ts';

/** Maximum length of the chain of actors. */
const mostActors = 5;
/** Maximum number of clients that are looked at to tell a user who may act. */
const mostLinked = 100;

/** RFC 8693 §2.2.2: an invalid or unacceptable token is `invalid_request`. */
export function invalid(name: string, why: string): Failure {
  return new Failure('request_invalid', { name, message: `${name} ${why}` });
}

/**
 * Denies by default. A client may exchange its own tokens. It may exchange another client's token of a user only if it
 * authenticates, is linked to the API authorization server that the token is for, and its app is assigned to the user.
 * A token that is bound to a key or a certificate is exchanged only together with it. Returns the server as this client
 * is linked to it; null for an opaque token.
 */
export async function requireMayExchange(
  services: Pick<Services, 'store'>,
  client: ClientRecord,
  { token, linked, binding, user }: FoundAccessToken,
  proven: Binding | null,
): Promise<LinkedServer | null> {
  if (binding !== null && !isSameBinding(binding, proven)) {
    const missing = binding.to === 'key' ? 'there is no proof of that key' : 'this request is not bound to it';
    throw invalid('subject_token', `is bound to a ${binding.to}, and ${missing}`);
  }
  const isOwn = token.appId === client.appId;
  if (isOwn) return linked;
  const servers = linked && user && isConfidential(client) ? await linkedServersOf(services, client) : [];
  const same = servers.find(({ server }) => server.id === linked?.server.id);
  if (!same || !user) throw invalid('subject_token', 'must not be exchanged by this client');
  if (await services.store.access.isAssigned(client.accountId, client.appId, user.id)) return same;
  throw new Failure('access_not_assigned');
}

/**
 * The other clients that may exchange a token which this client gets of the user for one of these servers, as
 * `requireMayExchange` has it.
 */
export async function clientsThatMayAct(
  services: Pick<Services, 'store'>,
  account: Account,
  { client, userId }: { readonly client: ClientRecord; readonly userId: number },
  serverIds: readonly number[],
): Promise<readonly ClientRecord[]> {
  if (serverIds.length === 0) return [];
  const by = { grantType: exchangeGrant, userId };
  const linked = await services.store.authorizationServers.linkedFor(account.id, serverIds, by, mostLinked);
  const mayExchange = (one: ClientRecord) =>
    hasGrantType(one, exchangeGrant) && isConfidential(one) && isWelcome(account, one.clientId);
  return linked.filter((one) => one.appId !== client.appId && mayExchange(one));
}

/**
 * The actor of the new token (§4.1): this client, if it presents its own actor token or if the subject token was issued
 * to another client; then the former actors. Null if there is no actor.
 */
export async function actorOf(
  services: Pick<Services, 'store' | 'clock' | 'signer'>,
  account: Account,
  client: ClientRecord,
  { token, linked, actor: former }: FoundAccessToken,
  actorToken: string | null,
): Promise<Actor | null> {
  if (actorToken !== null) {
    if (!linked) throw invalid('actor_token', 'is supported only when the subject token is for an API');
    const shown = await findAccessToken(services, account, actorToken);
    const isOwn = shown?.token.appId === client.appId && shown.user === null;
    if (!shown || !isOwn || shown.binding !== null || !isActive(shown, services.clock.now())) {
      throw invalid('actor_token', "is not a valid token of the client's own");
    }
  } else if (token.appId === client.appId) return former;
  // The current actor stays the actor: nobody appears twice in a row.
  if (former?.sub === client.clientId) return former;
  const actor = { sub: client.clientId, ...(former && { act: former }) };
  if (lengthOf(actor) > mostActors) throw invalid('subject_token', 'has passed through too many clients');
  return actor;
}

function lengthOf(actor: Actor): number {
  return 1 + (actor.act ? lengthOf(actor.act) : 0);
}
