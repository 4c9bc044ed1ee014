/** Filled databases that outlive a run: filling them takes longer than measuring them. */

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { backUp, type PostgresServer, startFromCopy } from '../../support/postgres.ts';
import { type Installation, install } from '../../support/process.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import type { Grown } from './seed.ts';

export interface Filling {
  readonly installation: Installation;
  readonly grown: Grown;
}

/** What is known of the account where another process serves it: hosts of accounts name the port. */
export function atPort(grown: Grown, port: number): Grown {
  return { ...grown, host: grown.host.replace(/\d+$/, String(port)) };
}

/** Of both databases and each number of users. */
export interface KeptFillings {
  has(kind: DatabaseKind, users: number): boolean;
  /** An installation on a copy; null if there is none. */
  take(kind: DatabaseKind, users: number): Promise<Filling | null>;
  keep(kind: DatabaseKind, users: number, installation: Installation, grown: Grown): void;
  /** A server with the kept PostgreSQL databases; null if there is none. */
  startPostgres(): PostgresServer | null;
  keepPostgres(url: string): Promise<void>;
}

/** `folder` is made where it does not exist. Remove it after migrations that change how something is filled. */
export function openKeptFillings(folder: string): KeptFillings {
  const root = resolve(folder);
  const placeOf = (kind: DatabaseKind, users: number) => join(root, `${kind}-${users}`);
  const cluster = join(root, 'cluster');
  const urlFile = join(root, 'cluster.url');
  let server: PostgresServer | null = null;
  // Without the cluster, which is kept last, a PostgreSQL filling is not whole.
  const has: KeptFillings['has'] = (kind, users) =>
    existsSync(join(placeOf(kind, users), 'grown.json')) && (kind === 'sqlite' || existsSync(urlFile));
  return {
    has,
    take: async (kind, users) => {
      if (!has(kind, users)) return null;
      const place = placeOf(kind, users);
      const { grown, database } = JSON.parse(readFileSync(join(place, 'grown.json'), 'utf8'));
      const url = kind === 'postgres' && server ? new URL(database, server.url).href : null;
      const installation = await install(kind, url === null ? {} : { DATABASE_URL: url });
      cpSync(join(place, 'data'), join(installation.folder, 'data'), { recursive: true });
      return { installation, grown: atPort(grown, installation.port) };
    },
    keep: (kind, users, { folder: from, databaseUrl }, grown) => {
      // The cluster is kept once.
      if (kind === 'postgres' && existsSync(urlFile)) return;
      const place = placeOf(kind, users);
      mkdirSync(place, { recursive: true, mode: 0o700 });
      cpSync(join(from, 'data'), join(place, 'data'), { recursive: true });
      const database = kind === 'postgres' ? new URL(databaseUrl).pathname : null;
      writeFileSync(join(place, 'grown.json'), JSON.stringify({ grown, database }), { mode: 0o600 });
    },
    startPostgres: () => {
      if (!existsSync(urlFile)) return null;
      server = startFromCopy(cluster, readFileSync(urlFile, 'utf8'));
      return server;
    },
    keepPostgres: async (url) => {
      if (existsSync(urlFile)) return;
      mkdirSync(root, { recursive: true, mode: 0o700 });
      await backUp(url, cluster);
      writeFileSync(urlFile, url, { mode: 0o600 });
    },
  };
}
