/** Secrets carried into a service by every way in: what the X7 test sends. */

import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { basic, type Sent } from '../support/app.ts';
import { contracts } from '../support/conforms.ts';
import { sendRaw } from '../support/raw-http.ts';
import { assertFewSentAgain } from '../support/sent-again.ts';
import type { Wire } from '../support/wire.ts';
import { isBrokenConnection } from './nodes.ts';

/** Secrets by the names that requests give them. */
export type Secrets = Readonly<Record<string, string>>;

/** A request with secrets in it. */
export interface Carried {
  readonly method: string;
  readonly path: string;
  readonly sent: Sent;
}

/** Every operation of every contract with the secrets in each place that a request has, well formed and not. */
export function carriedThrough(secrets: Secrets): Carried[] {
  const requests: Carried[] = [];
  for (const { contract } of contracts.values()) {
    for (const [template, item] of Object.entries(contract.paths)) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const documented = method.toLowerCase() in item;
        const ways = documented ? allWays(secrets, requests.length) : [{ query: secrets }];
        for (const way of ways) requests.push(carry(method, template, way, secrets));
      }
    }
  }
  return requests;
}

interface Way {
  readonly query?: Secrets;
  readonly suffix?: string;
  readonly sent?: Sent;
}

function carry(method: string, template: string, { query, suffix, sent = {} }: Way, secrets: Secrets): Carried {
  const first = Object.values(secrets)[0] ?? '';
  const path =
    template.replace(/\{[^}]*\}/g, encodeURIComponent(first)) + (suffix ? `/${encodeURIComponent(suffix)}` : '');
  return { method, path: query ? `${path}?${new URLSearchParams(query)}` : path, sent };
}

/** One secret in four is alone in a header, others on the next route; `turn` determines which. */
function allWays(secrets: Secrets, turn: number): Way[] {
  const form = String(new URLSearchParams(secrets));
  const json = JSON.stringify(secrets);
  const texts = Object.values(secrets);
  const ofType = (type: string, raw: string): Way => ({ sent: { raw, headers: { 'content-type': type } } });
  const withHeaders = (headers: Record<string, string>): Way => ({ query: secrets, sent: { headers, form } });
  return [
    { query: secrets },
    { sent: { form } },
    { sent: { form: `${form}&${form}` } },
    { sent: { form: form.replaceAll('=', '=%00') } },
    { sent: { form: form.replaceAll('=', '=%0d%0a') } },
    { sent: { form: `${form}&padding=${'x'.repeat(70_000)}` } },
    { sent: { json: secrets } },
    { sent: { json: Object.fromEntries(Object.entries(secrets).map(([name, text]) => [name, [text]])) } },
    ofType('application/json', json.slice(0, -20)),
    ofType('application/json', `${json}${json}`),
    ofType('application/json; charset=utf-7', json),
    ofType('text/plain', form),
    ofType('application/xml', `<secrets>${texts.join('</s><s>')}`),
    withHeaders({ cookie: texts.map((text, index) => `${['sid', 'tx', `c${index}`][index % 3]}=${text}`).join('; ') }),
    withHeaders({ 'x-request-id': texts.join(' '), referer: `https://app.example.com/?${form}`, 'user-agent': form }),
    withHeaders({
      'x-forwarded-for': texts.join(', '),
      'x-forwarded-host': texts[0] ?? '',
      forwarded: `for=${texts[0]}`,
    }),
    ...texts
      .filter((_, index) => (index + turn) % 4 === 0)
      .flatMap((text) => [
        { suffix: text },
        withHeaders({ authorization: `Bearer ${text}` }),
        withHeaders({ authorization: `Basic ${text}` }),
        withHeaders(basic(text, text)),
      ]),
  ];
}

const lanes = 8;

/**
 * Sends all of them, some at a time; answers how often each status came. Those whose connection broke are sent again,
 * as long as they are few: what matters is what was told of the request.
 */
export async function sendAll(wire: Wire, requests: readonly Carried[]): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const waiting = [...requests];
  const broken: string[] = [];
  const call = ({ method, path, sent }: Carried) => wire.call(method, path, sent);
  const lane = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const carried = next;
      const { status } = await call(carried).catch((error: unknown) => {
        if (!isBrokenConnection(error)) throw error;
        broken.push(`${carried.method} ${carried.path.slice(0, 60)}: ${error}`);
        return call(carried);
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  assertFewSentAgain(broken, requests.length, lanes);
  return statuses;
}

/** What no HTTP library would send: each secret where the parser gives up. */
export async function sendUnreadable(port: number, host: string, secrets: Secrets): Promise<void> {
  for (const text of Object.values(secrets).map((secret) => secret.replace(/\s/g, '_'))) {
    const requests: readonly (readonly string[])[] = [
      [`GET /${text} HTTP/9.9`, `Host: ${host}`],
      [`${text} / HTTP/1.1`, `Host: ${host}`],
      [`GET /oauth2/authorize?code=${text} HTTP/1.1`, `Host: ${text}`, `Host: ${host}`],
      [`GET http://${text}@${host}/oauth2/userinfo?access_token=${text} HTTP/1.1`, `Host: ${host}`],
      ['POST /oauth2/token HTTP/1.1', `Host: ${host}`, `Transfer-Encoding: x${text}chunked`],
      ['POST /oauth2/token HTTP/1.1', `Host: ${host}`, `Content-Length: ${text}`],
      ['GET / HTTP/1.1', `Host: ${host}`, `Authorization: Bearer ${text.padEnd(20_000, 'x')}`],
      ['GET / HTTP/1.1', `Host: ${host}`, `Authorization ${text}`],
    ];
    for (const lines of requests) await sendRaw(port, lines).catch(() => null);
  }
}

/**
 * Puts something else in the tables' place under a running service, so that whatever it asks for is an error of the
 * database.
 */
export async function breakTables(url: string, tables: readonly string[]): Promise<void> {
  const statements = (fault: string) =>
    tables.flatMap((table) => [
      `alter table "${table}" rename to "broken_${table}"`,
      `create view "${table}" as select distinct * from "broken_${table}" where ${fault}`,
    ]);
  if (url.startsWith('sqlite:')) {
    const database = new Sqlite(url.slice('sqlite:'.length));
    for (const statement of statements('abs(-9223372036854775807 - 1) > 0')) database.exec(statement);
    database.close();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements('1 / (select 0) > 0')) await client.query(statement);
  await client.end();
}
