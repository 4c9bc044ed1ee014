import type { RequestHandler } from 'express';
import type { Account } from '../domain/accounts/account.ts';
import { findAccountByHost } from '../domain/accounts/accounts.ts';
import type { Services } from '../services.ts';
import type { ReplyHeaders } from './operation.ts';
import { requestStateOf } from './request-state.ts';

/** The page for a person, in the look of the account, if there is one on the host. */
export type NotFoundPage = (
  requestId: string,
  account: Account | null,
) => { readonly body: string; readonly headers: ReplyHeaders };

/** Answers requests for paths that nothing serves: with a page if a browser asks, else with JSON. */
export function answerUnknownPath(
  services: Pick<Services, 'store' | 'addresses'>,
  notFoundPage: NotFoundPage,
): RequestHandler {
  return async (req, res) => {
    const state = requestStateOf(res);
    if (state.malformed) {
      res.status(400).json({ error: 'bad_request' });
      return;
    }
    res.status(404).vary('accept');
    if (req.accepts(['json', 'html']) !== 'html') {
      res.json({ error: 'not_found' });
      return;
    }
    // Without the store the page has no account's name, and is as true.
    const account = await findAccountByHost(services, req.headers.host ?? '').catch(() => null);
    const { body, headers } = notFoundPage(state.requestId, account);
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    res.setHeader('content-type', 'text/html; charset=utf-8').end(body);
  };
}
