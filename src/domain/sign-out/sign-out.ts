/** Ends a browser's session. */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { endSession } from '../endings/end-session.ts';
import { findFormer } from '../endings/former-session.ts';
import { type BrowserState, requireCsrf } from '../login/authorization-request.ts';
import { subjectOf } from '../tokens/subject.ts';
import { afterSignOut, openSignOut, type SignOutRequest } from './request.ts';

type SignOutServices = Pick<Services, 'store' | 'clock' | 'vault'>;

type SignOutStep =
  /** No hint proves that the client means this user: the user is asked. */
  | {
      readonly step: 'confirm';
      readonly user: UserRecord;
      readonly client: ClientRecord | null;
      readonly redirectUri: string | null;
    }
  /** Nobody is signed in here now. `location` null: the page that says so. */
  | { readonly step: 'done'; readonly location: string | null }
  /** Nobody was, and the address is that of a client which anyone registered (RFC 9700 §4.11.2): a link leads there. */
  | { readonly step: 'onward'; readonly location: string };

/**
 * The next step of a sign-out. If the client presented an id token of the user who is signed in here, the session ends
 * at once (RP-Initiated Logout §2). Throws `authorization_request_invalid`.
 */
export async function currentSignOut(
  services: SignOutServices,
  account: Account,
  browser: BrowserState,
): Promise<SignOutStep> {
  const { request, client } = await openAsNow(services, account, browser.requestId);
  const { store } = services;
  const session = await findFormer(services, store, account, browser.sessionSecret);
  const user = session && (await store.users.find(account.id, session.userId));
  if (!session || !user) return onward(request, client);
  // The session may have expired, but not its grants.
  if (client && request.subject === subjectOf(services, account, client, user)) {
    return end(services, account, request, session);
  }
  if (session.state !== 'live') return onward(request, client);
  return { step: 'confirm', user, client, redirectUri: request.redirectUri };
}

/** A client that is gone by now, or has lost the address, leads nowhere: the page of this service says that it is done. */
async function openAsNow(
  services: SignOutServices,
  account: Account,
  requestId: string | undefined,
): Promise<{ readonly request: SignOutRequest; readonly client: ClientRecord | null }> {
  const request = openSignOut(services, account, requestId);
  const { appId, redirectUri } = request;
  const client = appId === null ? null : await services.store.clients.findByApp(account.id, appId);
  const isStill = redirectUri !== null && client?.postLogoutRedirectUris.includes(redirectUri);
  return { request: isStill ? request : { ...request, redirectUri: null }, client };
}

function onward(request: SignOutRequest, client: ClientRecord | null): SignOutStep {
  const location = afterSignOut(request);
  return location !== null && client?.registeredBy === 'open'
    ? { step: 'onward', location }
    : { step: 'done', location };
}

/** Ends the session because its user confirms. Throws `authorization_request_invalid`, `cross_site_request`. */
export async function signOut(
  services: SignOutServices,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
): Promise<Extract<SignOutStep, { readonly step: 'done' }>> {
  const { request } = await openAsNow(services, account, browser.requestId);
  requireCsrf(browser, csrf);
  const session = await findFormer(services, services.store, account, browser.sessionSecret);
  return session ? end(services, account, request, session) : { step: 'done', location: afterSignOut(request) };
}

/**
 * Ends the session and what it approved. The notices to clients are stored in the same transaction and sent afterwards.
 */
async function end(
  services: SignOutServices,
  account: Account,
  request: SignOutRequest,
  session: Pick<SessionRecord, 'userId' | 'sid'>,
): Promise<Extract<SignOutStep, { readonly step: 'done' }>> {
  await services.store.transaction(async (tx) => {
    const ended = await endSession(services, tx, account, session);
    if (!ended) return;
    const about = { type: 'user', id: session.userId } as const;
    const told = { grants_revoked: ended.grantsRevoked, clients_told: ended.clientsTold };
    const detail = { app_id: request.appId, ...told };
    await recordEvent(tx, services, account, { action: 'sign_out.succeeded', actor: about, target: about, detail });
  });
  return { step: 'done', location: afterSignOut(request) };
}
