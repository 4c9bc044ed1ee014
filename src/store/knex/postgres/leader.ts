/**
 * Opens connections to the host of the database that takes writes, and leaves it when it takes none any more. The driver
 * knows one host only.
 */

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Failure } from '../../../domain/failure.ts';
import { type DatabaseHost, databaseUrlForm, readPostgresUrl } from '../../database-url.ts';

export interface Leader {
  /** A new connection. Where a host must take writes and none does, it is looked for as long as callers wait. */
  connect(): Promise<pg.Client>;
  /** Whether the host of this connection has not been found to refuse writes since it was opened. */
  isCurrent(connection: pg.Client): boolean;
}

export interface LeaderOptions {
  readonly url: string;
  /** Of every connection. */
  readonly settings: Omit<pg.ClientConfig, 'connectionString' | 'connectionTimeoutMillis'>;
  readonly waitMilliseconds: number;
  /** Takes a line when another host takes the writes. */
  readonly log: (line: string) => void;
}

/** Of the time that callers wait: a try of the host that took writes last, and the search after it or without it. */
const directShare = 0.3;
const searchingShare = 0.6;
const firstSearchShare = 0.9;

/** Between two questions to a host that does not take writes. */
const pauseMilliseconds = 100;

/** `read_only_sql_transaction`: a standby, or a server whose `default_transaction_read_only` is on. */
const readOnlyCode = '25006';

interface Found {
  readonly host: DatabaseHost;
  /** The connection by which it was found, for the first who asks. */
  spare: pg.Client | null;
}

/** Follows the database at `url`, whose hosts it asks when a connection is wanted. Throws `value_invalid`. */
export function followLeader({ url, settings, waitMilliseconds, log }: LeaderOptions): Leader {
  const address = readPostgresUrl(url);
  if (!address) {
    throw new Failure('value_invalid', { name: 'DATABASE_URL', message: `DATABASE_URL must be ${databaseUrlForm}` });
  }
  const { hosts, mustWrite } = address;
  /** Connections by the turn in which they were opened; a host that refuses a write ends the turn. */
  const opened = new WeakMap<pg.Client, number>();
  let turn = 0;
  /** Where writes were taken last. */
  let last: DatabaseHost | null = null;
  let searching: Promise<Found> | null = null;

  async function open(host: DatabaseHost, milliseconds: number): Promise<pg.Client> {
    const current = turn;
    const connectionTimeoutMillis = Math.ceil(milliseconds);
    const connection = await openConnection({ ...settings, connectionTimeoutMillis, connectionString: host.url });
    if (mustWrite) await requireWriter(connection, connectionTimeoutMillis);
    opened.set(connection, current);
    connection.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code !== readOnlyCode || opened.get(connection) !== turn) return;
      // Elsewhere a host may take writes; where there is no choice, the other connections still read.
      if (mustWrite) turn += 1;
      else opened.delete(connection);
    });
    return connection;
  }

  /** Asks all hosts at once, each again and again, as long as callers wait. */
  async function search(): Promise<Found> {
    const endsAt = performance.now() + waitMilliseconds * (last ? searchingShare : firstSearchShare);
    let isFound = false;
    async function ask(host: DatabaseHost): Promise<Found> {
      for (;;) {
        const left = Math.max(endsAt - performance.now(), pauseMilliseconds);
        try {
          const spare = await open(host, left);
          if (!isFound) return { host, spare };
          void spare.end();
          throw new Error('another host was sooner');
        } catch (error) {
          if (isFound || performance.now() + pauseMilliseconds > endsAt) throw error;
        }
        await delay(pauseMilliseconds);
      }
    }
    try {
      return await Promise.any(hosts.map(ask));
    } catch (error) {
      throw noLeader(hosts, error);
    } finally {
      isFound = true;
    }
  }

  /** One search for all who want a connection meanwhile. */
  async function find(): Promise<pg.Client> {
    searching ??= search().finally(() => {
      searching = null;
    });
    const { host, spare } = await takeSpare(searching);
    if (last !== null && last !== host) log(`the database takes writes at ${host.name} now`);
    last = host;
    return spare ?? open(host, waitMilliseconds);
  }

  return {
    connect: async () => {
      if (!mustWrite) return open(hosts[0], waitMilliseconds);
      // A host that is gone without a word must leave time to ask the others.
      const direct = last && !searching ? await open(last, waitMilliseconds * directShare).catch(() => null) : null;
      return direct ?? find();
    },
    isCurrent: (connection) => opened.get(connection) === turn,
  };
}

/** How long a command looks for the host that takes writes. */
const commandWaitMilliseconds = 5000;

/** A connection for a command that needs no pool, to the host that `followLeader` finds. */
export async function connectToLeader(url: string, name: string): Promise<pg.Client> {
  const settings = { application_name: name };
  return followLeader({ url, settings, waitMilliseconds: commandWaitMilliseconds, log: () => {} }).connect();
}

/** The spare connection goes to the first who asks. */
async function takeSpare(searching: Promise<Found>): Promise<Found> {
  const found = await searching;
  const taken = { ...found };
  found.spare = null;
  return taken;
}

/** Has Knex's pool end the connection, and open another one, once it is given back. */
export function dispose(connection: pg.Client & { __knex__disposed?: unknown }, why: unknown): void {
  connection.__knex__disposed ??= why;
}

/** A connection that says of itself when it is of no use any more, as Knex's pool asks. */
async function openConnection(settings: pg.ClientConfig): Promise<pg.Client> {
  const connection = new pg.Client(settings);
  connection.on('error', (error) => dispose(connection, error));
  connection.on('end', () => dispose(connection, 'Connection ended'));
  await connection.connect();
  return connection;
}

/** Ends the connection and throws unless its host takes writes. */
async function requireWriter(connection: pg.Client, milliseconds: number): Promise<void> {
  try {
    const asked = { text: 'show transaction_read_only', query_timeout: milliseconds };
    const { rows } = await connection.query<{ transaction_read_only: string }>(asked);
    if (rows[0]?.transaction_read_only === 'on') throw Object.assign(new Error('read-only'), { code: readOnlyCode });
  } catch (error) {
    void connection.end();
    throw error;
  }
}

function noLeader(hosts: readonly DatabaseHost[], cause: unknown): Failure {
  const errors: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [];
  const each = hosts.map(({ name }, index) => `${name}: ${describe(errors[index])}`);
  const reason = `no host of the database takes writes (${each.join(', ')})`;
  return new Failure('unavailable', { reason, retryAfterSeconds: 1 }, { cause });
}

function describe(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return code === readOnlyCode ? 'read-only' : (code ?? message ?? 'no answer');
}
