import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { AuthorizationRequestRecord } from '../../store/authorizations.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { asItIs } from '../clients/document-client.ts';
import { Failure } from '../failure.ts';
import { digestOf, matchesDigest } from '../secrets.ts';
import { ownPages } from './own-pages.ts';
import { findForPage } from './refused-request.ts';
import { unsealRequest } from './sealed-request.ts';
import { askedOfRegistration, isStillRegistered } from './still-registered.ts';

/**
 * What a browser sends to continue a sign-in: the request's id and the cookie that binds the request to this browser.
 */
export interface BrowserState {
  readonly requestId: string | undefined;
  readonly browserSecret: string | undefined;
  readonly sessionSecret: string | undefined;
}

export interface OpenRequest {
  readonly record: AuthorizationRequestRecord;
  readonly client: ClientRecord;
}

/**
 * The sign-in in progress that this browser began. Throws `authorization_request_invalid` when it is unknown, ended,
 * expired or belongs to another browser, and when its client may no longer ask for what it asks for. That last error is
 * shown on a page, because the redirect URI may be the very thing that was removed from the client.
 */
export async function findOpenRequest(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'clientDocuments'>,
  account: Account,
  { requestId, browserSecret }: BrowserState,
): Promise<OpenRequest> {
  const { clock } = services;
  const record = requestId ? await findRequest(services, account, requestId) : null;
  if (
    !record ||
    record.expiresAt <= clock.now() ||
    !browserSecret ||
    !matchesDigest(browserSecret, record.browserDigest)
  ) {
    throw new Failure('authorization_request_invalid', {
      message: 'This sign-in has ended or belongs to another browser.',
    });
  }
  const client = await clientOf(services, account, record);
  if (!client)
    throw new Failure('authorization_request_invalid', { message: 'This application is no longer registered.' });
  if (!isStillRegistered(client, askedOfRegistration(record.parameters))) {
    throw new Failure('authorization_request_invalid', {
      message: 'This application has been changed in the meantime.',
    });
  }
  return { record, client };
}

/** The client that the request is of, as it is now; null if it is gone. */
async function clientOf(
  services: Pick<Services, 'store' | 'clientDocuments'>,
  account: Account,
  { appId, parameters }: AuthorizationRequestRecord,
): Promise<ClientRecord | null> {
  if (appId === null) {
    const { documentClient } = parameters;
    return documentClient === undefined
      ? ownPages(account)
      : findForPage(services, account, documentClient, 'readLast');
  }
  const client = await services.store.clients.findByApp(account.id, appId);
  return client && asItIs(services, account, client);
}

/** The request ended while it was being answered. */
export function requestEnded(): Failure {
  return new Failure('authorization_request_invalid', { message: 'This sign-in has ended.' });
}

/** Whether no user has authenticated for this request yet and no decision has been made. */
export function isUnanswered(record: AuthorizationRequestRecord): boolean {
  const { authenticatedAt, passwordUserId, hookPolicyUserId, decision } = record;
  return authenticatedAt === null && passwordUserId === null && hookPolicyUserId === null && decision === null;
}

/** If a user has signed in for the request, it has a row, and the row takes precedence over the sealed identifier. */
async function findRequest(
  services: Pick<Services, 'store' | 'vault'>,
  account: Account,
  requestId: string,
): Promise<AuthorizationRequestRecord | null> {
  const { authorizations } = services.store;
  const digest = digestOf(requestId);
  const stored = await authorizations.findRequest(account.id, digest);
  if (stored) return stored;
  const sealed = unsealRequest(services, account, requestId);
  return sealed && !(await authorizations.hasEnded(account.id, digest)) ? sealed : null;
}

/** The CSRF token of a form: derived from the browser's secret, so another site cannot know it. */
export function csrfToken(browserSecret: string, requestId: string): string {
  return createHmac('sha256', browserSecret).update(`csrf ${requestId}`).digest('base64url');
}

/** Throws `cross_site_request` unless the form was made for this browser and request. */
export function requireCsrf({ browserSecret, requestId }: BrowserState, sent: string | undefined): void {
  const expected = Buffer.from(csrfToken(browserSecret ?? '', requestId ?? ''));
  const given = Buffer.from(sent ?? '');
  if (!browserSecret || given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new Failure('cross_site_request');
  }
}
