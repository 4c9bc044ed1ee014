import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from '../../support/process.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { descendantsOf, killHard, type SeenProcess, untilGone } from '../hook-processes.ts';
import { type Firing, findRecordFaults, type Setting } from '../hook-records.ts';
import { type Answered, hookManagement, hookOf, openSignIn } from '../hook-sign-ins.ts';
import { isBrokenConnection, type Nodes, openNodes } from '../nodes.ts';

const browsers = 4;
/** Minimum number in each round before the service itself is killed. */
const killsOfChildren = 3;
/** With this setting nobody is refused, however many are killed. */
const mostKills = 40;
const leastAnswers = 6;
const lines = ['begun', 'over'];
const source = `console.log('begun'); await new Promise((resolve) => setTimeout(resolve, 100)); console.log('over');`;

/** A8: processes of functions and the service die while sign-ins fire hooks. */
export const drill: Drill = {
  id: 'A8',
  title:
    'kill -9 of hook processes and of the service during sign-ins: each follows hook_failure, records are complete',
  rounds: 50,
  quickRounds: null,
  run: (options) => onEachDatabase((database) => runOn(database, options)),
};

async function runOn(database: DatabaseKind, { rounds, log }: DrillOptions): Promise<DrillResult> {
  const nodes = await openNodes(database, ['limit.sign-in=off', 'limit.hooks=off', 'limit.api-2=off'], 1);
  try {
    const hooks = await makeHooks(nodes);
    const settings: Setting[] = [];
    const answered: Answered[] = [];
    const figures = { children: 0, cutOff: 0, outlived: 0, slowestEnd: 0 };
    let [service] = nodes.services;
    for (let round = 0; service && round < rounds; round += 1) {
      const hookFailure = round % 2 === 0 ? 'deny' : 'continue';
      await service.cli('account', 'set', nodes.account.subdomain, `hook_failure=${hookFailure}`);
      settings.push({ since: Date.now(), hookFailure });
      const before = answered.length;
      const enough = () => {
        const now = answered.slice(before);
        return now.length >= leastAnswers && (hookFailure === 'continue' || now.some(({ status }) => status === 403));
      };
      const load = Promise.all(Array.from({ length: browsers }, () => signInUntilBroken(nodes, answered)));
      const seen = await killChildren(service, load, enough);
      figures.children += seen.killed;
      await killService(service, seen.processes);
      const { left, milliseconds } = await untilGone([...seen.processes.values()]);
      figures.outlived += left.length;
      figures.slowestEnd = Math.max(figures.slowestEnd, milliseconds);
      figures.cutOff += (await load).length;
      service = await nodes.installation.serve();
      if ((round + 1) % 10 === 0) log(`${database}: ${round + 1} kills of the service survived`);
    }
    const proof = { databaseUrl: nodes.installation.databaseUrl, hooks, settings, answered, lines };
    const { faults, outcomes, refused, continued, unheard } = await findRecordFaults(proof);
    for (const fault of faults.slice(0, 20)) log(`${database}: ${fault}`);
    return {
      figures: {
        'kills of the service': rounds,
        'kills of hook processes': figures.children,
        'sign-ins answered': answered.length,
        'of these refused for a hook that failed': refused,
        'of these continued all the same': continued,
        'cut off by a kill': figures.cutOff,
        'of these recorded before it': unheard,
        'recorded runs': [...outcomes].map(([outcome, count]) => `${outcome} × ${count}`).join(', '),
        'records that contradict answers': faults.length,
        'hook processes that outlived the service': figures.outlived,
        'until the last of them was gone, ms': Math.round(figures.slowestEnd),
      },
      holds: faults.length === 0 && figures.outlived === 0 && refused > 0,
    };
  } finally {
    await nodes.dispose();
  }
}

/** One that is run again when it fails, and one that is not. */
async function makeHooks({ account }: Nodes): Promise<Firing[]> {
  const send = await hookManagement(account);
  const hooks: Firing[] = [];
  for (const retries of [1, 0]) {
    const { id } = await send('POST', '', hookOf(source, { retries }));
    hooks.push({ id, retries });
  }
  return hooks;
}

/** One sign-in after the other; the one that the server's death cut off ends it. */
async function signInUntilBroken({ wires: [wire], client, user }: Nodes, answered: Answered[]): Promise<void> {
  for (;;) {
    try {
      const signIn = await openSignIn(wire, client, user.email);
      answered.push(await signIn());
    } catch (error) {
      if (isBrokenConnection(error)) return;
      throw error;
    }
  }
}

interface Seen {
  readonly killed: number;
  readonly processes: Map<string, SeenProcess>;
}

/** Kills one process after the other, whichever of those that a function is shut in by. */
async function killChildren(service: Service, load: Promise<unknown>, enough: () => boolean): Promise<Seen> {
  const processes = new Map<string, SeenProcess>();
  let killed = 0;
  const ended = load.then(() => {
    throw new Error('the service died before it was killed');
  });
  ended.catch(() => {});
  while (killed < killsOfChildren || (!enough() && killed < mostKills)) {
    await Promise.race([delay(randomInt(50, 900)), ended]);
    const found = note(processes, service);
    const one = found[randomInt(0, Math.max(1, found.length))];
    if (one && killHard(one)) killed += 1;
  }
  return { killed, processes };
}

/** Stopped first, so that nothing starts between the last look and its end. */
async function killService(service: Service, processes: Map<string, SeenProcess>): Promise<void> {
  process.kill(service.pid, 'SIGSTOP');
  note(processes, service);
  await service.kill();
}

function note(processes: Map<string, SeenProcess>, service: Service): SeenProcess[] {
  const found = descendantsOf(service.pid);
  for (const one of found) processes.set(`${one.pid} ${one.startedAt}`, one);
  return found;
}
