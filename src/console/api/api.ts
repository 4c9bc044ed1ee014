/** Calls of the management API, as the contract has them: the only ones that the console makes. */

import { sendAs } from '../session/send.ts';
import { renewSession, standing } from '../session/session.ts';
import { noteCall } from './calls.ts';
import type { Answered, Given, Method, OperationOf, PathOf } from './contract.ts';
import { Problem } from './problem.ts';

export interface Answer<Data> {
  readonly data: Data;
  /** The entity tag, for `If-Match` of a write. */
  readonly tag: string | null;
  readonly headers: Headers;
}

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  given: Given<OperationOf<M, P>>,
) => Promise<Answer<Answered<OperationOf<M, P>>>>;

/** Each answers what was done, and throws `Problem` with the words of the surface for what was not. */
export const api: { readonly [M in Method]: Call<M> } = {
  get: (path, given) => call('GET', path, given),
  post: (path, given) => call('POST', path, given),
  put: (path, given) => call('PUT', path, given),
  delete: (path, given) => call('DELETE', path, given),
};

type ItemOf<P extends PathOf<'get'>> = Answered<OperationOf<'get', P>> extends readonly (infer Item)[] ? Item : never;

/** A list whose items have these members alone. */
export function getMembers<P extends PathOf<'get'>, Name extends keyof ItemOf<P> & string>(
  path: P,
  names: readonly Name[],
  given: Given<OperationOf<'get', P>>,
): Promise<Answer<readonly Pick<ItemOf<P>, Name>[]>> {
  const { query } = given as Parts;
  return call('GET', path, { ...given, query: { ...query, fields: names.join() } });
}

/** The header of a write that must not meet somebody else's. */
export const ifMatch = (tag: string | null) => ({ 'If-Match': tag ?? '*' });

export interface Opened {
  readonly body: ReadableStream<Uint8Array>;
  readonly headers: Headers;
}

/** Opens an answer that is read while the service writes it, of this media type; throws `Problem` where there is none. */
export async function open<P extends PathOf<'get'>>(
  path: P,
  given: Given<OperationOf<'get', P>>,
  type: string,
  signal: AbortSignal,
): Promise<Opened> {
  const asked = requestOf('GET', path, given as Parts);
  const answer = await send(new Request(asked, { signal, headers: withAccept(asked, type) }));
  if (!answer.ok) throw await problemIn(answer);
  const { body, headers } = answer;
  if (!body) throw new Problem(0, 'The service answered nothing.');
  return { body, headers };
}

function withAccept({ headers }: Request, type: string): Headers {
  const changed = new Headers(headers);
  changed.set('accept', type);
  return changed;
}

interface Parts {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function call<Data>(method: string, template: string, given: unknown): Promise<Answer<Data>> {
  const answer = await send(requestOf(method, template, given as Parts));
  if (!answer.ok) throw await problemIn(answer);
  return { data: await dataIn(answer), tag: answer.headers.get('etag'), headers: answer.headers };
}

async function dataIn(answer: Response) {
  const text = await answer.text();
  return answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : undefined;
}

async function problemIn(answer: Response): Promise<Problem> {
  const data = await dataIn(answer);
  const after = answer.headers.get('retry-after');
  const message = data?.message ?? `The service answered ${answer.status}.`;
  return new Problem(answer.status, message, after === null ? null : Number(after));
}

function requestOf(method: string, template: string, { path = {}, query = {}, header = {}, body }: Parts): Request {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const url = new URL(filled, location.origin);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const headers = { accept: 'application/json', ...header };
  if (body === undefined) return new Request(url, { method, headers });
  const typed = { ...headers, 'content-type': 'application/json' };
  return new Request(url, { method, headers: typed, body: JSON.stringify(body) });
}

/** Sends a call as the signed-in administrator, and once more after a renewal: nothing was done without a valid token. */
async function send(request: Request): Promise<Response> {
  const now = standing.get();
  if (now.is !== 'open') throw ended();
  noteCall(request);
  const answer = await sendAs(request.clone(), now.session);
  if (answer.status !== 401) return answer;
  const session = await renewSession();
  if (!session) throw ended();
  return sendAs(request, session);
}

const ended = () => new Problem(401, 'Nothing was sent: you are signed out.');
