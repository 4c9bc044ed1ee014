/** The real command line in its own folder. */

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledEnvironment } from './compiled.ts';
import { recordingEnvironment } from './record-statements.ts';

const ownRoot = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The variable that names the folder in which command lines work: for a run of tests one in memory, where no commit
 * waits for a disk. Drills and benchmarks use the disk.
 */
export const foldersVariable = 'GATEHOUSE_TEST_FOLDERS';

export interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  /** Another checkout. */
  readonly root?: string | undefined;
}

export interface CliFolder {
  readonly path: string;
  /** Runs one command to its end, in its own process. */
  run(args: readonly string[], more?: { input?: string; env?: Readonly<Record<string, string>> }): Promise<Outcome>;
  /** Runs one command after the others in a process for many of them: in a twentieth of the time, without input. */
  ask(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>;
  /**
   * Asks for a command with `--json`, which must succeed and say nothing on stderr; answers what it printed, parsed.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape it asked for
  json(...args: string[]): Promise<any>;
  /** Starts a long-running command, of another checkout where one is named; the test ends it. */
  start(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
    more?: StartOptions,
  ): ChildProcessWithoutNullStreams;
  /** Removes the folder. */
  remove(): void;
}

/** For what meets a database that is away: it waits no longer than an operator's service does. */
export const defaultWait = { DATABASE_WAIT_MILLISECONDS: '900' };

/**
 * Nothing of this process's environment reaches the command but where programs are. Among other tests a connection of
 * the database takes longer than callers want to wait.
 */
function environment(env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const patience = process.env[foldersVariable] === undefined ? {} : { DATABASE_WAIT_MILLISECONDS: '30000' };
  return { PATH: process.env['PATH'], ...patience, ...recordingEnvironment(env), ...env };
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

/** Processes of `ask` that no command runs in, by what they were started with. */
const idle = new Map<string, ChildProcess[]>();

/**
 * A process that runs commands, one at a time: one that is idle, or a new one. It keeps this one up only while one
 * runs.
 */
function openResident(base: Readonly<Record<string, string>>) {
  const recording = recordingEnvironment(base);
  const key = JSON.stringify(recording);
  const resting = idle.get(key) ?? [];
  idle.set(key, resting);
  const open = () => {
    const opened = spawn(process.execPath, [join(ownRoot, 'test/support/command-process.ts')], {
      // Opened by itself, it would load what strips the types of what opens it.
      env: { PATH: process.env['PATH'], ...recording, ...compiledEnvironment },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    opened.once('exit', () => {
      const at = resting.indexOf(opened);
      if (at >= 0) resting.splice(at, 1);
    });
    opened.unref();
    return opened;
  };
  return (command: Command) =>
    new Promise<Outcome>((resolve, reject) => {
      const child = resting.pop() ?? open();
      const end = (code: number | null) => reject(new Error(`the process of commands ended with ${code}`));
      child.once('exit', end);
      child.once('message', (outcome: Outcome) => {
        child.off('exit', end);
        child.channel?.unref();
        resting.push(child);
        resolve(outcome);
      });
      child.channel?.ref();
      child.send(command);
    });
}

interface Command {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * `base` is the environment of every command; what a call names comes on top. `root` is the checkout whose command line
 * it is.
 */
export function cliFolder(base: Readonly<Record<string, string>> = {}, root = ownRoot): CliFolder {
  const path = mkdtempSync(join(process.env[foldersVariable] ?? tmpdir(), 'gatehouse-cli-'));
  const start: CliFolder['start'] = (args, env, { root: from = root } = {}) => {
    const options = { cwd: path, env: environment({ ...base, ...env }) };
    return spawn(process.execPath, [join(from, 'bin/gatehouse.js'), ...args], options);
  };
  const run: CliFolder['run'] = async (args, { input = '', env = {} } = {}) => {
    const child = start(args, env);
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, 'close')]);
    return { exitCode: child.exitCode, stdout, stderr };
  };
  const resident = root === ownRoot ? openResident(base) : null;
  let last: Promise<unknown> = Promise.resolve();
  const ask: CliFolder['ask'] = (args, more = {}) => {
    const command = { cwd: path, args, env: environment({ ...base, ...more }) };
    // The processes for many commands of another release answer in their own way.
    const asked = last.then(() => (resident ? resident(command) : run(args, { env: more })));
    last = asked.catch(() => undefined);
    return asked;
  };
  return {
    path,
    run,
    start,
    ask,
    json: async (...args) => {
      const { exitCode, stdout, stderr } = await ask([...args, '--json']);
      if (exitCode !== 0 || stderr !== '') throw new Error(`${args.join(' ')}: exit code ${exitCode}, ${stderr}`);
      return JSON.parse(stdout);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
