import { broken, Ended } from './step.ts';

const patienceMilliseconds = 10_000;
const mostBytes = 1_048_576;

type Init = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * One request, as a client sends it: for JSON unless said, no redirect is followed, 10 seconds and 1 MiB at most. Throws `Ended` when there
 * is no whole answer.
 */
export async function ask(url: string, init: Init = {}): Promise<Answered> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMilliseconds),
      ...init,
      headers: { accept: 'application/json', ...init.headers },
    });
    const text = await readText(response);
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    if (error instanceof Ended) throw error;
    throw broken(`${url} cannot be reached: ${reasonOf(error)}`, 'start it, and check its address and certificate');
  }
}

/** The same for a JSON object. Throws `Ended` also when the answer is none, with what to do about it. */
export async function askObject(
  url: string,
  remedy: string,
  init: Init = {},
): Promise<{ readonly status: number; readonly members: Readonly<Record<string, unknown>> }> {
  const { status, text } = await ask(url, init);
  const members = objectIn(text);
  if (members === null) throw broken(`${url} answers ${status} without a JSON object`, remedy);
  return { status, members };
}

/** The first of these places that answers 200; `members` null: not with a JSON object. Null: none does. */
export async function firstAnswer(places: Iterable<string>) {
  for (const from of places) {
    const { status, text } = await ask(from);
    if (status === 200) return { from, members: objectIn(text) };
  }
  return null;
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > mostBytes) throw broken(`${response.url} answers more than 1 MiB`, 'answer less');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return `no answer within ${patienceMilliseconds / 1000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
