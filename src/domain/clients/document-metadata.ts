/** What a client's metadata document makes of the client. */

import type { ClientRecord } from '../../store/clients.ts';
import type { AccountSettings } from '../accounts/settings.ts';
import { Failure } from '../failure.ts';
import { readMembers } from './document-members.ts';
import type { ClientMetadata, RegistrationRules } from './metadata.ts';
import { readProfiledMetadata } from './profiled-registration.ts';
import { isAnybodysUri } from './redirect-uris.ts';
import type { RegistrationRequest } from './registration-request.ts';
import { sectorOfUris } from './sector.ts';

type Settled = Pick<AccountSettings, 'securityProfile' | 'implicitGrant' | 'mutualTls'>;

/** As of a registration in the open, without secrets (§4.1 of the draft). */
const rules: RegistrationRules = {
  nameRequired: false,
  redirectUrisRequired: true,
  standard: true,
  authMethods: ['none', 'private_key_jwt'],
  defaultGrantTypes: ['authorization_code', 'refresh_token'],
  defaultResponseTypes: ['code'],
};

/** One for all: each has memory of its own outside of the heap. */
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** The members of the document at an address, or what is wrong with it, worded for the client's developer. */
export function readDocument(
  url: string,
  body: Buffer,
): { readonly request: RegistrationRequest } | { readonly fault: string } {
  let document: unknown;
  try {
    document = JSON.parse(utf8.decode(body));
  } catch {
    return { fault: 'is not JSON' };
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    return { fault: 'is not a JSON object' };
  }
  const members = document as Readonly<Record<string, unknown>>;
  // §4.1 of the draft: compared as texts, so that nobody's document speaks for another address.
  if (members['client_id'] !== url) return { fault: 'has a client_id that is not its own address, letter by letter' };
  return readMembers(members);
}

/** By the rules of registration, and of the account; or what is wrong. */
export function metadataOf(
  url: string,
  request: RegistrationRequest,
  settings: Settled,
): { readonly metadata: ClientMetadata } | { readonly fault: string } {
  // What is left out means the same in every account: nobody registers here, and a setting would change old clients.
  const registrant = { ...settings, registeredBy: 'open', linkedServers: 0, idTokenSigningAlg: 'RS256' } as const;
  try {
    const read = readProfiledMetadata(ofOrigin(url, withDefaults(request, settings)), rules, registrant);
    const sector = read.subjectType === 'pairwise' ? sectorOfUris(read.redirectUris, 'open') : null;
    return { metadata: { ...read, sector } };
  } catch (error) {
    if (error instanceof Failure && error.kind === 'value') return { fault: `is not accepted: ${error.message}` };
    throw error;
  }
}

/** The defaults of RFC 7591 §2 would be a secret, and a web application without a web address. */
function withDefaults(request: RegistrationRequest, { securityProfile }: Settled): RegistrationRequest {
  const isFapi = securityProfile === 'fapi2' || request.security_profile === 'fapi2';
  const isNative = request.redirect_uris?.some((uri) => URL.canParse(uri) && isAnybodysUri(uri));
  return {
    ...(!isFapi && { token_endpoint_auth_method: 'none' }),
    ...(isNative && { application_type: 'native' }),
    ...request,
  };
}

/** Pages that a user is led to, and the address that logout tokens are sent to. */
const ofOwnOrigin: ReadonlySet<string> = new Set<keyof RegistrationRequest>([
  'client_uri',
  'policy_uri',
  'tos_uri',
  'backchannel_logout_uri',
]);

/**
 * Only what is of the document's own origin, of all addresses that a user or something about one is sent to, or that say
 * whose client it is: the page for consent shows the host of the document, and somebody else may be able to put a file
 * there. Programs are sent to loopback addresses and private schemes, which are nobody's. The rest is ignored.
 */
function ofOrigin(url: string, request: RegistrationRequest): RegistrationRequest {
  const { origin } = new URL(url);
  const isHere = (uri: unknown) => typeof uri === 'string' && URL.parse(uri)?.origin === origin;
  // What is no address at all, or an http one, is refused later with its reason.
  const isOwn = (uri: string) => isHere(uri) || URL.parse(uri)?.protocol !== 'https:' || isAnybodysUri(uri);
  const { redirect_uris: uris, post_logout_redirect_uris: afterwards, ...given } = request;
  if (uris && uris.length > 0 && !uris.some(isOwn)) {
    throw new Failure('redirect_uri_invalid', {
      name: 'redirect_uris',
      message: `redirect_uris has none at ${origin}, on a loopback host, or with a scheme of its own`,
    });
  }
  const rest = Object.entries(given).filter(([name, value]) => !ofOwnOrigin.has(name) || isHere(value));
  return {
    ...Object.fromEntries(rest),
    ...(uris && { redirect_uris: uris.filter(isOwn) }),
    ...(afterwards && { post_logout_redirect_uris: afterwards.filter(isOwn) }),
  };
}

/** The members of a client that its document decides. */
const decided = [
  'name',
  'applicationType',
  'redirectUris',
  'postLogoutRedirectUris',
  'grantTypes',
  'responseTypes',
  'authMethod',
  'authMethodNamed',
  'subjectType',
  'sector',
  'idTokenAlg',
  'scope',
  'extra',
] as const satisfies (keyof ClientMetadata)[];

/** The part of a client that its document says. */
export function decidedBy(client: ClientRecord): ClientMetadata {
  return Object.fromEntries(decided.map((name) => [name, client[name]])) as unknown as ClientMetadata;
}
