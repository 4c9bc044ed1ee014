/** Client metadata (RFC 7591 §2, the document's §2.1): what a registration may request and what is stored. */

import type { ClientAuthMethod, ResponseType } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { AccountSettings } from '../accounts/settings.ts';
import { hasForbiddenCharacter, isInvisible } from '../text.ts';
import { documentedAuthMethods, offeredAuthMethods } from './client-methods.ts';
import { invalid, readExtra } from './extra-metadata.ts';
import { canRegisterFor, fitsSubjects, grantTypesOf } from './grant-types.ts';
import {
  documentedGrantTypes,
  type GrantType,
  knownGrantTypes,
  knownResponseTypes,
  signingAlgorithms,
  subjectTypes,
} from './known-values.ts';
import { readScope } from './read-scope.ts';
import type { RegistrationRequest } from './registration-request.ts';
import { requireKeys } from './required-keys.ts';
import { readStandardMembers } from './standard-members.ts';
import { impliedType, readRedirectUris, readUriList, requireRedirectUris } from './uri-lists.ts';

/** The differences between the two registration endpoints; `docs/two-doors.md` gives the reasons. */
export interface RegistrationRules {
  readonly nameRequired: boolean;
  /** Redirect URIs are required even when no grant type uses them. */
  readonly redirectUrisRequired: boolean;
  /** Redirect URIs may be left out even if a grant type uses them: the client's manager sets them later. */
  readonly redirectUrisOptional?: boolean;
  /** The standard members that the document does not name are read or refused, not ignored. */
  readonly standard?: boolean;
  /** Default: the document's three. */
  readonly authMethods?: readonly ClientAuthMethod[];
  readonly defaultGrantTypes: readonly GrantType[];
  readonly defaultResponseTypes: readonly ResponseType[];
}

export type ClientMetadata = Pick<
  ClientRecord,
  | 'name'
  | 'applicationType'
  | 'redirectUris'
  | 'postLogoutRedirectUris'
  | 'grantTypes'
  | 'responseTypes'
  | 'authMethod'
  | 'authMethodNamed'
  | 'subjectType'
  | 'sector'
  | 'idTokenAlg'
  | 'scope'
  | 'extra'
>;

/** Who registers, and in which account: grant types depend on both. */
export type RegistrantKind = Pick<ClientRecord, 'registeredBy' | 'linkedServers'> &
  Pick<AccountSettings, 'implicitGrant' | 'mutualTls' | 'idTokenSigningAlg'>;

/** A client that a caller of the account registers, or creates in the management API. */
export const registeredByCaller: RegistrantKind = {
  registeredBy: 'token',
  linkedServers: 0,
  implicitGrant: false,
  // Such a client gets no certificate here; one that registered it keeps it, whatever the account says now.
  mutualTls: 'verified',
  idTokenSigningAlg: 'RS256',
};

/**
 * Applies defaults and rules; `withSector` finds the sector of a pairwise client. Throws `redirect_uri_invalid` or
 * `client_metadata_invalid`, naming the member.
 */
export function readMetadata(
  request: RegistrationRequest,
  rules: RegistrationRules,
  registrant: RegistrantKind,
): ClientMetadata {
  // The document's §7 defines one registration error; it takes precedence over all others.
  if (rules.redirectUrisRequired) requireRedirectUris(request.redirect_uris);
  const implied = rules.standard ? impliedType(request.redirect_uris) : 'web';
  const applicationType = choose('application_type', request.application_type, ['web', 'native'] as const, implied);
  const subjectType = choose('subject_type', request.subject_type, subjectTypes, 'public');
  const grantTypes = readGrantTypes(request.grant_types, rules, { ...registrant, subjectType });
  const usesRedirect = grantTypes.includes('authorization_code') || grantTypes.includes('implicit');
  const extra = { ...readExtra(request), ...(rules.standard && readStandardMembers(request)) };
  const redirectUrisRequired = rules.redirectUrisRequired || (usesRedirect && !rules.redirectUrisOptional);
  const offered = offeredAuthMethods(registrant);
  const metadata: ClientMetadata = {
    name: readName(request.client_name, rules.nameRequired),
    applicationType,
    redirectUris: readRedirectUris(request.redirect_uris, applicationType, redirectUrisRequired),
    postLogoutRedirectUris: readUriList(
      'post_logout_redirect_uris',
      request.post_logout_redirect_uris,
      applicationType,
    ),
    grantTypes,
    responseTypes: readResponseTypes(request.response_types, usesRedirect, rules),
    authMethod: choose(
      'token_endpoint_auth_method',
      request.token_endpoint_auth_method,
      (rules.authMethods ?? documentedAuthMethods).filter((method) => offered.includes(method)),
      'client_secret_basic',
    ),
    authMethodNamed: request.token_endpoint_auth_method !== undefined,
    subjectType,
    sector: null,
    idTokenAlg: choose(
      'id_token_signed_response_alg',
      request.id_token_signed_response_alg,
      signingAlgorithms,
      registrant.idTokenSigningAlg,
    ),
    scope: readScope(request.scope, rules.standard),
    extra,
  };
  requireKeys(metadata, registrant);
  return metadata;
}

function choose<const Value extends string>(
  name: string,
  asked: string | undefined,
  allowed: readonly Value[],
  fallback: Value,
): Value {
  if (asked === undefined) return fallback;
  const found = allowed.find((value) => value === asked);
  if (found === undefined) throw invalid(name, `must be ${allowed.join(' or ')}`);
  return found;
}

/** RFC 7591 §3.2.1: unknown values may be left out as long as one remains. */
function keepKnown<Value extends string>(
  name: string,
  asked: readonly string[] | undefined,
  known: readonly Value[],
  fallback: readonly Value[],
): readonly Value[] {
  if (asked === undefined) return fallback;
  const kept = known.filter((value) => asked.includes(value));
  if (kept.length === 0) throw invalid(name, `must contain at least one of ${known.join(', ')}`);
  return kept;
}

/** A client that is never sent back to has none: it may say so at the standard door, and is answered so (RFC 7591 §2). */
function readResponseTypes(
  asked: readonly string[] | undefined,
  usesRedirect: boolean,
  { standard, defaultResponseTypes }: RegistrationRules,
): readonly ResponseType[] {
  if (standard && !usesRedirect && asked?.length === 0) return [];
  return keepKnown('response_types', asked, knownResponseTypes, usesRedirect ? defaultResponseTypes : []);
}

/**
 * Grant types that a client of this kind can never have are left out like unknown ones; one that its subjects exclude
 * is refused. At least one that it can use now must remain.
 */
function readGrantTypes(
  asked: readonly string[] | undefined,
  { standard, defaultGrantTypes }: RegistrationRules,
  registrant: RegistrantKind & Pick<ClientRecord, 'subjectType'>,
): readonly GrantType[] {
  const name = 'grant_types';
  const all: readonly GrantType[] = standard ? knownGrantTypes : documentedGrantTypes;
  const known = all.filter((one) => canRegisterFor(registrant, one));
  const grantTypes = keepKnown(name, asked, known, defaultGrantTypes);
  const unfit = grantTypes.find((one) => !fitsSubjects(registrant, one));
  if (unfit !== undefined) {
    const place = (asked ?? grantTypes).indexOf(unfit);
    throw invalid(`${name}[${place}]`, 'is not open to clients with pairwise subjects that anyone may register');
  }
  if (grantTypesOf({ ...registrant, grantTypes }).length > 0) return grantTypes;
  throw invalid(name, 'must contain one that the client can use before an operator links it to an API');
}

function readName(name: string | undefined, required: boolean): string {
  if (name === undefined && !required) return '';
  if (name === undefined || isInvisible(name))
    throw invalid('client_name', 'is mandatory: it is the name of the application');
  if (hasForbiddenCharacter(name))
    throw invalid('client_name', 'contains a control character or a bidirectional formatting character');
  return name;
}
