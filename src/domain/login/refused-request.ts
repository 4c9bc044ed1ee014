/** What is kept of authorization requests that were refused before anybody signed in. */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { recordEvent } from '../audit/record.ts';
import { consoleClient, consoleClientId, isConsole } from '../clients/console-client.ts';
import { findBeginning, isUnstored } from '../clients/document-client.ts';
import type { ClientDocuments } from '../clients/documents-port.ts';
import { Failure } from '../failure.ts';
import { networkSourceOf } from '../network-source.ts';
import { beginningOf } from '../refusals/refusals.ts';
import type { AuthorizationError } from './redirect.ts';

/** Why a request cannot be used at all; other requests are refused with an error of OAuth. */
export type RefusedReason =
  | 'client_missing'
  | 'client_unknown'
  | 'client_document_unusable'
  | 'client_documents_full'
  | 'redirect_uri_missing'
  | 'redirect_uri_differs'
  | 'request_used_up'
  | AuthorizationError['error'];

/** Most events about one client and reason in an hour, since strangers can send such requests. */
const mostOfReason = 10;

/** An error that is shown on a page, because there is no verified redirect URI to send it to (RFC 6749 §4.1.2.1). */
export function pageFailure(name: string, reason: RefusedReason, message: string, address?: string): Failure {
  const asked = address === undefined ? {} : { address };
  return new Failure('authorization_request_invalid', { name, reason, message, asked });
}

/** Strangers do not write the trail, so this is kept for a day only. */
export function unknownClient({
  client_id: clientId,
  redirect_uri: address,
}: {
  client_id?: string;
  redirect_uri?: string;
}) {
  const message = 'The application that sent you here is not registered (client_id).';
  const asked = { ...(clientId && { clientId }), ...(address && { address }) };
  const reason: RefusedReason = clientId ? 'client_unknown' : 'client_missing';
  return new Failure('authorization_request_invalid', { name: 'client_id', reason, message, asked });
}

/**
 * `findBeginning`, where a person is looking, and the console besides: throws `authorization_request_invalid` if the client's document cannot be
 * used.
 */
export async function findForPage(
  services: Pick<Services, 'store' | 'clientDocuments'>,
  account: Account,
  clientId: string,
  how?: keyof ClientDocuments,
): Promise<ClientRecord | null> {
  if (clientId === consoleClientId) return consoleClient(account);
  try {
    return await findBeginning(services, account, clientId, how);
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'client_document_unusable')) throw error;
    const message = `The application that sent you here cannot be recognised: ${error.message}.`;
    const reason: RefusedReason = 'client_document_unusable';
    throw new Failure('authorization_request_invalid', { name: 'client_id', reason, message, asked: { clientId } });
  }
}

/**
 * Records that a request of this client was refused: so many times an hour, each process for itself; the rest is
 * counted by day.
 */
export async function recordRefusedRequest(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'onceAnHour' | 'counts'>,
  account: Account,
  { appId }: Pick<ClientRecord, 'appId'>,
  refused: { readonly reason: string; readonly told: 'user' | 'client'; readonly address: string | undefined },
): Promise<void> {
  // Strangers do not write the trail, and nobody has agreed to this client yet. The console is no app.
  if (isUnstored({ appId }) || isConsole({ appId })) return;
  const { requestId, source } = currentAuditContext();
  const { reason, told } = refused;
  const happening = {
    kind: 'authorization.refused',
    about: `${appId} ${reason}`,
    what: requestId ?? '',
    source: source === null ? null : networkSourceOf(source),
    mostAbout: mostOfReason,
  };
  if (!services.onceAnHour.isFirst(account.id, happening)) {
    services.counts.add(account.id, 'authorization_refused', appId);
    return;
  }
  await recordEvent(services.store, services, account, {
    action: 'authorization.refused',
    actor: { type: 'user', id: null },
    target: { type: 'app', id: appId },
    detail: { reason, told, address: beginningOf(refused.address) },
  });
}
