/** Claims of an API authorization server: what its tokens say about the user besides the standard claims. */

import type { Services } from '../../services.ts';
import type { ServerClaimRecord } from '../../store/authorization-servers.ts';
import type { Account } from '../accounts/account.ts';
import { setFields } from '../audit/events.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import type { ListPage, ListQuery } from '../listing.ts';
import { claimableAttributes } from '../users/attributes.ts';
import { requireServer } from './servers.ts';
import { invalid } from './values.ts';

const longestLabel = 128;
const longestMacro = 255;
const mostClaims = 50;

/** Used instead of an attribute's name for a claim that is composed of several attributes. */
export const macroAttribute = '_macro_';

/** A placeholder in a macro, `{firstname}`. */
export const macroPlace = /\{([^{}]*)\}/g;

/** Claims that every access token has (RFC 9068 §2.2, RFC 7519 §4.1), or that a reader could misinterpret. */
const reserved: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'client_id', 'scope', 'auth_time', 'acr', 'amr'],
  ...['active', 'token_type', 'username', 'typ', 'cnf', 'act', 'may_act', 'azp', 'sid', 'nonce', 'at_hash', 'events'],
]);

/** Values of a claim; in a change, members left out stay. */
export interface ClaimValues {
  readonly label?: string | null | undefined;
  /** An attribute's name, or `_macro_`. */
  readonly attribute?: string | null | undefined;
  readonly macro?: string | null | undefined;
}

type Owner = Pick<Account, 'id'>;
type Audited = Pick<Account, 'id' | 'record'>;
type ClaimServices = Pick<Services, 'store' | 'clock' | 'vault'>;

/**
 * Adds a claim. Throws `not_found`, `value_invalid`, and `conflict` (name `label`) when the server has one of this
 * name.
 */
export function addClaim(
  services: ClaimServices,
  account: Audited,
  serverId: number,
  { label, attribute, macro }: ClaimValues,
): Promise<ServerClaimRecord> {
  const given = { label: label ?? null, attribute: attribute ?? null, macro: macro ?? null };
  return services.store.transaction(async (tx) => {
    await requireServer(tx, account, serverId);
    const values = readClaim(given, await claimableAttributes(tx, account));
    const known = await tx.authorizationServers.listClaims(account.id, serverId);
    if (known.length >= mostClaims)
      throw invalid('claim', `cannot be added: the server has ${mostClaims} claims already`);
    const createdAt = services.clock.now();
    const added = await tx.authorizationServers.addClaim({ accountId: account.id, serverId, ...values, createdAt });
    const target = { type: 'api_authorization', id: serverId } as const;
    const detail = { claim_id: added.id };
    await recordEvent(tx, services, account, { action: 'api_claim.created', target, detail });
    return added;
  });
}

/** A page of the claims of a server; throws `not_found` without the server. */
export async function pageClaims(
  { store }: Pick<Services, 'store'>,
  account: Owner,
  serverId: number,
  query: ListQuery,
): Promise<ListPage<ServerClaimRecord>> {
  await requireServer(store, account, serverId);
  return store.authorizationServers.pageClaims(account.id, serverId, query);
}

/** Changes the members given; throws as `addClaim` does. */
export function changeClaim(
  services: ClaimServices,
  account: Audited,
  serverId: number,
  claimId: number,
  { label, attribute, macro }: ClaimValues,
): Promise<ServerClaimRecord> {
  return services.store.transaction(async (tx) => {
    const claims = await tx.authorizationServers.listClaims(account.id, serverId);
    const claim = claims.find(({ id }) => id === claimId);
    if (!claim) throw unknownClaim();
    // A macro is dropped when the claim becomes an attribute's.
    const keepsMacro = attribute === undefined || attribute === macroAttribute;
    const given = {
      label: label === undefined ? claim.label : label,
      attribute: attribute === undefined ? claim.attribute : attribute,
      macro: macro !== undefined ? macro : keepsMacro ? claim.macro : null,
    };
    const values = readClaim(given, await claimableAttributes(tx, account));
    const changed = await tx.authorizationServers.updateClaim(account.id, serverId, claimId, values);
    if (!changed) throw unknownClaim();
    const target = { type: 'api_authorization', id: serverId } as const;
    const detail = { claim_id: claimId, fields: setFields({ label, attribute, macro }) };
    await recordEvent(tx, services, account, { action: 'api_claim.changed', target, detail });
    return changed;
  });
}

/** Removes a claim; throws `not_found`. */
export async function removeClaim(
  services: ClaimServices,
  account: Audited,
  serverId: number,
  claimId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    if (!(await tx.authorizationServers.removeClaim(account.id, serverId, claimId))) throw unknownClaim();
    const target = { type: 'api_authorization', id: serverId } as const;
    const detail = { claim_id: claimId };
    await recordEvent(tx, services, account, { action: 'api_claim.removed', target, detail });
  });
}

interface Given {
  readonly label: string | null;
  readonly attribute: string | null;
  readonly macro: string | null;
}

function readClaim(
  { label, attribute, macro }: Given,
  known: ReadonlySet<string>,
): Pick<ServerClaimRecord, 'label' | 'attribute' | 'macro'> {
  const text = macro === '' ? null : macro;
  if (attribute === null || attribute === '') throw invalid('user_attribute_mappings', 'is mandatory');
  if (attribute !== macroAttribute) {
    if (text !== null)
      throw invalid('user_attribute_macros', `requires user_attribute_mappings to be ${macroAttribute}`);
    return {
      label: readLabel(label),
      attribute: readAttribute('user_attribute_mappings', attribute, known),
      macro: null,
    };
  }
  return { label: readLabel(label), attribute, macro: readMacro(text, known) };
}

/** Begins with a letter, so `__proto__` and the like are not allowed. Namespaced names are URIs (RFC 7519 §4.2). */
function readLabel(label: string | null): string {
  if (label === null || label === '') throw invalid('name', 'is mandatory');
  if (label.length > longestLabel || !/^[A-Za-z][\w.:/~-]*$/.test(label)) {
    throw invalid(
      'name',
      `must start with a letter, followed by up to ${longestLabel - 1} letters, digits or any of _ . : / ~ -`,
    );
  }
  if (reserved.has(label)) throw invalid('name', `must not be ${label}, which is reserved`);
  return label;
}

function readAttribute(name: string, attribute: string, known: ReadonlySet<string>): string {
  if (!known.has(attribute)) throw invalid(name, `names an unknown user attribute: ${attribute.slice(0, 64)}`);
  return attribute;
}

function readMacro(macro: string | null, known: ReadonlySet<string>): string {
  const name = 'user_attribute_macros';
  if (macro === null) throw invalid(name, `is mandatory when user_attribute_mappings is ${macroAttribute}`);
  if (macro.length > longestMacro || /\p{Cc}/u.test(macro) || !macro.isWellFormed()) {
    throw invalid(name, `must have at most ${longestMacro} characters and no control characters`);
  }
  for (const [, attribute = ''] of macro.matchAll(macroPlace)) readAttribute(name, attribute, known);
  if (/[{}]/.test(macro.replace(macroPlace, ''))) throw invalid(name, 'has an unbalanced brace');
  return macro;
}

function unknownClaim(): Failure {
  return new Failure('not_found', { name: 'claim', message: 'there is no such claim' });
}
