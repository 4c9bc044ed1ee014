/** One request and its answer, printed as they happen. */

import { STATUS_CODES } from 'node:http';
import { readForm } from './page.ts';
import { indent, say, showAddress, showForm, showHeader, showJson } from './print.ts';
import { expect, Surprise } from './surprise.ts';

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: object;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const patienceMilliseconds = 30_000;
const shownHeaders = ['deprecation', 'link', 'location', 'set-cookie', 'www-authenticate'];

/**
 * Sends a request to the service and prints both sides. Redirects are not followed. Throws a `Surprise` when nobody
 * answers.
 */
export async function send(method: string, address: URL, sent: Sent = {}): Promise<Answer> {
  const headers = { ...typeOf(sent), ...sent.headers };
  printRequest(method, address, headers, sent);
  const body = bodyOf(sent);
  const answer = await receive(method, address, headers, body);
  printAnswer(answer);
  return answer;
}

function typeOf({ form, json }: Sent): Record<string, string> {
  if (form) return { 'content-type': 'application/x-www-form-urlencoded' };
  return json ? { 'content-type': 'application/json' } : {};
}

function bodyOf({ form, json }: Sent): string | undefined {
  if (form) return new URLSearchParams(form).toString();
  return json && JSON.stringify(json);
}

async function receive(method: string, address: URL, headers: Record<string, string>, body?: string): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(patienceMilliseconds);
    const response = await fetch(address, { method, headers, redirect: 'manual', signal, ...(body && { body }) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const reason = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : String(cause);
    throw new Surprise(
      `nobody answers at ${address.origin} (${reason}). Is the service running? Start it with: npm start`,
    );
  }
}

function printRequest(method: string, address: URL, headers: Record<string, string>, { form, json }: Sent): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${showHeader(name, value)}`);
  const body = form ? showForm(form) : json && showJson(json);
  say(`\n→ ${method} ${showAddress(address.href)}\n${block(lines, body)}`);
}

function printAnswer({ status, headers, text }: Answer): void {
  const lines = shownHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [`${name}: ${showHeader(name, value)}`];
  });
  say(`\n← ${status} ${STATUS_CODES[status] ?? ''}\n${block(lines, describeBody(headers, text))}`);
}

function block(lines: readonly string[], body = ''): string {
  return [...lines, ...(body ? [body] : [])].map((line) => `${indent(line)}\n`).join('');
}

function describeBody(headers: Headers, text: string): string {
  if (text === '') return '';
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return showJson(JSON.parse(text));
  if (type.startsWith('application/xml')) return text.trimEnd();
  const title = /<title>([^<]*)<\/title>/.exec(text)?.[1]?.replaceAll(/[\u2066-\u2069]/g, '') ?? type;
  const form = readForm(text);
  return `a page: ${title}${form ? `, with a form for ${form.action} (${[...form.names].join(', ')})` : ''}`;
}

/** The JSON object of an answer that must have this status. Throws a `Surprise` when it is another answer. */
export function expectJson<Body>(answer: Answer, status: number): Body {
  expect(answer.status === status, `the answer should have been ${status}, and it was ${answer.status}`);
  expect(
    answer.headers.get('content-type')?.startsWith('application/json') === true,
    'the answer should have been JSON, and it was not',
  );
  return JSON.parse(answer.text) as Body;
}
