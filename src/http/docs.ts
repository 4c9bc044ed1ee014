/** Serves the documentation: files in memory, found by exact name. */

import { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import { findAccountByHost } from '../domain/accounts/accounts.ts';
import { Failure } from '../domain/failure.ts';
import type { Services } from '../services.ts';
import { requestStateOf } from './request-state.ts';

/** One file of the documentation. */
export interface DocsFile {
  /** Media type for the Content-Type header. */
  readonly type: string;
  /** Content-Security-Policy of a page; other files keep the default one. */
  readonly policy?: string;
  readonly body: Buffer;
  /** Changes with `body`: the entity tag, and the `v` parameter of the pages' links. Hexadecimal digits. */
  readonly digest: string;
}

/** Every file by its path; each is made at its first request. Given the base URL of the account, which pages name. */
export type DocsFiles = ReadonlyMap<string, (baseUrl: string) => DocsFile>;

/** Where files of the documentation may be. */
const ownPath = /^\/(?:docs|openapi)(?:\/|$)/;

/**
 * Serves the files on the hosts of accounts; `startPage` is where a visitor who opens the root of one is led. Other
 * paths are passed on. `load` is called for every request to an address of the documentation.
 */
export function createDocs(
  services: Pick<Services, 'store' | 'addresses'>,
  load: () => Promise<DocsFiles>,
  startPage: 'account' | 'docs',
): Router {
  const router = Router();
  router.use(async (req, res, next) => {
    const state = requestStateOf(res);
    const path = req.path.length > 1 && req.path.endsWith('/') ? req.path.slice(0, -1) : req.path;
    const isRoot = path === '/';
    const file = ownPath.test(path) ? (await load()).get(path) : undefined;
    const isKnown = isRoot || file !== undefined;
    // An unknown host learns nothing, not even that there is documentation.
    if (isKnown && !state.malformed) state.account = await findAccountByHost(services, req.headers.host ?? '');
    if (!isKnown || !state.account) {
      next();
      return;
    }
    state.surface = 'docs';
    state.route = path;
    if (!file) res.redirect(`/${startPage}`);
    else if (req.method === 'GET' || req.method === 'HEAD') sendFile(req, res, file(state.account.baseUrl));
    else res.status(405).setHeader('allow', 'GET, HEAD').json({ error: 'method_not_allowed' });
  });
  router.use(answerUnavailable);
  return router;
}

function sendFile(req: Request, res: Response, { type, policy, body, digest }: DocsFile): void {
  res.setHeader('etag', `"${digest}"`);
  // Only an address with the digest is immutable (RFC 8246); others are revalidated.
  const immutable = req.query['v'] === digest;
  res.setHeader('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (policy !== undefined) res.setHeader('content-security-policy', policy);
  // RFC 9110 §13.2: a file that the browser has already is not sent again.
  if (req.fresh) {
    res.status(304).end();
    return;
  }
  res.setHeader('content-type', type);
  res.setHeader('content-length', body.length);
  res.end(body);
}

/** The store could not be asked for the host's account. */
const answerUnavailable: ErrorRequestHandler = (error, _req, res, next) => {
  if (!(error instanceof Failure) || error.code !== 'unavailable') {
    next(error);
    return;
  }
  requestStateOf(res).failure = error;
  res.status(503).setHeader('retry-after', '1').json({ error: 'temporarily_unavailable' });
};
