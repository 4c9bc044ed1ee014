import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Services } from '../services.ts';
import { beginExchange, type Exchange, exchangeOf } from './exchange.ts';
import { findMalformed } from './host.ts';
import type { Metrics } from './metrics.ts';
import { addressIn } from './peer-address.ts';
import { sendDefaults } from './send.ts';

/** The first step of every request: an id, the headers all answers share, and one log line and one measurement at the end. */
export function openExchange(services: Pick<Services, 'log' | 'addresses'>, metrics: Metrics): RequestHandler {
  return (req, res, next) => {
    const exchange: Exchange = {
      requestId: randomUUID(),
      startedAt: performance.now(),
      source: sourceOf(req),
      malformed: findMalformed(req),
      account: null,
      surface: null,
      route: null,
      pathParameters: {},
      operation: null,
      caller: null,
      apiKeyId: null,
      callerFailure: null,
      failure: null,
    };
    beginExchange(res, exchange);
    sendDefaults(res, exchange.requestId, services.addresses.publicScheme === 'https');
    res.once('close', () => closeExchange(services, metrics, req, res));
    next();
  };
}

/** The peer's address, or the one a trusted proxy forwarded; what is no address counts as one unknown source. */
function sourceOf(req: Request): string {
  return addressIn(req.ip ?? '') ?? 'unknown';
}

/** By allow-list: the route's template, never the path, query, headers or body. */
function closeExchange(services: Pick<Services, 'log'>, metrics: Metrics, req: Request, res: Response): void {
  const exchange = exchangeOf(res);
  const milliseconds = performance.now() - exchange.startedAt;
  const operation = exchange.operation?.operationId;
  metrics.observe(exchange.surface ?? 'none', operation ?? 'none', res.statusCode, milliseconds / 1000);
  services.log.info('request', {
    requestId: exchange.requestId,
    method: req.method,
    status: res.statusCode,
    milliseconds: Math.round(milliseconds * 100) / 100,
    ...(exchange.account && { account: exchange.account.subdomain }),
    ...(exchange.route && { route: exchange.route }),
    ...(operation && { operation }),
    ...(exchange.failure && { failure: exchange.failure.code }),
    ...(exchange.failure?.detail.reason !== undefined && { reason: exchange.failure.detail.reason }),
  });
}
