/** What a registration must have for what it asks for: keys, certificates, and an account that counts them. */

import type { AccountSettings } from '../accounts/settings.ts';
import { algorithmsOf } from './client-keys.ts';
import { invalid } from './extra-metadata.ts';
import type { ClientMetadata } from './metadata.ts';

type Asked = Pick<ClientMetadata, 'authMethod' | 'extra'>;

/** Throws `client_metadata_invalid`, naming the member. */
export function requireKeys(asked: Asked, { mutualTls }: Pick<AccountSettings, 'mutualTls'>): void {
  requireOneBinding(asked, mutualTls !== 'off');
  const { authMethod, extra } = asked;
  if (extra.jwks_uri !== undefined) return;
  if (authMethod === 'self_signed_tls_client_auth') requireCertificate(asked);
  const signs = authMethod === 'private_key_jwt';
  if (!signs && !extra.require_signed_request_object) return;
  if (!extra.jwks) {
    throw signs
      ? invalid('token_endpoint_auth_method', 'private_key_jwt requires jwks or jwks_uri')
      : invalid('require_signed_request_object', 'requires jwks or jwks_uri');
  }
  if (!extra.jwks.keys.some((key) => algorithmsOf(key).length > 0)) throw invalid('jwks', 'has no key that can sign');
}

/** RFC 8705 §2.2. */
function requireCertificate({ extra: { jwks } }: Asked): void {
  const method = 'self_signed_tls_client_auth';
  if (!jwks) throw invalid('token_endpoint_auth_method', `${method} requires jwks or jwks_uri`);
  if (!jwks.keys.some(({ x5c }) => x5c !== undefined))
    throw invalid('jwks', 'has no key whose x5c begins with its certificate');
}

/** A token is bound to a key or to a certificate; to the latter only where certificates count. */
function requireOneBinding({ extra }: Asked, isOffered: boolean): void {
  const name = 'tls_client_certificate_bound_access_tokens';
  if (!extra[name]) return;
  if (!isOffered) throw invalid(name, 'is not supported: mutual TLS is turned off in this account');
  if (extra.dpop_bound_access_tokens) throw invalid(name, 'and dpop_bound_access_tokens are mutually exclusive');
}
