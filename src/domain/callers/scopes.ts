import { Failure } from '../failure.ts';

/** The scopes of credentials; the contracts state which of them permit an operation. */
export const credentialScopes = [
  'authentication_only',
  'read_users',
  'manage_users',
  'read_all',
  'manage_all',
  'register_clients',
] as const;

export type CredentialScope = (typeof credentialScopes)[number];

/** Those that can be given to users; the others are for programs alone. */
export const administratorScopes = [
  'read_users',
  'manage_users',
  'read_all',
  'manage_all',
] as const satisfies CredentialScope[];

export type AdministratorScope = (typeof administratorScopes)[number];

/** Reads scope names without duplicates. Throws `value_invalid` for an unknown one and when there is none. */
export function readScopes(names: readonly string[]): CredentialScope[] {
  return readAmong(credentialScopes, 'scope', names);
}

/** The same of an administrator. */
export function readAdministratorScopes(names: readonly string[]): AdministratorScope[] {
  return readAmong(administratorScopes, 'scopes', names);
}

function readAmong<Scope extends string>(all: readonly Scope[], name: string, names: readonly string[]): Scope[] {
  const invalid = (message: string) =>
    new Failure('value_invalid', { name, message: `${message}; scopes are ${all.join(', ')}` });
  const scopes = [...new Set(names)].map((text) => {
    const scope = all.find((known) => known === text);
    if (!scope) throw invalid(`unknown scope ${text}`);
    return scope;
  });
  if (scopes.length === 0) throw invalid('at least one scope is required');
  return scopes;
}
