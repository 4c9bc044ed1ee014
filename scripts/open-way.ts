/** PgBouncer between the tests and their PostgreSQL, where a drill asks for it. */

import { findPgBouncer } from '../test/support/pgbouncer.ts';
import { wayVariable } from '../test/support/way.ts';

interface OpenWay {
  /** For the processes of tests. */
  readonly variables: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** In transaction mode two stores on a database have more connections than they can get of its server. */
const settings = {
  session: ['default_pool_size = 190'],
  transaction: ['default_pool_size = 16'],
} as const;

/**
 * Starts it before the server at `url` where the variable says `session` or `transaction`; null without the variable.
 * Each file of tests has databases of its own, whose connections are of no use when they are gone.
 */
export async function openWay(url: string): Promise<OpenWay | null> {
  const mode = process.env[wayVariable];
  if (mode === undefined) return null;
  if (mode !== 'session' && mode !== 'transaction') throw new Error(`${wayVariable} must be session or transaction`);
  const program = findPgBouncer();
  const pooler = await program.start(url, mode, [...settings[mode], 'server_idle_timeout = 1']);
  return {
    variables: { [wayVariable]: `${mode}:${pooler.port}` },
    close: async () => {
      await pooler.stop();
      program.remove();
    },
  };
}
