/** The lists of URIs in a registration. */

import { Failure } from '../failure.ts';
import { type ApplicationType, mostRedirectUris, redirectUriFault } from './redirect-uris.ts';

/** Throws `redirect_uri_invalid` when the list is missing or empty. */
export function requireRedirectUris(uris: readonly string[] | undefined): asserts uris is readonly string[] {
  if (uris !== undefined && uris.length > 0) return;
  throw new Failure('redirect_uri_invalid', {
    name: 'redirect_uris',
    message: 'redirect_uris is a mandatory property',
  });
}

/** Only an application on a device has a scheme of its own, whether or not it says what it is (RFC 8252 §7.1). */
export function impliedType(redirectUris: readonly string[] | undefined): ApplicationType {
  return redirectUris?.some((uri) => !/^https?:/i.test(uri) && URL.canParse(uri)) ? 'native' : 'web';
}

/** Where none is required, an empty list is as good as none. Throws `redirect_uri_invalid`. */
export function readRedirectUris(
  uris: readonly string[] | undefined,
  applicationType: ApplicationType,
  required: boolean,
): readonly string[] {
  if (!required && (uris === undefined || uris.length === 0)) return [];
  requireRedirectUris(uris);
  const fault = uriListFault('redirect_uris', uris, applicationType);
  if (fault) throw new Failure('redirect_uri_invalid', { name: 'redirect_uris', message: fault });
  return uris;
}

/** A list that follows the rules of redirect URIs; empty when it was not sent. Throws `client_metadata_invalid`. */
export function readUriList(
  name: string,
  uris: readonly string[] | undefined,
  applicationType: ApplicationType,
): readonly string[] {
  if (uris === undefined) return [];
  const fault = uriListFault(name, uris, applicationType);
  if (fault) throw new Failure('client_metadata_invalid', { name, message: fault });
  return uris;
}

function uriListFault(name: string, uris: readonly string[], applicationType: ApplicationType): string | null {
  if (uris.length > mostRedirectUris) return `${name} must have at most ${mostRedirectUris} URIs`;
  for (const [index, uri] of uris.entries()) {
    const fault = uris.indexOf(uri) < index ? 'must not be repeated' : redirectUriFault(uri, applicationType);
    if (fault) return `${name}[${index}] ${fault}`;
  }
  return null;
}
