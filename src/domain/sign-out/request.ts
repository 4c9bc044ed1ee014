/** A client's request to sign the user out (OpenID Connect RP-Initiated Logout 1.0 §2). */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { findClient } from '../clients/client-id.ts';
import { minute } from '../durations.ts';
import { Failure } from '../failure.ts';
import { newSecret } from '../secrets.ts';
import { readIdTokenHint } from '../tokens/id-token-hint.ts';

const requestMilliseconds = 10 * minute;

/** Binds a sealed request to its use: other sealed texts do not open here. */
const place = 'sign_outs|request';

/** Parameters of a logout request, as sent. */
export interface SignOutQuery {
  readonly id_token_hint?: string;
  readonly client_id?: string;
  readonly post_logout_redirect_uri?: string;
  readonly state?: string;
}

/** The request, checked. */
export interface SignOutRequest {
  readonly appId: number | null;
  /** The user whom the hint names; null without a valid one: then the user is asked. */
  readonly subject: string | null;
  /** Where to go afterwards; null: the page of this service. */
  readonly redirectUri: string | null;
  readonly state: string | null;
  readonly expiresAt: number;
}

interface BegunSignOut {
  /** The request itself, sealed: nothing is stored. */
  readonly requestId: string;
  readonly browserSecret: string;
}

/**
 * Checks the request. Throws `authorization_request_invalid`, which is not redirected, when the client is unknown, the
 * hint is another client's, or the address is not registered for the client.
 */
export async function beginSignOut(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'signer'>,
  account: Account,
  query: SignOutQuery,
  browserSecret: string | undefined,
): Promise<BegunSignOut> {
  const { id_token_hint: text, client_id: named, post_logout_redirect_uri: redirectUri } = query;
  const hint = text === undefined ? null : await readIdTokenHint(services, account, text);
  if (hint && named !== undefined && named !== hint.clientId)
    throw invalid('The id_token_hint was not issued to client_id.');
  const clientId = named ?? hint?.clientId;
  const client = clientId === undefined ? null : await findClient(services, account, clientId);
  if (named !== undefined && !client)
    throw invalid('The application that sent you here is not registered (client_id).');
  if (redirectUri !== undefined) requireRegistered(client, redirectUri);
  const request: SignOutRequest = {
    appId: client?.appId ?? null,
    subject: hint?.subject ?? null,
    redirectUri: redirectUri ?? null,
    state: query.state ?? null,
    expiresAt: services.clock.now() + requestMilliseconds,
  };
  return {
    requestId: services.vault.seal(account.record, place, Buffer.from(JSON.stringify(request))),
    browserSecret: browserSecret && /^[\w-]{43}$/.test(browserSecret) ? browserSecret : newSecret(services.random, ''),
  };
}

function requireRegistered(client: ClientRecord | null, uri: string): void {
  // Exact match: ports are not ignored here (RP-Initiated Logout §3.1).
  if (client?.postLogoutRedirectUris.includes(uri)) return;
  throw invalid('The address to go to (post_logout_redirect_uri) is not registered for this application.');
}

function invalid(message: string): Failure {
  return new Failure('authorization_request_invalid', { message });
}

/**
 * Opens a request from `beginSignOut`. Throws `authorization_request_invalid` for any other text, and after ten
 * minutes.
 */
export function openSignOut(
  { vault, clock }: Pick<Services, 'vault' | 'clock'>,
  account: Account,
  requestId: string | undefined,
): SignOutRequest {
  const ended = 'This sign-out has expired or was not started here.';
  let request: SignOutRequest;
  try {
    request = JSON.parse(vault.unseal(account.record, place, requestId ?? '').toString('utf8'));
  } catch {
    // Not sealed by this service.
    throw invalid(ended);
  }
  if (request.expiresAt <= clock.now()) throw invalid(ended);
  return request;
}

/** Where the browser goes afterwards; null: to the page that says it is done. */
export function afterSignOut({ redirectUri, state }: SignOutRequest): string | null {
  if (redirectUri === null || state === null) return redirectUri;
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams({ state })}`;
}
