/** The calls that the page made, so that a script can make them too. */

import { stored } from '../parts/stored.ts';

export interface Call {
  readonly id: number;
  readonly method: string;
  readonly address: string;
  readonly curl: string;
}

const most = 30;
let count = 0;

/** Newest first. */
export const calls = stored<readonly Call[]>([]);

/** Notes a call before it is sent. The token is not among what it keeps. */
export function noteCall(request: Request): void {
  count += 1;
  const id = count;
  const { method, url } = request;
  const { pathname, search } = new URL(url);
  const match = request.headers.get('if-match');
  const copy = request.clone();
  void (copy.body ? copy.text() : Promise.resolve('')).then((body) => {
    const call = { id, method, address: `${pathname}${search}`, curl: curlOf(method, url, body, match) };
    calls.set([call, ...calls.get()].slice(0, most));
  });
}

/** As one word of a shell. */
export const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function curlOf(method: string, url: string, body: string, match: string | null): string {
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...(match === null ? [] : [`-H ${quoted(`If-Match: ${match}`)}`]),
    ...(body === '' ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}
