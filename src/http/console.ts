/** Serves the console: files in memory, found by exact name, and its page for every other path below `/console`. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import { findAccountByHost } from '../domain/accounts/accounts.ts';
import { Failure } from '../domain/failure.ts';
import type { Services } from '../services.ts';
import { requestStateOf } from './request-state.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** Like that of the hosted pages: this host's files alone, no frame, and no form that leaves the page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

interface Form {
  readonly body: Buffer;
  readonly tag: string;
}

/** The contents of a file by the content coding that it is sent in; the empty one is the file itself. */
type ConsoleFile = ReadonlyMap<string, Form>;

const isOfConsole = /^\/console(?:\/|$)/;
const assetPath = /^\/console\/assets(?:\/([^/]+))?(?:\/|$)/;
const pageName = 'index.html';

/** Serves the files of the folder on the hosts of accounts. `folder` is asked for at the first request. */
export function createConsole(
  services: Pick<Services, 'store' | 'addresses' | 'log'>,
  folder: () => Promise<string>,
): Router {
  const router = Router();
  let files: ReadonlyMap<string, ConsoleFile> | undefined;
  router.use(async (req, res, next) => {
    const state = requestStateOf(res);
    if (!isOfConsole.test(req.path) || state.malformed) return next();
    state.account = await findAccountByHost(services, req.headers.host ?? '');
    if (!state.account?.settings.console) return next();
    files ??= readFiles(await folder());
    const name = nameIn(req.path);
    const file = files.get(name);
    if (!file) return next();
    state.surface = 'console';
    state.route = name === pageName ? '/console' : '/console/assets/{name}';
    if (req.method === 'GET' || req.method === 'HEAD') sendFile(req, res, name, file);
    else res.status(405).setHeader('allow', 'GET, HEAD').json({ error: 'method_not_allowed' });
  });
  router.use(answerUnavailable);
  return router;
}

/** The name of the file that a path stands for; the empty one where there is none. */
function nameIn(path: string): string {
  const asset = assetPath.exec(path);
  if (!asset) return pageName;
  return asset[1] === undefined || asset[1] === pageName ? '' : asset[1];
}

function readFiles(folder: string): ReadonlyMap<string, ConsoleFile> {
  const names = readdirSync(folder).filter((name) => extname(name) in types);
  return new Map(names.map((name) => [name, readForms(join(folder, name))]));
}

function readForms(path: string): ConsoleFile {
  const form = (ending: string): Form => {
    const body = readFileSync(`${path}${ending}`);
    return { body, tag: `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"` };
  };
  return new Map([['', form('')], ...codings.map(([coding, ending]): [string, Form] => [coding, form(ending)])]);
}

function sendFile(req: Request, res: Response, name: string, file: ConsoleFile): void {
  const isPage = name === pageName;
  // Names contain a digest of the content (RFC 8246); the page has one name for ever.
  res.setHeader('cache-control', isPage ? 'no-cache' : 'public, max-age=31536000, immutable');
  res.vary('accept-encoding');
  if (isPage) {
    res.setHeader('content-security-policy', policy);
    res.setHeader('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=()');
  }
  res.setHeader('cross-origin-resource-policy', 'same-origin');
  const coding = codings.find(([known]) => req.acceptsEncodings(known) !== false)?.[0] ?? '';
  const { body, tag } = file.get(coding) ?? file.get('') ?? { body: Buffer.of(), tag: '' };
  res.setHeader('etag', tag);
  // RFC 9110 §13.2: a file that the browser has already is not sent again.
  if (req.fresh) {
    res.status(304).end();
    return;
  }
  if (coding) res.setHeader('content-encoding', coding);
  res.setHeader('content-type', types[extname(name)] ?? '');
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
