/** What the system offers to shut a hook process in, tried once with the real process, best first. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { HookLayer } from '../domain/hooks/runner.ts';
import { type HookCommand, hookCommand, wrappedCommand } from './command.ts';
import { startHookProcess } from './hook-process.ts';
import { groups, innerPrivileges, type LayerName, remedies, type Way } from './layers.ts';

const probeMilliseconds = 10_000;
export interface Confinement {
  /** The words that stand before a program to shut it in. */
  readonly wrap: readonly string[];
  readonly command: HookCommand;
  readonly layers: readonly HookLayer[];
}

/**
 * Rejects when a hook process does not even start by itself. `runtime` is the Node that it runs; null for the one that
 * runs this.
 */
export async function confine(runtime: string | null = null): Promise<Confinement> {
  const offered = process.platform === 'linux' ? groups(process.geteuid?.() === 0, runtime) : [];
  const best = offered.flatMap(([first]) => first ?? []);
  // Where all of it is to be had, one process tells.
  const command = hookCommand(wordsOf(best), runtime);
  if ((await tryProcess(command)) === null) return { wrap: wordsOf(best), command, layers: describe(best) };
  const taken = await takeWhatWorks(offered);
  const startable = await findStartable(taken, runtime);
  return { wrap: wordsOf(taken), command: startable, layers: describe(taken) };
}

async function takeWhatWorks(offered: readonly (readonly Way[])[]): Promise<Way[]> {
  const taken: Way[] = [];
  for (const ways of offered) {
    for (const way of ways) {
      if (!(await works([...taken, way]))) continue;
      taken.push(way);
      break;
    }
  }
  return taken;
}

function wordsOf(ways: readonly Way[]): string[] {
  return ways.flatMap(({ words }) => words);
}

/** Tried around a program that does nothing. */
function works(ways: readonly Way[]): Promise<boolean> {
  const { file, args, variables } = wrappedCommand([...wordsOf(ways), 'true']);
  return new Promise((resolve) => {
    const child = spawn(file, args, { env: variables, stdio: 'ignore', timeout: probeMilliseconds, cwd: '/' });
    child.on('error', () => resolve(false)).on('exit', (code) => resolve(code === 0));
  });
}

/** Without the innermost ways, one after the other, until a hook process says that it is ready. */
async function findStartable(ways: Way[], runtime: string | null): Promise<HookCommand> {
  for (;;) {
    const command = hookCommand(wordsOf(ways), runtime);
    const trouble = await tryProcess(command);
    if (trouble === null) return command;
    if (ways.length === 0) throw new Error(`a hook process does not start: ${trouble}`);
    // Most often the other user may not read the program.
    const user = ways.findIndex(({ layers }) => layers.includes('other user'));
    if (user === -1) ways.pop();
    else ways.splice(user, 1, innerPrivileges);
  }
}

function tryProcess(command: HookCommand): Promise<string | null> {
  return new Promise((resolve) => {
    const finish = (trouble: string | null) => {
      clearTimeout(timer);
      hookProcess.kill();
      resolve(trouble);
    };
    const timer = setTimeout(() => finish('it says nothing'), probeMilliseconds);
    const hookProcess = startHookProcess(command, {
      message: ({ op }) => finish(op === 'ready' ? null : 'it says something else'),
      failed: (reason) => finish(hookProcess.lastWords().trim().split('\n')[0] || reason),
    });
  });
}

function describe(taken: readonly Way[]): HookLayer[] {
  const on = new Set(taken.flatMap(({ layers }) => layers));
  const always = ['own process for each account', 'no JIT compiler', 'Node permission model'];
  const names = Object.keys(remedies) as LayerName[];
  return [
    ...always.map((name) => ({ name, state: 'ok' as const, remedy: null })),
    ...names.map((name): HookLayer => {
      return on.has(name) ? { name, state: 'ok', remedy: null } : { name, state: 'off', remedy: remedies[name] };
    }),
    describeFilter(),
  ];
}

/** A filter of system calls is handed down by whatever started the service. */
function describeFilter(): HookLayer {
  const name = 'system call filter';
  const remedy = 'run the service in a container with its default seccomp profile';
  try {
    const isOn = /^Seccomp:\s*2$/m.test(readFileSync('/proc/self/status', 'utf8'));
    return isOn ? { name, state: 'ok', remedy: null } : { name, state: 'off', remedy };
  } catch {
    return { name, state: 'off', remedy };
  }
}
