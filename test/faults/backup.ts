/** A backup and what is proved of it: it is restored into an empty folder and asked. */

import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { freePort, type Installation, install, type Service } from '../support/process.ts';
import { type RunningAccount, runningAccount } from '../support/running-account.ts';
import { clientAuthentication, type RegisteredClient, redirectUri, type Tokens } from '../support/sign-in.ts';

/** What was acknowledged, and when (`performance.now()`). */
export interface Acknowledged {
  readonly clients: (RegisteredClient & { readonly answeredAt: number })[];
  /** Refresh tokens of each session, oldest first, each with the time of its answer. */
  readonly sessions: { readonly token: string; readonly answeredAt: number }[][];
}

/** What is known before anything was written: the sessions. */
export function acknowledge(tokens: readonly Tokens[]): Acknowledged {
  return {
    clients: [],
    sessions: tokens.map(({ refresh_token: token }) => [{ token, answeredAt: performance.now() }]),
  };
}

/**
 * Registers clients and refreshes the sessions, adding what is acknowledged, until it is stopped; any refusal rejects.
 */
export function keepWriting(
  account: RunningAccount,
  client: RegisteredClient,
  acknowledged: Acknowledged,
  bearer: string,
): { stop(): Promise<void> } {
  let running = true;
  const { headers, form } = clientAuthentication(client);
  const register = async () => {
    while (running) {
      const json = { client_name: 'Made meanwhile', redirect_uris: [redirectUri] };
      const sent = { headers: { authorization: `Bearer ${bearer}` }, json };
      const { status, text, body, answeredAt } = await account.send('POST', '/oauth2/register', sent);
      if (status !== 201) throw new Error(text);
      acknowledged.clients.push({ ...body, answeredAt });
    }
  };
  const refresh = async (session: Acknowledged['sessions'][number]) => {
    while (running) {
      const sent = {
        headers,
        form: { ...form, grant_type: 'refresh_token', refresh_token: session.at(-1)?.token ?? '' },
      };
      const { status, text, body, answeredAt } = await account.send('POST', '/oauth2/token', sent);
      if (status !== 200) throw new Error(text);
      session.push({ token: body.refresh_token, answeredAt });
    }
  };
  const callers = [register(), register(), ...acknowledged.sessions.map(refresh)];
  return {
    stop: async () => {
      running = false;
      await Promise.all(callers);
    },
  };
}

export interface Restored {
  readonly installation: Installation;
  readonly service: Service;
  readonly account: RunningAccount;
  /** From the empty folder to ready. */
  readonly seconds: number;
  dispose(): Promise<void>;
}

/**
 * A new installation on the backup, a file or the URL of a restored PostgreSQL database, and the master key of the old
 * one, asked under the old one's host.
 */
export async function restore(account: RunningAccount, backup: string): Promise<Restored> {
  const { service: origin, subdomain, host } = account;
  const port = await freePort();
  const isFile = !backup.startsWith('postgres://');
  const installation = await install('sqlite', isFile ? {} : { DATABASE_URL: backup });
  const startedAt = performance.now();
  const data = join(installation.folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (isFile) copyFileSync(backup, join(data, 'gatehouse.db'));
  copyFileSync(join(origin.folder, 'data/master.key'), join(data, 'master.key'));
  const service = await installation.serve({ port, env: { SERVICE_DOMAIN: `localhost:${origin.port}` } });
  const seconds = (performance.now() - startedAt) / 1000;
  const restored = runningAccount(service, subdomain, host);
  return {
    installation,
    service,
    account: restored,
    seconds,
    dispose: async () => {
      restored.close();
      await installation.dispose();
    },
  };
}

/** How many of what was acknowledged before `from` the restored service does not know. */
export async function countMissing(
  { account }: Restored,
  client: RegisteredClient,
  { clients, sessions }: Acknowledged,
  from: number,
): Promise<{ clients: number; sessions: number }> {
  const missing = { clients: 0, sessions: 0 };
  const knows = async (one: RegisteredClient) => {
    const { headers, form } = clientAuthentication(one);
    const sent = { headers, form: { ...form, token: 'x' } };
    return (await account.send('POST', '/oauth2/introspect', sent)).status === 200;
  };
  for (const one of clients) if (one.answeredAt < from && !(await knows(one))) missing.clients += 1;
  const { headers, form } = clientAuthentication(client);
  for (const session of sessions) {
    const known = session.findLastIndex(({ answeredAt }) => answeredAt < from);
    // The backup contains this token or a later one, with which its holder continues.
    const live = await Promise.all(
      session.slice(known).map(async ({ token }) => {
        const sent = { headers, form: { ...form, token } };
        return (await account.send('POST', '/oauth2/introspect', sent)).body.active === true;
      }),
    );
    if (!live.includes(true)) missing.sessions += 1;
  }
  return missing;
}

/** Whether an SQLite file has all its pages, and no row that refers to a missing one. */
export function isWhole(file: string): boolean {
  const db = new Sqlite(file, { readonly: true });
  try {
    const orphans = db.pragma('foreign_key_check') as unknown[];
    return db.pragma('integrity_check', { simple: true }) === 'ok' && orphans.length === 0;
  } finally {
    db.close();
  }
}
