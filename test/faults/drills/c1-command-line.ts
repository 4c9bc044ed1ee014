import { setTimeout as delay } from 'node:timers/promises';
import { cacheLookups } from '../../../src/store/cached.ts';
import { openStore } from '../../../src/store/knex/index.ts';
import { assertFewSentAgain } from '../../support/sent-again.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { dropWritingTriggers } from '../../support/triggers.ts';
import { type Change, type Node, type Printed, type Probe, planChanges, type Session } from '../changes.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { isBrokenConnection, type Nodes, openNodes } from '../nodes.ts';

const callers = 32;
/** So many calls of each server are answered before the command starts: what it changes is in memory by then. */
const callsBefore = 64;

/** C1: what a command changed is in force at its exit, in every server that runs meanwhile. */
export const drill: Drill = {
  id: 'C1',
  title: 'changes by the command line are in force when it exits',
  rounds: 1000,
  quickRounds: null,
  run: async (options) => {
    const usual = await onEachDatabase((database) => runOn(database, options));
    const { figures, holds } = await runOn('postgres', options, dropWritingTriggers);
    const without = Object.entries(figures).map(([title, figure]) => [`postgres without triggers: ${title}`, figure]);
    return { figures: { ...usual.figures, ...Object.fromEntries(without) }, holds: usual.holds && holds };
  },
};

interface Call {
  readonly node: number;
  readonly probe: Probe;
  readonly seen: string;
  readonly calledAt: number;
  readonly answeredAt: number;
}

/** `prepare` gets the database once servers are running on it. */
async function runOn(
  database: DatabaseKind,
  { rounds, log }: DrillOptions,
  prepare: (url: string) => Promise<unknown> = async () => {},
): Promise<DrillResult> {
  const nodes = await openNodes(database, ['limit.register=off', 'limit.client-auth=off']);
  await prepare(nodes.installation.databaseUrl);
  const stores = await Promise.all(nodes.wires.map(() => openStore({ url: nodes.installation.databaseUrl })));
  try {
    const asked = nodes.wires.map((wire, index) => ({ wire, store: cacheLookups(stores[index] as Node['store']) }));
    const sessions = (await nodes.startSessions(callers)).map((tokens) => ({ tokens, firstIdToken: tokens.id_token }));
    const figures: Record<string, number | string> = {};
    let holds = true;
    for (const change of await planChanges(nodes)) {
      const { calls, exitAt, printed } = await makeChange(nodes, asked, sessions, change, rounds);
      const judged = judge(change, asked.length, calls, exitAt, printed, rounds);
      for (const line of new Set(judged.faults)) log(`${database}, ${change.title}: ${line}`);
      figures[change.title] = judged.figure;
      holds &&= judged.faults.length === 0;
    }
    return { figures, holds };
  } finally {
    for (const store of stores) await store.close();
    await nodes.dispose();
  }
}

interface Made {
  readonly calls: readonly Call[];
  /** When the command had ended. */
  readonly exitAt: number;
  readonly printed: Printed;
}

/** Runs the command under load, until each server has answered a number of calls after its end. */
async function makeChange(
  { installation }: Nodes,
  asked: readonly Node[],
  sessions: readonly Session[],
  { command, probes }: Change,
  rounds: number,
): Promise<Made> {
  const calls: Call[] = [];
  const broken: string[] = [];
  const answered = asked.map(() => ({ before: 0, after: 0 }));
  const warm = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let exitAt = Number.POSITIVE_INFINITY;
  const running = sessions.map(async (session, index) => {
    const node = index % asked.length;
    const counts = answered[node] ?? { before: 0, after: 0 };
    for (let turn = Math.floor(index / asked.length); counts.after < rounds; turn += 1) {
      const probe = probes[turn % probes.length] as Probe;
      const calledAt = performance.now();
      const ask = () => probe.ask(asked[node] as Node, session);
      // A connection that was idle while a command ran may be closed just as it is used again.
      const seen = await ask().catch((error: unknown) => {
        if (!isBrokenConnection(error)) throw error;
        broken.push(`server ${node + 1}: ${error}`);
        return ask();
      });
      calls.push({ node, probe, seen, calledAt, answeredAt: performance.now() });
      counts[calledAt > exitAt ? 'after' : 'before'] += 1;
      if (answered.some(({ before }) => before < callsBefore)) continue;
      warm.resolve();
      // Some calls continue while the command runs, and leave it the processor; at its end all of them start at once.
      await Promise.race([ended.promise, delay(500)]);
    }
  });
  const all = Promise.all(running);
  // Told below, where it is awaited.
  all.catch(() => {});
  await Promise.race([warm.promise, all]);
  // The callers continue whatever happens to the command; without its end they would never stop.
  const printed = await installation.cli(...command).finally(() => {
    exitAt = performance.now();
    ended.resolve();
  });
  await all;
  assertFewSentAgain(broken, calls.length, sessions.length);
  return { calls, exitAt, printed };
}

function judge(
  { probes }: Change,
  nodeCount: number,
  calls: readonly Call[],
  exitAt: number,
  printed: Printed,
  rounds: number,
): { readonly figure: string; readonly faults: readonly string[] } {
  const currentOf = ({ current }: Probe) => (typeof current === 'string' ? current : current(printed));
  const after = calls.filter(({ calledAt }) => calledAt > exitAt);
  const old = after.filter(({ probe, seen }) => seen !== currentOf(probe));
  const faults: string[] = [];
  for (const { probe, seen, calledAt } of calls) {
    // What is seen while the command runs may be half of it, as when keys of two kinds are replaced one after the
    // other.
    if (calledAt > exitAt && seen !== currentOf(probe)) faults.push(`${seen} instead of ${currentOf(probe)}`);
    else if (/^5\d\d /.test(seen)) faults.push(`${seen} while the command ran`);
  }
  const firsts: number[] = [];
  for (let node = 0; node < nodeCount; node += 1) {
    const own = after.filter((call) => call.node === node);
    for (const probe of probes) {
      const known = calls.some((call) => call.node === node && call.probe === probe && call.seen === probe.former);
      if (!known) faults.push(`server ${node + 1} never gave the answer of before: ${probe.former}`);
    }
    if (own.length < rounds) faults.push(`server ${node + 1} was asked ${own.length} times only`);
    const first = own.filter(({ probe, seen }) => seen === currentOf(probe)).map(({ answeredAt }) => answeredAt);
    firsts.push(Math.min(...first) - exitAt);
  }
  const milliseconds = firsts.map((first) => first.toFixed(1)).join(' and ');
  const figure = `${old.length} old answers of ${after.length} calls, the first new one after ${milliseconds} ms`;
  return { figure, faults };
}
