/** How the stores and processes of tests reach a database of PostgreSQL: directly, or through a pooler for a drill. */

import type { Pooling } from '../../src/store/pooling.ts';

/**
 * The variable that has them go through a pooler on loopback: its mode and its port, as in `transaction:6432`; for a
 * run of tests the mode alone. What tests do past the store goes directly.
 */
export const wayVariable = 'GATEHOUSE_TEST_POOLER';

/** What opens a store on a database. */
export interface Way {
  readonly url: string;
  readonly pooling?: Pooling;
}

/** The way to the database at `url`; that of SQLite is the file. */
export function wayTo(url: string, given = process.env[wayVariable]): Way {
  const [pooling, port] = given?.split(':') ?? [];
  if (port === undefined || url.startsWith('sqlite:')) return { url };
  return { url: at(url, Number(port)), pooling: pooling as Pooling };
}

/** The same for a process: its settings. */
export function settingsOf({ url, pooling }: Way): Record<string, string> {
  return { DATABASE_URL: url, ...(pooling && { DATABASE_POOLING: pooling }) };
}

function at(url: string, port: number): string {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.href;
}
