/** The message of a peer process to the bench when it listens, and code shared by all peers. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Sqlite from 'better-sqlite3';
import type { RequestKind, Target } from './target.ts';

export interface PeerReady {
  readonly port: number;
  /** What keeps its data, in words for the table. */
  readonly storage: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshTokens: readonly string[];
  /** Of the floor alone. */
  readonly accessTokens?: readonly string[];
  /** Bearer for registrations. */
  readonly registrationToken: string;
  /** Where it answers requests of other kinds, and what their callers know. */
  readonly targets?: PeerTargets;
}

export type PeerTargets = Partial<Readonly<Record<RequestKind, PeerTarget>>>;

type PeerTarget = Pick<Target, 'path'> &
  Partial<Pick<Target, 'authorization' | 'clientId' | 'exchangePath' | 'tokens'>>;

export const scope = 'openid profile email';

/** The same user for number n at every peer and at the service under test. */
export function benchUser(number: number): { email: string; firstname: string; lastname: string } {
  return { email: `user${number}@example.com`, firstname: 'Ada', lastname: `Lovelace ${number}` };
}

/** Of the users whose passwords are checked. */
export const benchPassword = 'correct horse battery staple';

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Every commit waits for the disk, as in the service under test. */
export function makeDurable(db: Sqlite.Database): void {
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
}

/** In words, and only when it is so; asked for after a write, by which better-sqlite3 may fall back to NORMAL. */
export function durableStorage(db: Sqlite.Database): string {
  const journal = db.pragma('journal_mode', { simple: true });
  const synchronous = db.pragma('synchronous', { simple: true });
  if (journal !== 'wal' || synchronous !== 2) throw new Error(`not durable: ${journal}, ${synchronous}`);
  return 'SQLite, FULL';
}

/** Listens on a free port of loopback, says so to the parent, and ends with it. */
export async function serveParent(server: Server, ready: (port: number) => PeerReady): Promise<void> {
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.(ready((server.address() as AddressInfo).port));
  process.once('disconnect', () => process.exit());
}
