import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { AuthorizationRequestRecord } from '../../store/authorizations.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { digestOf, matchesDigest } from '../secrets.ts';
import { ownPages } from './own-pages.ts';
import { unsealRequest } from './sealed-request.ts';
import { askedOfRegistration, isStillRegistered } from './still-registered.ts';

/** What a browser sends to go on with a sign-in: the request's id, and the cookie that binds it to this browser. */
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
 * The sign-in in progress that this browser began. Throws `authorization_request_invalid` when it is unknown, has ended or
 * expired, or is another browser's, and where its client may no longer have what it asks for: that is told on a page, for
 * the address to answer at may be what was taken from the client.
 */
export async function findOpenRequest(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  { requestId, browserSecret }: BrowserState,
): Promise<OpenRequest> {
  const { store, clock } = services;
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
  const { appId } = record;
  const client = appId === null ? ownPages(account) : await store.clients.findByApp(account.id, appId);
  if (!client)
    throw new Failure('authorization_request_invalid', { message: 'This application is no longer registered.' });
  if (!isStillRegistered(client, askedOfRegistration(record.parameters))) {
    throw new Failure('authorization_request_invalid', {
      message: 'This application has been changed in the meantime.',
    });
  }
  return { record, client };
}

/** Whether nobody has shown who they are for this request, nor decided about it. */
export function isUnanswered(record: AuthorizationRequestRecord): boolean {
  const { authenticatedAt, passwordUserId, hookPolicyUserId, decision } = record;
  return authenticatedAt === null && passwordUserId === null && hookPolicyUserId === null && decision === null;
}

/** The row of a request that somebody has signed in for goes before what its identifier holds. */
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

/** The token that a form carries: derived from the browser's secret, so that another site cannot know it. */
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
