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

/** Reads scope names without duplicates. Throws `value_invalid` for an unknown one and when there is none. */
export function readScopes(names: readonly string[]): CredentialScope[] {
  const scopes = [...new Set(names)].map((name) => {
    const scope = credentialScopes.find((known) => known === name);
    if (!scope) throw invalid(`unknown scope ${name}; scopes are ${credentialScopes.join(', ')}`);
    return scope;
  });
  if (scopes.length === 0) throw invalid(`at least one scope is required; scopes are ${credentialScopes.join(', ')}`);
  return scopes;
}

function invalid(message: string): Failure {
  return new Failure('value_invalid', { name: 'scope', message });
}
