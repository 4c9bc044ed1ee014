/** A request with everything filled in, and how it is written. */

import { defineAll, form, type Members, type Pairs, type Plan, xml } from './requests.ts';
import type { Live } from './taken.ts';

/** A request ready to be written. */
export type Prepared = Omit<Plan, 'scheme' | 'pick'> & { readonly host: string };

export interface Wire {
  readonly method: string;
  readonly target: string;
  /** As written, Host included. */
  readonly headers: Pairs;
  readonly body: Buffer | null;
}

// The contracts' limits, less what the other headers and the members' names take.
const mostTarget = 9_000;
const mostForm = 16_384;
const mostJson = 65_536;
const mostMembers = 50;

/** Puts the live values in, and leaves out the largest others until the request is no larger than may be. */
export function prepare({ scheme: _scheme, pick: _pick, ...plan }: Plan, live: Live, host: string): Prepared {
  const withLive: Prepared = {
    ...plan,
    host,
    path: { ...plan.path, ...live.path },
    query: put(plan.query, live.query),
    headers: put(plan.headers, live.headers),
    body: plan.body && putMembers(plan.body, live.body),
    items: plan.items && (live.items ?? plan.items),
  };
  return reduce(withLive, new Set([...Object.keys(live.query ?? {}), ...Object.keys(live.body ?? {})]));
}

/** Replaces, adds and (undefined) removes. */
export function put(pairs: Pairs, values: Readonly<Record<string, string | undefined>> = {}): Pairs {
  const kept = pairs.filter(([name]) => !Object.hasOwn(values, name));
  const added = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return [...kept, ...added];
}

export function putMembers(members: Members, values: Readonly<Record<string, unknown>> = {}): Members {
  const kept = Object.entries(members).filter(([name]) => !Object.hasOwn(values, name));
  return defineAll([...kept, ...Object.entries(values).filter(([, value]) => value !== undefined)]);
}

function reduce(request: Prepared, keep: ReadonlySet<string>): Prepared {
  let fitting = request;
  while (targetOf(fitting).length > mostTarget) {
    const largest = largestOf(fitting.query, keep);
    fitting = { ...fitting, query: fitting.query.filter(([name]) => name !== largest) };
  }
  while (fitting.body && isTooLarge(fitting.body, fitting.mediaType)) {
    fitting = {
      ...fitting,
      body: putMembers(fitting.body, { [largestOf(Object.entries(fitting.body), keep)]: undefined }),
    };
  }
  return fitting;
}

function isTooLarge(body: Members, mediaType: string | null): boolean {
  const { length } = encodeBody(body, mediaType);
  return mediaType === form ? length > mostForm || Object.keys(body).length > mostMembers : length > mostJson;
}

function largestOf(entries: readonly (readonly [string, unknown])[], keep: ReadonlySet<string>): string {
  const size = (value: unknown) => encodeURIComponent(JSON.stringify(value) ?? '').length;
  const [largest] = entries.filter(([name]) => !keep.has(name)).sort(([, one], [, other]) => size(other) - size(one));
  if (!largest) throw new Error('the live values alone are larger than a request may be');
  return largest[0];
}

/** Writes a request: the body in its media type, the length always told. */
export function encode(request: Prepared): Wire {
  const { method, host, headers, mediaType, body, items } = request;
  const bytes = body && encodeBody(items ?? body, mediaType);
  return {
    method,
    target: targetOf(request),
    headers: [
      ['host', host],
      ...headers,
      ...(mediaType === null ? [] : [['content-type', mediaType] as const]),
      ...(bytes === null ? [] : [['content-length', String(bytes.length)] as const]),
    ],
    body: bytes,
  };
}

export function targetOf({ operation, path, slash, query }: Prepared): string {
  const filled = operation.template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  return `${filled}${slash ? '/' : ''}${query.length > 0 ? `?${encodePairs(query)}` : ''}`;
}

function encodeBody(body: Members | readonly unknown[], mediaType: string | null): Buffer {
  if (mediaType === xml) return Buffer.from(`<user>${Object.entries(body).map(elementOf).join('')}</user>`);
  if (mediaType !== form) return Buffer.from(JSON.stringify(body));
  return Buffer.from(encodePairs(Object.entries(body).map(([name, value]) => [name, String(value)])));
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/** An element of XML; null is nil. */
export function elementOf([name, value]: readonly [string, unknown]): string {
  if (value === null) return `<${name} nil="true"/>`;
  return `<${name}>${String(value).replace(/[&<>\r]/g, (character) => escapes[character] ?? '')}</${name}>`;
}

/** Percent-encoded UTF-8 with `+` for a space (URL standard, application/x-www-form-urlencoded). */
export function encodePairs(pairs: Pairs): string {
  const text = (part: string) => encodeURIComponent(part).replaceAll('%20', '+');
  return pairs.map(([name, value]) => `${text(name)}=${text(value)}`).join('&');
}

/** A request in words, for a failing case. */
export function describeWire({ method, target, headers, body }: Wire): string {
  const head = [`${method} ${target}`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
  return `${head}\n\n${body?.toString('utf8') ?? ''}`.slice(0, 4000);
}
