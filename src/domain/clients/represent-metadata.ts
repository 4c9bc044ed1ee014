import type { ExtraMetadata } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';

/** The optional metadata that is set, under its own names; the same at both endpoints (RFC 7591 §3.2.1). */
export function keptMetadata({
  extra,
  scope,
}: ClientRecord): Omit<ExtraMetadata, 'logo_uri' | 'login_url'> & { scope?: string } {
  return {
    ...(extra.initiate_login_uri !== undefined && { initiate_login_uri: extra.initiate_login_uri }),
    ...(extra.client_uri !== undefined && { client_uri: extra.client_uri }),
    ...(extra.policy_uri !== undefined && { policy_uri: extra.policy_uri }),
    ...(extra.tos_uri !== undefined && { tos_uri: extra.tos_uri }),
    ...(extra.jwks !== undefined && { jwks: extra.jwks }),
    ...(extra.jwks_uri !== undefined && { jwks_uri: extra.jwks_uri }),
    ...(extra.contacts !== undefined && { contacts: extra.contacts }),
    ...(extra.software_id !== undefined && { software_id: extra.software_id }),
    ...(scope !== null && { scope: scope.join(' ') }),
  };
}

/** The name of a client for display: its name, else its id (RFC 7591 §2, client_name). */
export function displayName({ name, clientId }: Pick<ClientRecord, 'name' | 'clientId'>): string {
  return name || clientId;
}
