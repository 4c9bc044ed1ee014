import { knownScopes, splitScope } from '../tokens/scopes.ts';
import { invalid } from './extra-metadata.ts';

/**
 * The scopes about the user that a client registers; null: it names none and may ask for all. At the standard door there
 * may be none: clients that know an API alone register its scopes, which belong to the API and are asked for later.
 * Throws `client_metadata_invalid`.
 */
export function readScope(scope: string | undefined, standard = false): readonly string[] | null {
  if (scope === undefined) return null;
  const asked = splitScope(scope);
  const kept = knownScopes.filter((one) => asked.includes(one));
  if (kept.length > 0 || standard) return kept;
  throw invalid('scope', `must contain at least one of ${knownScopes.join(', ')}`);
}
