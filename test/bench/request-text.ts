/** Requests as text, for a client that writes them by hand. */

import type { RawAnswer } from './http-client.ts';
import type { Target } from './target.ts';

export const formType = 'application/x-www-form-urlencoded';

/** The body is ASCII, so that its length is the number of its bytes. `headers`: more of them, each with its end. */
export function requestText(
  { path, host, authorization }: Pick<Target, 'path' | 'host' | 'authorization'>,
  type: string,
  body: string,
  headers = '',
): string {
  const authenticated = authorization === null ? '' : `Authorization: ${authorization}\r\n`;
  return (
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${authenticated}${headers}Content-Type: ${type}\r\n` +
    `Accept: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

/** A GET; its `headers` each with its end. */
export function getText(host: string, path: string, headers: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`;
}

export function unexpected({ status, body }: RawAnswer): string {
  return `${status} ${body.slice(0, 300)}`;
}

/** The value of a header of an answer. */
export function headerOf({ head }: RawAnswer, name: string): string | undefined {
  const from = head.toLowerCase().indexOf(`\r\n${name}: `);
  if (from < 0) return undefined;
  const to = head.indexOf('\r\n', from + 2);
  return head.slice(from + name.length + 4, to < 0 ? undefined : to);
}
