import type { Services } from '../../services.ts';
import type { AuthorizationParameters, ClientRecord, LinkedServer } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { isRegisteredUri } from '../clients/redirect-uris.ts';
import { Failure } from '../failure.ts';
import { linkedServersOf } from '../tokens/audience.ts';
import { allowedScope, grantableScope, splitScope } from '../tokens/scopes.ts';
import { multiFactor, singleFactor } from './methods.ts';
import { type OpenedRequest, openRequest } from './open-request.ts';
import { type AuthorizationError, redirectError } from './redirect.ts';

/** Parameters of the authorization endpoint as sent (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1, RFC 7636 §4.3, RFC 8707 §2.1). */
export interface AuthorizationQuery {
  readonly response_type?: string;
  readonly client_id?: string;
  readonly redirect_uri?: string;
  readonly scope?: string;
  readonly state?: string;
  readonly nonce?: string;
  readonly code_challenge?: string;
  readonly code_challenge_method?: string;
  readonly response_mode?: string;
  readonly prompt?: string;
  readonly max_age?: string;
  readonly login_hint?: string;
  readonly acr_values?: string;
  readonly resource?: string;
  readonly request?: string;
  readonly request_uri?: string;
  readonly dpop_jkt?: string;
}

export type BegunAuthorization =
  | ({ readonly outcome: 'begun' } & OpenedRequest)
  /** The client is told at its redirect URI. */
  | { readonly outcome: 'refused'; readonly location: string };

/**
 * Begins a sign-in: checks what the client asks for and stores it, bound to the browser. Throws
 * `authorization_request_invalid` when client or redirect URI are not known, since the answer must then stay here (RFC 6749 §4.1.2.1).
 */
export async function beginAuthorization(
  services: Pick<Services, 'store' | 'clock' | 'random'>,
  account: Account,
  query: AuthorizationQuery,
  browserSecret: string | undefined,
): Promise<BegunAuthorization> {
  const client = query.client_id ? await services.store.clients.find(account.id, query.client_id) : null;
  if (!client) throw pageFailure('client_id', 'The application that sent you here is not registered (client_id).');
  const redirectUri = readRedirectUri(client, query);
  const servers = serversAsked(await linkedServersOf(services, client), query);
  const refused = findFault(client, servers, query);
  if (refused) {
    return {
      outcome: 'refused',
      location: redirectError(account, { redirectUri, state: query.state ?? null }, refused),
    };
  }
  const parameters = readParameters(client, servers, query, redirectUri);
  return { outcome: 'begun', ...(await openRequest(services, account, client, parameters, browserSecret)) };
}

function pageFailure(name: string, message: string): Failure {
  return new Failure('authorization_request_invalid', { name, message });
}

function readRedirectUri(client: ClientRecord, { redirect_uri: asked, scope }: AuthorizationQuery): string {
  const [only, ...more] = client.redirectUris;
  // OpenID Connect Core §3.1.2.1 requires it; RFC 6749 §3.1.2.3 lets it be left out where only one is registered.
  if (asked === undefined && only !== undefined && more.length === 0 && !splitScope(scope ?? '').includes('openid'))
    return only;
  if (asked === undefined)
    throw pageFailure('redirect_uri', 'The application did not say where to return to (redirect_uri).');
  if (!isRegisteredUri(client.redirectUris, asked, client.applicationType)) {
    throw pageFailure(
      'redirect_uri',
      'The address to return to (redirect_uri) is not registered for this application.',
    );
  }
  return asked;
}

/** The API authorization servers in question: the one that `resource` names, or all (RFC 8707 §2.1). */
function serversAsked(servers: readonly LinkedServer[], { resource }: AuthorizationQuery): readonly LinkedServer[] {
  return resource ? servers.filter(({ server }) => server.resourceIdentifier === resource) : servers;
}

/** The first fault that the client is told about at its redirect URI, or null. */
function findFault(
  client: ClientRecord,
  servers: readonly LinkedServer[],
  query: AuthorizationQuery,
): AuthorizationError | null {
  const fault = (error: AuthorizationError['error'], description: string) => ({ error, description });
  if (query.request !== undefined) return fault('request_not_supported', 'request objects are not offered');
  if (query.request_uri !== undefined) return fault('request_uri_not_supported', 'request objects are not offered');
  if (query.response_type === undefined) return fault('invalid_request', 'response_type is missing');
  if (query.response_type !== 'code') return fault('unsupported_response_type', 'response_type must be code');
  if (!client.grantTypes.includes('authorization_code') || !client.responseTypes.includes('code')) {
    return fault('unauthorized_client', 'the client is not registered for the authorization code');
  }
  if ((query.response_mode ?? 'query') !== 'query') return fault('invalid_request', 'response_mode must be query');
  if (query.resource && servers.length === 0) {
    return fault('invalid_target', 'resource names no API that the client can get access tokens for');
  }
  if (grantableScope(client, query.scope, servers).length === 0) {
    return fault('invalid_scope', `scope must hold one of ${allowedScope(client, servers).join(', ')}`);
  }
  const prompts = splitScope(query.prompt ?? '');
  const unknown = prompts.find((prompt) => !['none', 'login', 'consent', 'select_account'].includes(prompt));
  if (unknown !== undefined) return fault('invalid_request', 'prompt must be none, login, consent or select_account');
  if (prompts.includes('none') && prompts.length > 1) return fault('invalid_request', 'prompt none stands alone');
  if (query.max_age !== undefined && !(/^\d{1,10}$/.test(query.max_age) && Number(query.max_age) < 2 ** 31)) {
    return fault('invalid_request', 'max_age must be a number of seconds');
  }
  if (query.dpop_jkt !== undefined && !/^[\w-]{43}$/.test(query.dpop_jkt)) {
    return fault('invalid_request', 'dpop_jkt must be a SHA-256 thumbprint in base64url');
  }
  return findChallengeFault(client, query);
}

/** RFC 7636 §4.3, RFC 9700 §2.1.1: S256 only, and always for clients without a secret. */
function findChallengeFault(client: ClientRecord, query: AuthorizationQuery): AuthorizationError | null {
  const { code_challenge: challenge, code_challenge_method: method } = query;
  const fault = (description: string) => ({ error: 'invalid_request' as const, description });
  if (challenge === undefined) {
    if (method !== undefined) return fault('code_challenge is missing');
    return client.authMethod === 'none' ? fault('code_challenge is required for clients without a secret') : null;
  }
  if (method !== 'S256') return fault('code_challenge_method must be S256');
  return /^[\w-]{43}$/.test(challenge) ? null : fault('code_challenge must be a SHA-256 hash in base64url');
}

/** The first value that is known counts: they stand in the order of preference (OpenID Connect Core §3.1.2.1, RFC 9470 §4). */
function asksForSecondFactor({ acr_values: values }: AuthorizationQuery): boolean {
  return splitScope(values ?? '').find((value) => value === singleFactor || value === multiFactor) === multiFactor;
}

function readParameters(
  client: ClientRecord,
  servers: readonly LinkedServer[],
  query: AuthorizationQuery,
  redirectUri: string,
): AuthorizationParameters {
  return {
    redirectUri,
    redirectUriGiven: query.redirect_uri !== undefined,
    scope: grantableScope(client, query.scope, servers),
    state: query.state ?? null,
    nonce: query.nonce ?? null,
    codeChallenge: query.code_challenge ?? null,
    loginHint: query.login_hint ?? null,
    prompt: splitScope(query.prompt ?? ''),
    maxAgeSeconds: query.max_age === undefined ? (client.extra.default_max_age ?? null) : Number(query.max_age),
    ...(asksForSecondFactor(query) && { secondFactor: true }),
    ...(query.dpop_jkt !== undefined && { dpopKey: query.dpop_jkt }),
    serverId: query.resource ? (servers[0]?.server.id ?? null) : null,
  };
}
