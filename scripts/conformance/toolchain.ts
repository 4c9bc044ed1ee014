/** What a language brings to run its client libraries against the service, and how a folder of it is made ready. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** One program: a real client library that walks the standard door. It exits with 0 when all was as it should be. */
interface Program {
  readonly title: string;
  readonly command: readonly string[];
}

export interface Toolchain {
  /** Also the name of its folder in test/conformance. */
  readonly language: string;
  /** Commands that must be there; without one of them the language is left out. */
  readonly needs: readonly string[];
  /** Answers what is missing besides, in words, or null. */
  missing?(): Promise<string | null>;
  /** Fetches the pinned packages into `folder`, where the sources already are, and builds. */
  prepare(folder: string): Promise<void>;
  programs(folder: string): readonly Program[];
}

export interface Running {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Show what it writes, instead of only when it fails. */
  readonly aloud?: boolean;
}

const mostMilliseconds = 600_000;

/** Runs a command to its end; rejects with what it wrote when it fails. */
export async function run([file = '', ...args]: readonly string[], { cwd, env, aloud }: Running): Promise<void> {
  const child: ChildProcess = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: aloud ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    timeout: mostMilliseconds,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${[file, ...args].join(' ')}: exit status ${code}\n${said}`);
}

/** Whether a program of that name is on the PATH. */
export function isThere(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
