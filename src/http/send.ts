import type { Response } from 'express';
import type { ContractOperation } from './contract.ts';
import type { ReplyHeaders } from './operation.ts';
import { type XmlWriter, xmlType } from './xml-bodies.ts';

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

/** How a surface writes what the contract does not settle by itself. */
export interface ReplyForm {
  /** Of an answer outside any operation. */
  readonly fallbackType: string;
  readonly writeXml: XmlWriter;
}

/** Sends a reply in the media type that the contract gives this status. */
export function sendReply(
  res: Response,
  operation: ContractOperation | null,
  reply: { readonly status: number; readonly body?: unknown; readonly headers?: ReplyHeaders },
  { fallbackType, writeXml }: ReplyForm,
): void {
  const { status, body, headers = {} } = reply;
  res.statusCode = status;
  const documented = Object.keys(operation?.responses[String(status)]?.content ?? {});
  const isText = typeof body === 'string';
  // Where the contract offers a page or data, the reply is a page when it is text.
  const type =
    documented.find((one) => (one === 'application/json') !== isText) ??
    documented.find((one) => one === xmlType) ??
    fallbackType;
  if (body !== undefined) {
    const named = type.startsWith('text/') || type === 'application/json' || (type === xmlType && !isText);
    res.setHeader('content-type', named ? `${type}; charset=utf-8` : type);
  }
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (body === undefined) res.end();
  else if (type === 'application/json') res.end(JSON.stringify(body));
  else if (type === xmlType && !isText) res.end(writeXml(operation, status, body));
  else res.end(body);
}
