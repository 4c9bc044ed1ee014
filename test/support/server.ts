/** `gatehouse serve` as a separate process. */

import { once } from 'node:events';
import type { CliFolder } from './cli.ts';
import { freePort } from './process.ts';

export interface RunningServer {
  readonly port: number;
  /** What it printed so far. */
  stdout(): string;
  /** Sends SIGTERM and waits for the end; answers the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a server on a free port of loopback; settles when it is ready. */
export async function startServer(
  cli: CliFolder,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const port = Number(env['PORT'] ?? (await freePort()));
  const child = cli.start(args, { PORT: String(port), DRAIN_SECONDS: '0', ...env });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const closed = once(child, 'close');
  const ready = async () => {
    while (child.exitCode === null) {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
      if (response?.status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the server ended with exit code ${child.exitCode}: ${stderr}`);
  };
  await ready();
  return {
    port,
    stdout: () => stdout,
    stop: async () => {
      child.kill('SIGTERM');
      await closed;
      return child.exitCode;
    },
  };
}
