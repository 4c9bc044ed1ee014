import type { Services } from '../../services.ts';
import type { LinkedServer, ServerClaimRecord } from '../../store/authorization-servers.ts';
import type { TokenUser } from '../../store/users.ts';
import { macroAttribute, macroPlace } from '../authorization-servers/claims.ts';
import { type Attributes, type AttributeValue, readAttributes } from '../users/attributes.ts';

type Mapping = Pick<ServerClaimRecord, 'label' | 'attribute' | 'macro'>;

/** Claims of a server about a user, by name. A claim without a value is left out. */
export async function mappedClaims(
  { store }: Pick<Services, 'store'>,
  { claims }: LinkedServer,
  user: TokenUser,
): Promise<Record<string, unknown>> {
  if (claims.length === 0) return {};
  const names = new Set(claims.flatMap(namesIn));
  return mapClaims(claims, await readAttributes(store, user, names));
}

/** The same from attributes that are already loaded. */
function mapClaims(claims: readonly Mapping[], attributes: Attributes): Record<string, unknown> {
  const values = claims.map((claim) => [claim.label, claimValue(claim, attributes)] as const);
  return Object.fromEntries(values.filter(([, value]) => hasValue(value)));
}

/** The attributes that a claim is made from. */
function namesIn({ attribute, macro }: Mapping): string[] {
  if (attribute !== macroAttribute) return [attribute];
  return [...(macro ?? '').matchAll(macroPlace)].map(([, name = '']) => name);
}

function claimValue({ attribute, macro }: Mapping, attributes: Attributes): AttributeValue {
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
