import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import {
  type BrowserState,
  findOpenRequest,
  type OpenRequest,
  requestEnded,
  requireCsrf,
} from './authorization-request.ts';
import { type FinishServices, finishRequest } from './finish.ts';
import { isOwnPages } from './own-pages.ts';
import type { ClientAnswer } from './redirect.ts';

/**
 * Whether a client waits for the answer in this browser. For the account pages nobody does. Nor is a device denied by
 * somebody who has not signed in: the code that was typed may be another person's.
 */
export function isCancellable({ client, record }: OpenRequest): boolean {
  return !isOwnPages(client) && record.parameters.device === undefined;
}

/**
 * Ends a sign-in that the user does not want to finish: the client is told `access_denied` (RFC 6749 §4.1.2.1). Throws
 * `authorization_request_invalid` and `cross_site_request`.
 */
export async function cancelSignIn(
  services: FinishServices,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
): Promise<ClientAnswer> {
  const request = await findOpenRequest(services, account, browser);
  requireCsrf(browser, csrf);
  if (!isCancellable(request)) {
    throw new Failure('authorization_request_invalid', { message: 'There is no application to go back to.' });
  }
  const error = { error: 'access_denied', description: 'the user cancelled the sign-in' } as const;
  const finished = await finishRequest(services, account, request, error);
  if (!finished) throw requestEnded();
  return finished.answer;
}
