/** What the system offers to shut a hook process in, tried once with the real process, best first. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { HookLayer } from '../domain/hooks/runner.ts';
import { type HookCommand, hookCommand } from './command.ts';
import { startHookProcess } from './hook-process.ts';

const probeMilliseconds = 10_000;
/** A user that owns nothing. */
const nobody = '65534';

/** One way to shut in, as words before a program; the first of a group that works is taken. */
interface Way {
  readonly layers: readonly LayerName[];
  readonly words: readonly string[];
}

type LayerName =
  | 'ends with the service'
  | 'no network'
  | 'own process space'
  | 'own file mounts'
  | 'other user'
  | 'no new privileges'
  | 'resource limits';

const remedies: Readonly<Record<LayerName, string>> = {
  'ends with the service': 'install util-linux (setpriv)',
  'no network': 'install util-linux and allow user namespaces to the service, or start it with CAP_SYS_ADMIN',
  'own process space': 'install util-linux and allow user namespaces to the service, or start it with CAP_SYS_ADMIN',
  'own file mounts': 'install util-linux and allow user namespaces to the service, or start it with CAP_SYS_ADMIN',
  'other user': 'start the service as root: functions then run as a user that owns nothing',
  'no new privileges': 'install util-linux (setpriv)',
  'resource limits': 'install util-linux (prlimit)',
};

const spaces = ['--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child=KILL'];
const mounts = ['--mount', '--mount-proc'];
const asUser = ['--user', '--map-current-user'];
const unprivileged = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];

/** From outside to inside: what needs rights comes before what gives them up. */
function groups(isRoot: boolean): readonly (readonly Way[])[] {
  const unshare = ['unshare', ...(isRoot ? [] : asUser), ...spaces];
  const setpriv = ['setpriv', ...unprivileged];
  const limited = ['--data=402653184', '--cpu=60', '--nofile=64', '--fsize=0', '--core=0'];
  return [
    [{ layers: ['ends with the service'], words: ['setpriv', '--pdeathsig', 'KILL'] }],
    [
      { layers: ['no network', 'own process space', 'own file mounts'], words: [...unshare, ...mounts] },
      { layers: ['no network', 'own process space'], words: unshare },
    ],
    [
      ...(isRoot
        ? [
            {
              layers: ['other user', 'no new privileges'] as const,
              words: [...setpriv, '--reuid', nobody, '--regid', nobody, '--clear-groups'],
            },
          ]
        : []),
      { layers: ['no new privileges'], words: setpriv },
      { layers: ['no new privileges'], words: ['setpriv', '--no-new-privs'] },
    ],
    [{ layers: ['resource limits'], words: ['prlimit', ...limited] }],
  ];
}

export interface Confinement {
  readonly command: HookCommand;
  readonly layers: readonly HookLayer[];
}

/** Rejects when a hook process does not even start by itself. */
export async function confine(): Promise<Confinement> {
  const taken: Way[] = [];
  for (const ways of process.platform === 'linux' ? groups(process.geteuid?.() === 0) : []) {
    for (const way of ways) {
      if (!(await works([...taken, way]))) continue;
      taken.push(way);
      break;
    }
  }
  return { command: await startable(taken), layers: describe(taken) };
}

/** Tried around a program that does nothing. */
function works(ways: readonly Way[]): Promise<boolean> {
  const [file = '', ...args] = [...ways.flatMap(({ words }) => words), 'true'];
  const { variables } = hookCommand([]);
  return new Promise((resolve) => {
    const child = spawn(file, args, { env: variables, stdio: 'ignore', timeout: probeMilliseconds, cwd: '/' });
    child.on('error', () => resolve(false)).on('exit', (code) => resolve(code === 0));
  });
}

/** Without the innermost ways, one after the other, until a hook process says that it is ready. */
async function startable(ways: Way[]): Promise<HookCommand> {
  for (;;) {
    const command = hookCommand(ways.flatMap(({ words }) => words));
    const trouble = await tryProcess(command);
    if (trouble === null) return command;
    if (ways.length === 0) throw new Error(`a hook process does not start: ${trouble}`);
    const isUser = ({ layers }: Way) => layers.includes('other user');
    const user = ways.findIndex(isUser);
    // Most often the other user may not read the program.
    if (user === -1) ways.pop();
    else ways.splice(user, 1, { layers: ['no new privileges'], words: ['setpriv', '--no-new-privs'] });
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
