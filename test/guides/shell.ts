/** Terminals of somebody who follows a page: what one block sets, the next one finds. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const mostMilliseconds = 600_000;
const readyMilliseconds = 120_000;

export interface Shell {
  /** Runs commands to their end; answers what they wrote. Rejects with it when one of them fails. */
  run(text: string, input?: string): Promise<string>;
  /** Starts what goes on, in place of what this shell started on that port; answers when the port does. */
  serve(text: string, port: number): Promise<void>;
  /** Ends all that it started, as Ctrl+C does. */
  stop(): Promise<void>;
}

/** A shell in `folder`. What it keeps between blocks (variables, functions, where it is) lies in `notes`. */
export function openShell(folder: string, notes: string, env: NodeJS.ProcessEnv): Shell {
  const state = join(notes, 'state');
  writeFileSync(state, `cd ${JSON.stringify(folder)}\n`);
  const servers = new Map<number, ChildProcess>();
  // Names that the shell itself keeps cannot be set again.
  const save = `{ declare -p | grep -Ev '^declare -[a-zA-Z-]*r|^declare -[a-zA-Z-]* (BASH|DIRSTACK|EPOCH|FUNCNAME|GROUPS|PIPESTATUS|RANDOM|SECONDS|SRANDOM|_)'; declare -f; printf 'cd %q\\n' "$PWD"; } > ${JSON.stringify(state)}`;
  const begin = (script: string, out: 'pipe' | number) =>
    spawn('bash', ['-c', `source ${JSON.stringify(state)}\nset -eo pipefail\n${script}`], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['pipe', out, out],
    });

  async function run(text: string, input = ''): Promise<string> {
    const child = begin(`${text}\nset +e\n${save}`, 'pipe');
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (part: string) => {
        said += part;
      });
    }
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    const timer = setTimeout(() => kill(child, 'SIGKILL'), mostMilliseconds);
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(timer);
    if (code !== 0) throw new Error(`exit status ${code}\n${said}`);
    return said;
  }

  async function stop(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    kill(child, 'SIGINT');
    await Promise.race([ended, delay(15_000).then(() => kill(child, 'SIGKILL'))]);
  }

  async function serve(text: string, port: number): Promise<void> {
    const former = servers.get(port);
    if (former) await stop(former);
    const log = join(notes, `server-${port}.log`);
    const file = openSync(log, 'w');
    const child = begin(text, file);
    closeSync(file);
    servers.set(port, child);
    const end = Date.now() + readyMilliseconds;
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}\n${readFileSync(log, 'utf8')}`);
      if (Date.now() > end) throw new Error(`nothing answers on port ${port}\n${readFileSync(log, 'utf8')}`);
      await delay(100);
    }
  }

  return {
    run,
    serve,
    stop: async () => {
      await Promise.all([...servers.values()].map(stop));
    },
  };
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://localhost:${port}/`, { redirect: 'manual' }).then(
    async (answer) => {
      await answer.body?.cancel();
      return answer.status < 500;
    },
    () => false,
  );
}

/** Signals the whole group: a terminal does, and npm starts processes of its own. */
function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
}
