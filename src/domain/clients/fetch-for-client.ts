import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { EgressPurpose, EgressResult } from '../egress.ts';

/** An address that a client registered. */
export interface ClientAddress extends Pick<ClientRecord, 'accountId' | 'registeredBy'> {
  readonly purpose: EgressPurpose;
  readonly url: string;
  /** Accepted media types. */
  readonly accept: string;
}

/** Fetches it as the setting EGRESS permits. A redirect is a failure. */
export function fetchForClient(
  egress: Services['egress'],
  { purpose, accountId, registeredBy, url, accept }: ClientAddress,
): Promise<EgressResult> {
  return egress.fetch({
    purpose,
    accountId,
    forOpenClient: registeredBy === 'open',
    url,
    method: 'GET',
    headers: [['accept', accept]],
    body: null,
    redirect: 'error',
  });
}
