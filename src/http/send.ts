import type { Response } from 'express';
import type { ContractOperation } from './contract.ts';
import type { ReplyHeaders } from './operation.ts';

/** For documents and data: nothing of an answer may be run, framed or sniffed. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'";

/** Headers every answer starts with; a reply's own headers replace them. */
export function sendDefaults(res: Response, requestId: string, secure: boolean): void {
  res.setHeader('x-request-id', requestId);
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-security-policy', dataPolicy);
  res.setHeader('x-content-type-options', 'nosniff');
  res.setHeader('referrer-policy', 'no-referrer');
  res.setHeader('cross-origin-opener-policy', 'same-origin');
  if (secure) res.setHeader('strict-transport-security', 'max-age=63072000; includeSubDomains');
}

/** Sends a reply in the media type that the contract gives this status. */
export function sendReply(
  res: Response,
  operation: ContractOperation | null,
  reply: { readonly status: number; readonly body?: unknown; readonly headers?: ReplyHeaders },
  fallbackType = 'application/json',
): void {
  res.statusCode = reply.status;
  const documented = Object.keys(operation?.responses[String(reply.status)]?.content ?? {});
  // Where the contract offers a page or data, the reply is a page when it is text.
  const type =
    documented.find((one) => (one === 'application/json') === (typeof reply.body !== 'string')) ?? fallbackType;
  if (reply.body !== undefined) {
    res.setHeader(
      'content-type',
      type.startsWith('text/') || type === 'application/json' ? `${type}; charset=utf-8` : type,
    );
  }
  for (const [name, value] of Object.entries(reply.headers ?? {})) res.setHeader(name, value);
  if (reply.body === undefined) res.end();
  else res.end(type === 'application/json' ? JSON.stringify(reply.body) : reply.body);
}
