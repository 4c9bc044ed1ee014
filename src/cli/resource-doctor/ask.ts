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
 * One request, as a client sends it: for JSON unless said, no redirect is followed, 10 seconds and 1 MiB at most.
 * Throws `Ended` when there is no whole answer.
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

/**
 * The first of these places that answers 200, with its JSON object. Throws `Ended`, with `lacking` and what each place
 * answered, when none does, and when it is no JSON object.
 */
export async function firstObject(places: Iterable<string>, lacking: string, remedy: string) {
  const answers: string[] = [];
  for (const from of places) {
    const answered = await ask(from);
    if (answered.status !== 200) {
      answers.push(`${from} answers ${toldOf(from, answered)}`);
      continue;
    }
    const members = objectIn(answered.text);
    if (members) return { from, members };
    throw broken(`${from} is not a JSON object`, remedy);
  }
  throw broken(`${lacking}: ${answers.join(', ')}`, remedy);
}

/** Where an answer leads; null for one that leads nowhere. */
export function redirectOf(url: string, { status, headers }: Answered): string | null {
  const location = headers.get('location');
  return status >= 300 && status < 400 && location !== null ? (URL.parse(location, url)?.href ?? null) : null;
}

/** The status, and where it leads. */
function toldOf(url: string, answered: Answered): string {
  const to = redirectOf(url, answered);
  return to === null ? String(answered.status) : `${answered.status}, which leads to ${to}`;
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
