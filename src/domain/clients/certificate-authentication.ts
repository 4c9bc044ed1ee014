/** Authentication of a client by the certificate of its connection (RFC 8705 §2). */

import type { Services } from '../../services.ts';
import type { RegisteredKey } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { isForSubject } from './certificate-subject.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { offeredAuthMethods } from './client-methods.ts';
import { readKeys } from './registered-keys.ts';

/**
 * Why the certificate does not authenticate this client, in words for the log; null if it does. Throws `unavailable` when
 * the client's keys cannot be fetched now.
 */
export async function certificateFault(
  services: Pick<Services, 'clientKeys'>,
  account: Account,
  client: ClientRecord,
  certificate: ClientCertificate | null,
): Promise<string | null> {
  if (!offeredAuthMethods(account.settings).includes(client.authMethod)) {
    return `mutual_tls=${account.settings.mutualTls} allows no ${client.authMethod}`;
  }
  if (certificate === null) return 'there was no client certificate';
  const isItsOwn =
    client.authMethod === 'tls_client_auth'
      ? isForSubject(certificate.x509, client.extra)
      : await isRegistered(services, client, certificate);
  return isItsOwn ? null : 'the certificate is not one of this client';
}

/** §2.2: the certificate itself is registered, so nobody needs to have signed it. */
async function isRegistered(
  services: Pick<Services, 'clientKeys'>,
  client: ClientRecord,
  { x509 }: ClientCertificate,
): Promise<boolean> {
  const isSame = ({ x5c: [first = ''] = [] }: RegisteredKey) => Buffer.from(first, 'base64').equals(x509.raw);
  const keys = await readKeys(services, client, (all) => all.some(isSame));
  return keys?.some(isSame) ?? false;
}
