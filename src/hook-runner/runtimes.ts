/** The runtimes on offer: identifiers, each with the processes of its own Node. */

import type { HookLayer, HookRunner, HookRuntime } from '../domain/hooks/runner.ts';
import { confine } from './confinement.ts';
import { createPool, type Pool, type PoolOptions } from './pool.ts';

interface Runtimes {
  /**
   * The processes for functions of this identifier (default: the first), for users or for strangers; null when it is
   * not offered.
   */
  poolOf(name: string | undefined, isForStranger: boolean): Pool | null;
  readonly pools: readonly Pool[];
  readonly health: HookRunner['health'];
  /** Settles when it is known how processes of each are started. */
  readonly probed: Promise<void>;
}

type NodeOptions = Omit<PoolOptions, 'command' | 'keepsSpare'>;

/** One in this many processes is for strangers; they never use the others. */
const partForStrangers = 4;

interface Opened {
  readonly users: Pool;
  /** Separate places, queues and processes: runs for strangers delay nobody else. */
  readonly strangers: Pool;
  readonly probed: Promise<void>;
  layers(): readonly HookLayer[];
}

function open(node: string | null, options: NodeOptions): Opened {
  const confinement = confine(node);
  let layers: readonly HookLayer[] = [];
  const command = confinement.then((found) => found.command);
  const mostForStrangers = Math.max(1, Math.floor(options.mostProcesses / partForStrangers));
  const mostForUsers = Math.max(1, options.mostProcesses - mostForStrangers);
  const users = createPool({ ...options, command, mostProcesses: mostForUsers, keepsSpare: true });
  const strangers = createPool({ ...options, command, mostProcesses: mostForStrangers, keepsSpare: false });
  const probed = confinement.then(
    (found) => {
      layers = found.layers;
    },
    () => {},
  );
  return { users, strangers, probed, layers: () => layers };
}

/**
 * Opens the Node of each runtime; two identifiers may share one. `mostProcesses` is the total: each gets an equal part,
 * because an account can have a process of each.
 */
export function openRuntimes(runtimes: readonly HookRuntime[], options: NodeOptions): Runtimes {
  const nodes = [...new Set(runtimes.map(({ node }) => node))];
  const part = { ...options, mostProcesses: Math.max(1, Math.floor(options.mostProcesses / nodes.length)) };
  const opened = new Map(nodes.map((node) => [node, open(node, part)]));
  const all = [...opened.values()];

  function health(): ReturnType<HookRunner['health']> {
    const each = runtimes.map(({ name, node }) => {
      const pools = opened.get(node);
      const reason = pools?.users.trouble() ?? pools?.strangers.trouble() ?? null;
      return { name, state: reason === null ? ('ok' as const) : ('degraded' as const), reason };
    });
    const reason = each.find((one) => one.reason !== null)?.reason ?? null;
    const layers = weakest(all.map((one) => one.layers()));
    return { state: reason === null ? 'ok' : 'degraded', reason, layers, runtimes: each };
  }

  return {
    poolOf(name, isForStranger) {
      const runtime = name === undefined ? runtimes[0] : runtimes.find((one) => one.name === name);
      return (runtime && opened.get(runtime.node)?.[isForStranger ? 'strangers' : 'users']) ?? null;
    },
    pools: all.flatMap(({ users, strangers }) => [users, strangers]),
    health,
    probed: Promise.all(all.map(({ probed }) => probed)).then(() => {}),
  };
}

/** A layer that one of the Nodes lacks counts as off. */
function weakest([first = [], ...others]: readonly (readonly HookLayer[])[]): readonly HookLayer[] {
  return first.map((layer) => others.flat().find(({ name, state }) => name === layer.name && state === 'off') ?? layer);
}
