/**
 * Checks the syntax of functions in processes of their own. V8 may take many seconds to read what an administrator sends
 * (regular expressions with sets of Unicode properties), in which nothing interrupts its thread: only the end of a
 * process does. A process is started when it is first needed (40 ms), and ends after 30 s without use.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { second } from '../domain/durations.ts';
import { mostCompileMilliseconds, type SyntaxVerdict } from '../domain/hooks/runner.ts';

const startMilliseconds = 10 * second;
const idleMilliseconds = 30 * second;

export interface SyntaxChecks {
  /** As `HookRunner.checkSyntax`. Each check that is under way has a process. */
  check(source: string): Promise<SyntaxVerdict>;
  processes(): readonly (number | undefined)[];
  close(): Promise<void>;
}

/** What a process says next, or why it says nothing. */
type Heard = { readonly says: unknown } | 'late' | 'gone';

export function createSyntaxChecks(): SyntaxChecks {
  const all = new Set<ChildProcess>();
  const idle = new Map<ChildProcess, NodeJS.Timeout>();
  const killAll = () => {
    for (const child of all) child.kill('SIGKILL');
  };

  async function start(): Promise<ChildProcess | null> {
    const child = launch();
    if (!child) return null;
    if (all.size === 0) process.once('exit', killAll);
    all.add(child);
    child.on('error', () => {}).once('exit', () => forget(child));
    const heard = await hear(child, startMilliseconds);
    if (typeof heard !== 'string') return child;
    end(child);
    return null;
  }

  function forget(child: ChildProcess): void {
    clearTimeout(idle.get(child));
    idle.delete(child);
    all.delete(child);
    if (all.size === 0) process.off('exit', killAll);
  }

  function end(child: ChildProcess): void {
    forget(child);
    child.kill('SIGKILL');
  }

  function takeIdle(): ChildProcess | undefined {
    const [[child, timer] = []] = idle;
    clearTimeout(timer);
    if (child) idle.delete(child);
    return child;
  }

  return {
    async check(source) {
      const child = takeIdle() ?? (await start());
      if (!child) return { says: 'unavailable' };
      const answered = hear(child, mostCompileMilliseconds);
      child.send(source);
      const heard = await answered;
      if (typeof heard === 'string') {
        end(child);
        return { says: heard === 'late' ? 'too_slow' : 'unavailable' };
      }
      idle.set(child, setTimeout(end, idleMilliseconds, child).unref());
      return heard as SyntaxVerdict;
    },
    processes: () => [...all].map(({ pid }) => pid),
    async close() {
      const gone = [...all].filter(({ pid }) => pid !== undefined).map((child) => once(child, 'exit'));
      for (const child of all) {
        child.ref();
        end(child);
      }
      await Promise.all(gone);
    },
  };
}

/** Without the flags and the environment of the service, and not ended by a Ctrl-C that is meant for that. */
function launch(): ChildProcess | null {
  try {
    const child = fork(new URL('syntax-process.js', import.meta.url), {
      execArgv: [],
      env: {},
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: true,
    });
    // It does not keep the service alive; the timer of whoever waits for it does.
    child.unref();
    child.channel?.unref();
    return child;
  } catch {
    // For want of memory, Node throws at once.
    return null;
  }
}

function hear(child: ChildProcess, milliseconds: number): Promise<Heard> {
  return new Promise((resolve) => {
    const settle = (heard: Heard) => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onGone).off('error', onGone);
      resolve(heard);
    };
    const onMessage = (message: unknown) => settle(message as Heard);
    const onGone = () => settle('gone');
    // What came while this process was busy is read first.
    const timer = setTimeout(() => setImmediate(settle, 'late'), milliseconds);
    child.on('message', onMessage).on('exit', onGone).on('error', onGone);
  });
}
