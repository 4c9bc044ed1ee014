/** A client that anybody can register must not wear users down by asking again and again until they agree. */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { isDocumentId } from '../clients/document-url.ts';
import { Failure } from '../failure.ts';
import type { LimitSubject } from '../limits.ts';

type Refused = Pick<ClientRecord, 'registeredBy' | 'clientId'>;

/** Null for a client that somebody vouches for. One host can have any number of metadata documents. */
function counted({ registeredBy, clientId }: Refused, userId: number): LimitSubject | null {
  if (registeredBy !== 'open') return null;
  return { user: userId, client: isDocumentId(clientId) ? new URL(clientId).origin : clientId };
}

/** Counts that the user did not agree. */
export async function countConsentRefusal(
  { limits }: Pick<Services, 'limits'>,
  account: Account,
  client: Refused,
  userId: number,
): Promise<void> {
  const subject = counted(client, userId);
  // Of pages that were open in several tabs, all may be answered.
  if (subject && (await limits.state(account, 'consent', subject))?.remaining !== 0) {
    await limits.take(account, 'consent', subject);
  }
}

/** Whether the user has refused so often that the client cannot ask now. */
export async function isWornOut(
  { limits }: Pick<Services, 'limits'>,
  account: Account,
  client: Refused,
  userId: number,
): Promise<boolean> {
  const subject = counted(client, userId);
  try {
    if (subject) await limits.requireLeft(account, 'consent', subject);
    return false;
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'rate_limited')) throw error;
    return true;
  }
}
