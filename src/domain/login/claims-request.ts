/** The parameter `claims`, with which a client asks for single claims (OpenID Connect Core §5.5). */

import type { AskedClaims, AuthorizationParameters, ClaimsRequest } from '../../store/authorization-parameters.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { claimScopes, offeredClaims } from '../tokens/claims.ts';
import { allowedScope } from '../tokens/scopes.ts';

/** The understood part of the parameter; unknown claims are ignored (§5.5). */
export interface ReadClaims {
  readonly claims: ClaimsRequest;
  /** The `acr` values for the id token in order of preference (§5.5.1.1); null if not requested. */
  readonly acr: { readonly values: readonly string[]; readonly essential: boolean } | null;
  /** The only user who may sign in; null: any user. */
  readonly subject: string | null;
}

type Json = Readonly<Record<string, unknown>>;

/** Parses the parameter; returns a text when it is malformed. */
export function readClaims(text: string, account: Account, client: ClientRecord): ReadClaims | string {
  const request = parse(text);
  if (!request) return 'claims must be a JSON object';
  const members = { idToken: request['id_token'] ?? {}, userinfo: request['userinfo'] ?? {} };
  if (!isObject(members.idToken) || !isObject(members.userinfo)) return 'claims has a member that is not an object';
  const learnable = learnableClaims(account, client);
  const { acr, sub } = members.idToken;
  const subject = isObject(sub) ? (sub['value'] ?? null) : null;
  if (subject !== null && typeof subject !== 'string') return 'claims asks for a sub that is not a string';
  return {
    claims: { idToken: pick(members.idToken, learnable), userinfo: pick(members.userinfo, learnable) },
    acr: isObject(acr) ? { values: textsOf(acr), essential: acr['essential'] === true } : null,
    subject,
  };
}

/** The scopes whose claims are requested one by one: the user consents to these scopes too. */
export function scopesOfClaims({ claims }: Pick<AuthorizationParameters, 'claims'>): readonly string[] {
  const names = [...Object.keys(claims?.idToken ?? {}), ...Object.keys(claims?.userinfo ?? {})];
  return [...new Set(names.flatMap((name) => claimScopes.get(name) ?? []))];
}

function parse(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Those that the account tells, of the scopes that the client may ask for. */
function learnableClaims(account: Account, client: ClientRecord): ReadonlySet<string> {
  const scope = allowedScope(account, client);
  const offered = offeredClaims(account.settings.claimsMapping);
  return new Set(offered.filter((name) => scope.includes(claimScopes.get(name) ?? '')));
}

/** Picks the claims about the user that the client may learn. */
function pick(asked: Json, learnable: ReadonlySet<string>): AskedClaims {
  const picked = Object.entries(asked).filter(([name]) => learnable.has(name));
  return Object.fromEntries(picked.map(([name, how]) => [name, valuesOf(how)]));
}

/** The acceptable values; null: any value (§5.5.1). */
function valuesOf(how: unknown): readonly unknown[] | null {
  if (!isObject(how)) return null;
  if (how['value'] !== undefined) return [how['value']];
  return Array.isArray(how['values']) ? how['values'] : null;
}

function textsOf(how: Json): readonly string[] {
  return (valuesOf(how) ?? []).filter((value) => typeof value === 'string');
}
