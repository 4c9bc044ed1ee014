import type { Request, RequestHandler, Response } from 'express';
import { Failure } from '../domain/failure.ts';
import type { RequestReport } from '../metrics/reports.ts';
import type { Services } from '../services.ts';
import { readClientCert } from './client-cert.ts';
import { findMalformed } from './host.ts';
import { addressIn } from './peer-address.ts';
import { newRequestId } from './request-id.ts';
import { keepRequestState, type RequestState, requestStateOf } from './request-state.ts';
import { sendDefaults } from './send.ts';

/**
 * The first step of every request: an id, the common response headers, and one log line and one measurement at the end.
 */
export function beginRequest(services: Pick<Services, 'log' | 'addresses'>, report: RequestReport): RequestHandler {
  return (req, res, next) => {
    const certificate = readClientCert(req, isFromProxy);
    const isRefused = certificate instanceof Failure;
    const state: RequestState = {
      requestId: newRequestId(),
      startedAt: performance.now(),
      method: req.method,
      source: sourceOf(req),
      certificate: isRefused ? null : certificate,
      malformed: findMalformed(req) ?? (isRefused ? certificate : null),
      isWhole: false,
      account: null,
      surface: null,
      route: null,
      pathParameters: {},
      operation: null,
      bracketed: null,
      caller: null,
      apiKey: null,
      callerFailure: null,
      failure: null,
    };
    keepRequestState(res, state);
    // By then a body that came with the head has been read from the socket.
    process.nextTick(() => {
      state.isWhole = req.complete;
    });
    sendDefaults(res, state.requestId, services.addresses.publicScheme === 'https');
    res.once('close', () => endRequest(services, report, req, res));
    next();
  };
}

/** The peer's address, or the one forwarded by a trusted proxy; all invalid addresses count as one unknown source. */
function sourceOf(req: Request): string {
  // Where nothing was forwarded, Express would compute the same.
  const address = req.headers['x-forwarded-for'] === undefined ? req.socket.remoteAddress : req.ip;
  return addressIn(address ?? '') ?? 'unknown';
}

/** Whether the peer itself is a proxy in `TRUST_PROXY`. */
export function isFromProxy({ app, socket }: Request): boolean {
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return isTrusted(socket.remoteAddress ?? '', 0);
}

const cutOff = 'the connection ended before the answer';

/** Whoever follows a stream ends it by leaving. */
function isStream(res: Response): boolean {
  return String(res.getHeader('content-type')).startsWith('text/event-stream');
}

/** By allow-list: the route's template, never the path, query, headers or body. */
function endRequest(services: Pick<Services, 'log'>, report: RequestReport, req: Request, res: Response): void {
  const state = requestStateOf(res);
  const milliseconds = performance.now() - state.startedAt;
  const operation = state.operation?.operationId;
  const isWhole = res.writableFinished || isStream(res);
  report.ended({
    surface: state.surface ?? 'none',
    operation: operation ?? 'none',
    status: res.statusCode,
    isWhole,
    milliseconds,
    failure: state.failure,
    byApiKey: state.apiKey !== null,
  });
  // The status is then that of an answer which did not arrive, or of none.
  const reason = state.failure?.detail.reason ?? (isWhole ? undefined : cutOff);
  services.log.info('request', {
    requestId: state.requestId,
    method: req.method,
    status: res.statusCode,
    milliseconds: Math.round(milliseconds * 100) / 100,
    ...(state.account && { account: state.account.subdomain }),
    ...(state.route && { route: state.route }),
    ...(operation && { operation }),
    ...(state.failure && { failure: state.failure.code }),
    ...(reason !== undefined && { reason }),
  });
}
