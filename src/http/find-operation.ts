import type { RequestHandler, Response } from 'express';
import { Failure } from '../domain/failure.ts';
import type { Routes } from './contract.ts';
import { requestStateOf } from './request-state.ts';

/** Finds the operation before anything can be refused, so that every refusal has the operation's format. */
export function findRoute(surface: string, routes: Routes): RequestHandler {
  return (req, res, next) => {
    const state = requestStateOf(res);
    state.surface = surface;
    const match = routes.find(req.path);
    // RFC 9110 §9.3.2: HEAD is GET without the content, which Node omits by itself.
    if (req.method === 'HEAD' && !match?.operations.get('GET')?.['x-effects']) req.method = 'GET';
    state.route = match?.template ?? null;
    state.pathParameters = match?.pathParameters ?? {};
    state.operation = match?.operations.get(req.method) ?? null;
    next();
  };
}

/** Refuses a request for no operation, once it is known that an account is on the host. */
export function requireOperation(routes: Routes): RequestHandler {
  return (req, res, next) => {
    const route = routes.find(req.path);
    if (!route) throw new Failure('not_found');
    if (route.isCrossOrigin) allowCrossOrigin(res);
    if (route.isCrossOrigin && req.method === 'OPTIONS') {
      answerPreflight(res, [...route.operations.keys()]);
      res.status(204).end();
      return;
    }
    if (!requestStateOf(res).operation) {
      res.setHeader('allow', [...route.operations.keys()].join(', '));
      throw new Failure('method_not_allowed');
    }
    next();
  };
}

/** Any origin, never with credentials: these operations take no cookie. */
function allowCrossOrigin(res: Response): void {
  res.setHeader('access-control-allow-origin', '*');
  res.setHeader('access-control-expose-headers', 'www-authenticate, retry-after, x-request-id, dpop-nonce');
}

/**
 * What scripts send: clients of MCP put `mcp-protocol-version` on every request, those to the account's metadata
 * included.
 */
const crossOriginHeaders = 'authorization, content-type, dpop, idempotency-key, mcp-protocol-version';

/** Answers a preflight request. */
function answerPreflight(res: Response, methods: readonly string[]): void {
  res.setHeader('access-control-allow-methods', methods.join(', '));
  res.setHeader('access-control-allow-headers', crossOriginHeaders);
  res.setHeader('access-control-max-age', '7200');
}
