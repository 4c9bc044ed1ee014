import type { Services } from '../../services.ts';
import type { LinkedServer, ServerClaimRecord, UserRecord } from '../../store/records.ts';
import { macroAttribute, macroPlace } from '../authorization-servers/claims.ts';
import { type Attributes, type AttributeValue, attributesOf, rolesAttribute } from '../users/attributes.ts';
import { roleNames } from './claims.ts';

/** Claims of a server about a user, by name. A claim without a value is left out. */
export async function mappedClaims(
  { store }: Pick<Services, 'store'>,
  { claims }: LinkedServer,
  user: UserRecord,
): Promise<Record<string, unknown>> {
  if (claims.length === 0) return {};
  const withRoles = claims.some((claim) => needs(claim, rolesAttribute));
  const roles = withRoles ? await roleNames({ store }, user) : [];
  return mapClaims(claims, attributesOf(user, { [rolesAttribute]: roles }));
}

/** The same from attributes that are at hand. */
export function mapClaims(
  claims: readonly Pick<ServerClaimRecord, 'label' | 'attribute' | 'macro'>[],
  attributes: Attributes,
): Record<string, unknown> {
  const values = claims.map((claim) => [claim.label, claimValue(claim, attributes)] as const);
  return Object.fromEntries(values.filter(([, value]) => hasValue(value)));
}

function claimValue(
  { attribute, macro }: Pick<ServerClaimRecord, 'attribute' | 'macro'>,
  attributes: Attributes,
): AttributeValue {
  const get = (name: string) => (Object.hasOwn(attributes, name) ? (attributes[name] ?? null) : null);
  if (attribute !== macroAttribute) return get(attribute);
  return (macro ?? '').replace(macroPlace, (_, name: string) => asText(get(name))).trim();
}

function asText(value: AttributeValue): string {
  return Array.isArray(value) ? value.join(',') : String(value ?? '');
}

function hasValue(value: AttributeValue): boolean {
  return value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}

function needs({ attribute, macro }: ServerClaimRecord, name: string): boolean {
  return attribute === name || (macro?.includes(`{${name}}`) ?? false);
}
