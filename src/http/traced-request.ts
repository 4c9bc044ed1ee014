import type { Request, RequestHandler } from 'express';
import { methodOf } from '../tracing/methods.ts';
import type { TraceContext, Tracing } from '../tracing/tracing.ts';
import { isFromProxy } from './request-log.ts';
import { countHeader, requestStateOf } from './request-state.ts';

/**
 * A span for each request, by the semantic conventions for HTTP servers, with the route's template in place of the path,
 * which may hold names. It follows `beginRequest`.
 */
export function traceRequest(tracing: Tracing, scheme: 'http' | 'https'): RequestHandler {
  return (req, res, next) => {
    const method = methodOf(req.method);
    const attributes = {
      'http.request.method': method,
      'url.scheme': scheme,
      'network.protocol.version': req.httpVersion,
      'gatehouse.request_id': requestStateOf(res).requestId,
    };
    const name = method === '_OTHER' ? 'HTTP' : method;
    tracing.serve({ name, attributes, from: contextOf(req) }, (span) => {
      res.once('close', () => {
        const { account, failure, operation, route, surface } = requestStateOf(res);
        span.set({
          'http.response.status_code': res.statusCode,
          ...(route && { 'http.route': route }),
          ...(surface && { 'gatehouse.surface': surface }),
          ...(operation && { 'gatehouse.operation': operation.operationId }),
          ...(account && { 'gatehouse.account': account.subdomain }),
          ...(failure && { 'gatehouse.failure': failure.code }),
        });
        if (route) span.rename(`${name} ${route}`);
        // Of a server, what a client did wrong is no error (semantic conventions for HTTP spans).
        if (res.statusCode >= 500) span.fail(failure?.code ?? String(res.statusCode));
        span.end();
      });
      next();
    });
  };
}

/**
 * Only a proxy of the operator may say to which trace a request belongs: anybody else could have every request of
 * theirs recorded, and put them into traces of others.
 */
function contextOf(req: Request): TraceContext | null {
  // Sent twice it says nothing (W3C Trace Context §3.2.1).
  if (!isFromProxy(req) || countHeader(req, 'traceparent') !== 1) return null;
  const { traceparent, tracestate } = req.headers;
  return { traceparent: String(traceparent), tracestate: tracestate === undefined ? undefined : String(tracestate) };
}
