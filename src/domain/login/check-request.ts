/**
 * Whether a client may make an authorization request. The authorization endpoint and pushed requests share this check.
 */

import type { Services } from '../../services.ts';
import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { isConsole } from '../clients/console-client.ts';
import { isRegisteredUri } from '../clients/redirect-uris.ts';
import { followsFapi, profiledRedirectFault } from '../clients/security-profile.ts';
import { splitScope } from '../tokens/scopes.ts';
import { targetOf } from '../tokens/target.ts';
import type { AuthorizationQuery } from './authorization-query.ts';
import { findFault } from './query-faults.ts';
import { readParameters } from './read-parameters.ts';
import type { AnswerTarget, AuthorizationError } from './redirect.ts';
import { pageFailure } from './refused-request.ts';
import { deliveryOf } from './response-mode.ts';

interface CheckedRequest {
  /** Where the response goes. */
  readonly target: AnswerTarget;
  /** The parsed request, or its error. */
  readonly read: AuthorizationParameters | AuthorizationError;
}

/** Checks a request. Throws `authorization_request_invalid` when the redirect URI is unknown. */
export async function checkRequest(
  services: Pick<Services, 'store' | 'signer'>,
  account: Account,
  client: ClientRecord,
  query: AuthorizationQuery,
): Promise<CheckedRequest> {
  const redirectUri = readRedirectUri(account, client, query);
  const asked = await targetOf(services, client, query.resource);
  const target = { redirectUri, ...deliveryOf(query, redirectUri) };
  const read =
    findFault(account, client, asked, query, redirectUri) ??
    (await readParameters(services, account, client, asked, query, target));
  return { target: { ...target, state: query.state ?? null }, read };
}

function readRedirectUri(
  account: Account,
  client: ClientRecord,
  { redirect_uri: asked, scope }: AuthorizationQuery,
): string {
  const isFapi = followsFapi(account, client) && !isConsole(client);
  const [only, ...more] = client.redirectUris;
  // OpenID Connect Core §3.1.2.1 and FAPI 2.0 §5.3.2.2 require it; RFC 6749 §3.1.2.3 makes it optional when only one is
  // registered.
  if (
    !isFapi &&
    asked === undefined &&
    only !== undefined &&
    more.length === 0 &&
    !splitScope(scope ?? '').includes('openid')
  )
    return only;
  if (asked === undefined)
    throw pageFailure(
      'redirect_uri',
      'redirect_uri_missing',
      'The application did not say where to return to (redirect_uri).',
    );
  if (!isRegisteredUri(client.redirectUris, asked, client.applicationType)) {
    throw pageFailure(
      'redirect_uri',
      'redirect_uri_differs',
      'The address to return to (redirect_uri) is not registered for this application.',
      asked,
    );
  }
  const fault = isFapi ? profiledRedirectFault(asked, client) : null;
  if (fault === null) return asked;
  throw pageFailure('redirect_uri', 'invalid_request', `The address to return to (redirect_uri) ${fault}.`, asked);
}
