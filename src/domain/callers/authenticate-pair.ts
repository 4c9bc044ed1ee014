import type { Services } from '../../services.ts';
import type { CredentialRecord } from '../../store/callers.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { networkSourceOf } from '../network-source.ts';
import { matchesDigest, secretLength, secretPrefixes } from '../secrets.ts';
import { type BasicPair, readBasic } from './basic.ts';
import { limitFailures } from './limit-failures.ts';

const longestCredentialId = secretPrefixes.credentialId.length + secretLength;

/** Client id and secret as presented: in the Authorization header (Basic or the older form), or in the body. */
interface PresentedPair {
  readonly authorization: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly source: string;
}

/**
 * The credential of an id and a secret; throws `credential_authentication_failed` for any error, and `rate_limited`.
 */
export async function authenticatePair(
  { store, limits }: Pick<Services, 'store' | 'limits'>,
  account: Account,
  presented: PresentedPair,
): Promise<CredentialRecord> {
  const pair = readPair(presented);
  const found = pair && (await findCredential(store, account, pair.id));
  const source = networkSourceOf(presented.source);
  const subject = found ? { source, credential: found.clientId } : { source };
  const credential = await limitFailures(limits, account, subject, async () => {
    const matches = pair !== null && matchesDigest(pair.secret, found?.secretDigest ?? null);
    return found && matches && found.revokedAt === null ? found : null;
  });
  if (!credential) throw new Failure('credential_authentication_failed');
  return credential;
}

/** An id that is longer than any real one is not looked up. */
async function findCredential(
  store: Services['store'],
  account: Account,
  id: string,
): Promise<CredentialRecord | null> {
  return id.length > longestCredentialId ? null : store.callers.findCredential(account.id, id);
}

function readPair({ authorization, clientId, clientSecret }: PresentedPair): BasicPair | null {
  if (authorization === undefined) return clientId && clientSecret ? { id: clientId, secret: clientSecret } : null;
  const pair = readHeader(authorization);
  // RFC 6749 §2.3: one method per request. Only the same id in the body may come with the header.
  return clientSecret || (clientId && clientId !== pair?.id) ? null : pair;
}

/** Basic, or the older form `client_id:<id>, client_secret:<secret>`. */
function readHeader(authorization: string): BasicPair | null {
  const [, id, secret] = /^client_id:\s*([\w-]+)\s*,\s*client_secret:\s*([\w-]+)\s*$/.exec(authorization) ?? [];
  return id && secret ? { id, secret } : readBasic(authorization);
}
