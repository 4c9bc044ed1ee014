/** The real command line in a folder of its own. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));

export interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliFolder {
  readonly path: string;
  /** Runs one command to its end. */
  run(args: readonly string[], more?: { input?: string; env?: Readonly<Record<string, string>> }): Promise<Outcome>;
  /** Runs a command with `--json`, which must succeed and say nothing on stderr; answers what it printed, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape it asked for
  json(...args: string[]): Promise<any>;
  /** Starts a command that goes on; the test ends it. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcessWithoutNullStreams;
  remove(): void;
}

/** Nothing of this process's environment reaches the command but where programs are. */
function environment(env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], ...env };
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

/** `base` is the environment of every command; what a call names comes on top. */
export function cliFolder(base: Readonly<Record<string, string>> = {}): CliFolder {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
  const start: CliFolder['start'] = (args, env) =>
    spawn(process.execPath, [script, ...args], { cwd: path, env: environment({ ...base, ...env }) });
  const run: CliFolder['run'] = async (args, { input = '', env = {} } = {}) => {
    const child = start(args, env);
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, 'close')]);
    return { exitCode: child.exitCode, stdout, stderr };
  };
  return {
    path,
    run,
    start,
    json: async (...args) => {
      const { exitCode, stdout, stderr } = await run([...args, '--json']);
      if (exitCode !== 0 || stderr !== '') throw new Error(`${args.join(' ')}: exit code ${exitCode}, ${stderr}`);
      return JSON.parse(stdout);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
