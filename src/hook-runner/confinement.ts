/** What the system offers to shut a process in, tried once with the real program, best first. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { HookLayer } from '../domain/hooks/runner.ts';
import { type HookCommand, hookCommand, needsOfHooks, wrappedCommand } from './command.ts';
import { startHookProcess } from './hook-process.ts';
import { reasonIn } from './last-words.ts';
import { groups, innerPrivileges, type LayerName, type Needs, remedies, type Way } from './layers.ts';

const probeMilliseconds = 10_000;
interface Confinement {
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
  const attempt = (words: readonly string[]) => tryHookProcess(hookCommand(words, runtime));
  const { wrap, taken } = await findWays(needsOfHooks(runtime), attempt);
  const always = ['own process for each account', 'no JIT compiler', 'Node permission model'];
  return { wrap, command: hookCommand(wrap, runtime), layers: describe(always, taken) };
}

export interface FoundWays {
  readonly wrap: readonly string[];
  readonly taken: readonly LayerName[];
  /** The words of the same ways for a program of other needs. */
  wrapFor(needs: Needs): readonly string[];
}

/**
 * The words by which a program is shut in as well as can be. `attempt` starts it behind the words that it is given and
 * answers why it does not run, null when it does. Rejects when it does not even run by itself.
 */
export async function findWays(
  needs: Needs,
  attempt: (wrap: readonly string[]) => Promise<string | null>,
): Promise<FoundWays> {
  const offered = waysFor(needs);
  const best = offered.flatMap(([first]) => first ?? []);
  // Where all of it is to be had, one process tells.
  const ways =
    (await attempt(wordsOf(best))) === null ? best : await findRunning(await takeWhatWorks(offered), attempt);
  return {
    wrap: wordsOf(ways),
    taken: ways.flatMap(({ layers }) => layers),
    wrapFor(other) {
      const same = waysFor(other).flatMap((group, at) =>
        group.filter((_, way) => ways.includes(offered[at]?.[way] as Way)),
      );
      return wordsOf(same);
    },
  };
}

function waysFor(needs: Needs): readonly (readonly Way[])[] {
  return process.platform === 'linux' ? groups(process.geteuid?.() === 0, needs) : [];
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

/** Without the innermost ways, one after the other, until the program runs. */
async function findRunning(ways: Way[], attempt: (wrap: readonly string[]) => Promise<string | null>): Promise<Way[]> {
  for (;;) {
    const trouble = await attempt(wordsOf(ways));
    if (trouble === null) return ways;
    if (ways.length === 0) throw new Error(`a process does not start: ${trouble}`);
    // Most often the other user may not read the program.
    const user = ways.findIndex(({ layers }) => layers.includes('other user'));
    if (user === -1) ways.pop();
    else ways.splice(user, 1, innerPrivileges);
  }
}

/** Null when the process says that it is ready, else its trouble. */
function tryHookProcess(command: HookCommand): Promise<string | null> {
  return new Promise((resolve) => {
    const finish = (trouble: string | null) => {
      clearTimeout(timer);
      hookProcess.kill();
      resolve(trouble);
    };
    const timer = setTimeout(() => finish('it says nothing'), probeMilliseconds);
    const hookProcess = startHookProcess(command, {
      message: ({ op }) => finish(op === 'ready' ? null : 'it says something else'),
      failed: (reason) => finish(reasonIn(hookProcess.lastWords()) || reason),
    });
  });
}

/** `always` is on wherever the program runs. */
export function describe(always: readonly string[], taken: readonly LayerName[]): HookLayer[] {
  const on = new Set(taken);
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
