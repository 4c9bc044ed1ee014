import type { ClientRecord } from '../../store/clients.ts';
import type { AuditContext } from '../audit/context.ts';
import type { LimitSubject } from '../limits.ts';
import { networkSourceOf } from '../network-source.ts';
import { isAnybodys } from './client-methods.ts';

/**
 * Whom `limit.public-client` counts against: a grant and the source, so that what one token is used for keeps nobody
 * out who shares an address with it; the source and the client for a token without a grant. Null for a client whose
 * secret says who it is.
 */
export function limitedFor(client: ClientRecord, grant: number | null, { source }: AuditContext): LimitSubject | null {
  if (!isAnybodys(client)) return null;
  const network = networkSourceOf(source ?? '');
  return grant === null ? { source: network, client: client.clientId } : { source: network, grant };
}
