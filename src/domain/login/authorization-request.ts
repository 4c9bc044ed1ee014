import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { AuthorizationRequestRecord, ClientRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { digestOf, matchesDigest } from '../secrets.ts';
import { ownPages } from './own-pages.ts';

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

/** The sign-in in progress that this browser began. Throws `authorization_request_invalid` when it is unknown, expired or another browser's. */
export async function findOpenRequest(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Account,
  { requestId, browserSecret }: BrowserState,
): Promise<OpenRequest> {
  const record = requestId ? await store.authorizations.findRequest(account.id, digestOf(requestId)) : null;
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
  return { record, client };
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
