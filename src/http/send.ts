import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { entityTag } from './conditional.ts';
import type { ContractOperation } from './contract.ts';
import { EventStream, sendEvents } from './event-stream.ts';
import { JsonList } from './list-text.ts';
import type { InParts, ReplyHeaders } from './operation.ts';
import { handOver, sendTextParts, TextParts } from './text-parts.ts';
import { writeXml, xmlListWriter } from './xml.ts';
import { type XmlAnswers, xmlType } from './xml-bodies.ts';
import type { XmlRules } from './xml-rules.ts';

/** For documents and data: no response may be executed, framed or sniffed. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'";

/** Default headers of every response; a reply's own headers replace them. */
export function sendDefaults(res: Response, requestId: string, secure: boolean): void {
  res.setHeader('x-request-id', requestId);
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-security-policy', dataPolicy);
  res.setHeader('x-content-type-options', 'nosniff');
  res.setHeader('referrer-policy', 'no-referrer');
  res.setHeader('cross-origin-opener-policy', 'same-origin');
  if (secure) res.setHeader('strict-transport-security', 'max-age=63072000; includeSubDomains');
}

/** Format details that the contract does not determine. */
export interface ReplyForm {
  /** The media type of a response outside any operation. */
  readonly fallbackType: string;
  readonly xmlOf: XmlAnswers;
}

/**
 * Sends a reply in the media type that the contract gives for its status. Settles when all of it was handed over; a
 * list in parts is sent as fast as its client reads. Rejects when reading a part fails.
 */
export async function sendReply(
  res: Response,
  operation: ContractOperation | null,
  reply: { readonly status: number; readonly body?: unknown; readonly headers?: ReplyHeaders },
  { fallbackType, xmlOf }: ReplyForm,
): Promise<void> {
  const { status, body, headers = {} } = reply;
  res.statusCode = status;
  const response = operation?.responses[String(status)];
  const documented = Object.keys(response?.content ?? {});
  const isText = typeof body === 'string';
  // If the contract offers a page or data, a text reply is a page.
  const type =
    (body instanceof EventStream ? 'text/event-stream' : undefined) ??
    (body instanceof TextParts ? body.text.type : undefined) ??
    documented.find((one) => (one === 'application/json') !== isText) ??
    documented.find((one) => one === xmlType) ??
    fallbackType;
  if (body !== undefined) {
    const named = type.startsWith('text/') || type === 'application/json' || (type === xmlType && !isText);
    res.setHeader('content-type', named ? `${type}; charset=utf-8` : type);
  }
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (body === undefined) res.end();
  else if (body instanceof EventStream) await sendEvents(res, body);
  else if (body instanceof TextParts) await sendTextParts(res, body);
  else if (type === 'application/json') {
    const json = jsonOf(body);
    if (response?.headers?.['ETag']) res.setHeader('etag', entityTag(json));
    res.end(json);
  } else if (isInParts(body)) await sendInParts(res, body, xmlOf(operation, status));
  else if (type === xmlType && !isText) res.end(writeXml(body, xmlOf(operation, status)));
  else res.end(body);
}

function jsonOf(body: unknown): string {
  return body instanceof JsonList ? body.json : JSON.stringify(body);
}

function isInParts(body: unknown): body is InParts<unknown> {
  if (typeof body !== 'object' || body === null || !('parts' in body)) return false;
  return typeof body.parts === 'object' && body.parts !== null && Symbol.asyncIterator in body.parts;
}

/** A list of one part goes as a whole, and what fails before the second one is answered like any other fault. */
async function sendInParts(res: Response, { parts, lost }: InParts<unknown>, rules: XmlRules): Promise<void> {
  await handOver(parts, lost, async () => {
    const first = await parts.next();
    const second = first.done ? first : await parts.next();
    if (first.done || second.done) res.end(writeXml(first.value ?? [], rules));
    else await pipeline(textsOf([first.value, second.value], parts, rules), res, { ...(lost && { signal: lost }) });
  });
}

async function* textsOf(
  read: readonly (readonly unknown[])[],
  parts: InParts<unknown>['parts'],
  rules: XmlRules,
): AsyncGenerator<string, void, undefined> {
  const { head, items, tail } = xmlListWriter(rules);
  yield [head, ...read.map(items)].join('');
  for await (const part of parts) yield items(part);
  yield tail;
}
