/** What the management API writes about an app, checked by the rules of registration. */

import type { ClientAuthMethod } from '../../store/client-metadata.ts';
import type { AppDetails, ClientRecord } from '../../store/clients.ts';
import type { AccountSettings } from '../accounts/settings.ts';
import { Failure } from '../failure.ts';
import { readText } from '../text.ts';
import { mostAccessTokenMinutes, mostRefreshTokenMinutes } from '../tokens/longest-lives.ts';
import { readSubject } from './certificate-subject.ts';
import { authMethods, hasSecret } from './client-methods.ts';
import { isDocumentId } from './document-url.ts';
import { documentedGrantTypes, knownResponseTypes } from './known-values.ts';
import { type RegistrationRules, readMetadata, registeredByCaller } from './metadata.ts';
import type { RegistrationRequest } from './registration-request.ts';

type Text = string | null | undefined;

/**
 * Undefined members stay as they are. Null clears texts, the policy and roles; for other members null has no effect.
 */
export interface AppInput {
  readonly name?: Text;
  readonly connectorId?: number | null | undefined;
  readonly description?: Text;
  readonly notes?: Text;
  readonly visible?: boolean | null | undefined;
  /** The policy of sign-ins to the app. */
  readonly policyId?: number | null | undefined;
  readonly iconUrl?: Text;
  /** All roles that give access to the app. */
  readonly roleIds?: readonly number[] | null | undefined;
  /** URIs, one per line. */
  readonly redirectUri?: Text;
  readonly postLogoutRedirectUri?: Text;
  readonly loginUrl?: Text;
  readonly applicationType?: ClientRecord['applicationType'] | undefined;
  readonly authMethod?: ClientAuthMethod | undefined;
  /** Null or 0: the default. */
  readonly accessTokenMinutes?: number | null | undefined;
  /** Null or 0: as the account says. */
  readonly refreshTokenMinutes?: number | null | undefined;
}

/** Like the documented registration, but redirect URIs may be set later. */
const rules: Omit<RegistrationRules, 'nameRequired'> = {
  redirectUrisRequired: false,
  redirectUrisOptional: true,
  authMethods,
  defaultGrantTypes: documentedGrantTypes,
  defaultResponseTypes: knownResponseTypes,
};

/** Registration members by their names here. */
const wireNames: Readonly<Record<string, string>> = {
  client_name: 'name',
  logo_uri: 'icon_url',
  redirect_uris: 'configuration.redirect_uri',
  token_endpoint_auth_method: 'configuration.token_endpoint_auth_method',
  post_logout_redirect_uris: 'configuration.post_logout_redirect_uri',
  login_url: 'configuration.login_url',
};

function linesOf(text: Text, stored: readonly string[] | undefined): readonly string[] {
  if (text === undefined) return stored ?? [];
  return (text ?? '')
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/**
 * The app as a registration request. Texts that were not sent are left out and stay as stored: they may be older than a
 * rule that they break, and must not block another change.
 */
function requestOf(input: AppInput, client: ClientRecord | null): RegistrationRequest {
  const authMethod = input.authMethod ?? client?.authMethod;
  const redirectUris = linesOf(input.redirectUri, client?.redirectUris);
  return {
    ...(input.name != null && { client_name: input.name }),
    application_type: input.applicationType ?? client?.applicationType ?? 'web',
    ...(redirectUris.length > 0 && { redirect_uris: redirectUris }),
    post_logout_redirect_uris: linesOf(input.postLogoutRedirectUri, client?.postLogoutRedirectUris),
    ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
    ...(client?.extra.jwks && { jwks: { keys: client.extra.jwks.keys } }),
    ...(client?.extra.jwks_uri !== undefined && { jwks_uri: client.extra.jwks_uri }),
    ...(input.iconUrl != null && { logo_uri: input.iconUrl }),
    ...(input.loginUrl != null && { login_url: input.loginUrl }),
  };
}

/** The same error with the member's name as used here. */
function renamed(error: unknown): unknown {
  if (!(error instanceof Failure) || error.detail.name === undefined) return error;
  const { name, message = '' } = error.detail;
  const own = Object.hasOwn(wireNames, name) ? wireNames[name] : undefined;
  if (own === undefined) return error;
  return new Failure('value_invalid', { name: own, message: message.replace(name, own) });
}

function optional(name: string, text: Text, most?: number): string | null {
  return text ? readText(name, text, most) : null;
}

type OwnSettings = Pick<ClientRecord, 'policyId' | 'accessTokenMinutes' | 'refreshTokenMinutes'>;

/** For how many minutes tokens may be good, by the wire name. */
const longestLives = {
  accessTokenMinutes: ['configuration.access_token_expiration_minutes', mostAccessTokenMinutes],
  refreshTokenMinutes: ['configuration.refresh_token_expiration_minutes', mostRefreshTokenMinutes],
} as const;

function readLife(input: AppInput, member: keyof typeof longestLives): Partial<OwnSettings> {
  const minutes = input[member];
  if (minutes === undefined) return {};
  const [name, most] = longestLives[member];
  if (minutes === null || (minutes >= 0 && minutes <= most)) return { [member]: minutes || null };
  throw new Failure('value_invalid', { name, message: `${name} must be from 1 to ${most}, or 0 for the default` });
}

/** The members that belong to the app itself, as stored. */
function readDetails(input: AppInput): Partial<AppDetails & OwnSettings> {
  return {
    // Clients that cannot leave a number out send 0.
    ...(input.policyId !== undefined && { policyId: input.policyId || null }),
    ...readLife(input, 'accessTokenMinutes'),
    ...readLife(input, 'refreshTokenMinutes'),
    ...(input.connectorId != null && { connectorId: input.connectorId }),
    ...(input.description !== undefined && { description: optional('description', input.description) }),
    ...(input.notes !== undefined && { notes: optional('notes', input.notes, 1024) }),
    ...(input.visible != null && { visible: input.visible }),
  };
}

function readClient(input: AppInput, client: ClientRecord | null, registrant = registeredByCaller) {
  try {
    const named = { ...rules, nameRequired: client === null };
    const metadata = readMetadata(requestOf(input, client), named, registrant);
    // Whose certificate it is, a registration alone can say.
    if (metadata.authMethod === 'tls_client_auth') readSubject(client?.extra ?? {});
    return metadata;
  } catch (error) {
    throw renamed(error);
  }
}

/** A new app of an account with these settings. Throws `value_invalid` with the member's name. */
export function readNewApp(input: AppInput, { idTokenSigningAlg }: Pick<AccountSettings, 'idTokenSigningAlg'>) {
  const metadata = readClient(input, null, { ...registeredByCaller, idTokenSigningAlg });
  return { metadata: { ...metadata, authMethodNamed: input.authMethod !== undefined }, details: readDetails(input) };
}

/** Members that a client's metadata document decides: they may be sent as they are, and no edit could last. */
function requireUndecided(input: AppInput, client: ClientRecord): void {
  const isSame = (text: Text, stored: string | null | undefined) =>
    text === undefined || (text ?? '') === (stored ?? '');
  const isSameList = (text: Text, stored: readonly string[]) =>
    isSame(linesOf(text, stored).join('\n'), stored.join('\n'));
  const { name, extra, redirectUris, postLogoutRedirectUris, applicationType, authMethod } = client;
  const checks: Readonly<Record<string, boolean>> = {
    name: input.name == null || isSame(input.name, name),
    icon_url: isSame(input.iconUrl, extra.logo_uri),
    'configuration.redirect_uri': isSameList(input.redirectUri, redirectUris),
    'configuration.post_logout_redirect_uri': isSameList(input.postLogoutRedirectUri, postLogoutRedirectUris),
    'configuration.login_url': isSame(input.loginUrl, extra.login_url),
    'configuration.application_type': (input.applicationType ?? applicationType) === applicationType,
    'configuration.token_endpoint_auth_method': (input.authMethod ?? authMethod) === authMethod,
  };
  for (const [member, same] of Object.entries(checks)) {
    if (same) continue;
    const message = `${member} is decided by the metadata document of the client and cannot be changed here`;
    throw new Failure('value_invalid', { name: member, message });
  }
}

/** The changes to a client and its app. Throws `value_invalid` with the member's name. */
export function readAppChanges(input: AppInput, client: ClientRecord): Partial<ClientRecord & AppDetails> {
  const { name, applicationType, redirectUris, postLogoutRedirectUris, authMethod, extra } = readClient(input, client);
  if (isDocumentId(client.clientId)) requireUndecided(input, client);
  const { logo_uri: logo, login_url: login, ...others } = client.extra;
  const kept = {
    ...others,
    ...(input.iconUrl === undefined && logo !== undefined && { logo_uri: logo }),
    ...(input.loginUrl === undefined && login !== undefined && { login_url: login }),
  };
  return {
    // A client without a name is shown by its identifier, but that is not a name.
    ...(input.name != null && { name }),
    applicationType,
    redirectUris,
    postLogoutRedirectUris,
    authMethod,
    ...(input.authMethod !== undefined && { authMethodNamed: true }),
    ...(!hasSecret(authMethod) && { secretDigest: null, previousSecretDigest: null, previousSecretExpiresAt: null }),
    extra: { ...kept, ...extra },
    ...readDetails(input),
  };
}
