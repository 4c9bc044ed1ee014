import type { IncomingMessage } from 'node:http';
import { Failure } from '../domain/failure.ts';
import { countHeader } from './request-state.ts';

/** A request whose target may be rewritten; Express keeps a second copy of it, which the validator reads. */
type Target = IncomingMessage & { originalUrl?: string };

/**
 * Finds errors in the request line and the headers that frame the request. The account is in the Host, so anything that
 * could make two readers of a request see different hosts or bodies is refused (RFC 9112 §3.2, §6.1). An absolute-form
 * target that names the Host is rewritten to origin-form.
 */
export function findMalformed(req: Target): Failure | null {
  const host = req.headers.host ?? '';
  if (countHeader(req, 'host') !== 1) return malformed('exactly one Host header is required');
  if (!/^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/.test(host))
    return malformed('the Host header is not a valid host');
  const transfer = req.headers['transfer-encoding'];
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    return malformed('Transfer-Encoding must be chunked');
  const hasBody = transfer !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
  if (hasBody && (req.method === 'GET' || req.method === 'HEAD'))
    return malformed(`a ${req.method} request must not have a body`, 'the body');
  return rewriteTarget(req, host);
}

/**
 * Whether a request is refused for a missing or repeated Host where any Host will do. HTTP/1.0 had no Host, and load
 * balancers still use it for health checks.
 */
export function lacksHost(req: IncomingMessage): boolean {
  const count = countHeader(req, 'host');
  return count > 1 || (count === 0 && req.httpVersion !== '1.0');
}

function rewriteTarget(req: Target, host: string): Failure | null {
  const target = req.url ?? '';
  if (target.startsWith('/')) return null;
  const [, authority, rest] = /^https?:\/\/([^/?#]*)(.*)/i.exec(target) ?? [];
  req.url = rest?.startsWith('/') ? rest : '/';
  req.originalUrl = req.url;
  if (authority === undefined || authority.toLowerCase() !== host.toLowerCase()) {
    return malformed('the request target does not match the Host header');
  }
  return null;
}

function malformed(message: string, name?: string): Failure {
  return new Failure('request_malformed', { message, ...(name !== undefined && { name }) });
}
