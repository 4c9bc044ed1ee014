/** The port by which the domain runs functions, over processes that the service starts and ends. */

import { totalmem } from 'node:os';
import type { HookRun, HookRunner, HookRunResult } from '../domain/hooks/runner.ts';
import { type Answer, emptyAnswer, refuseContext } from './answer.ts';
import { confine } from './confinement.ts';
import type { Outcome } from './member.ts';
import { createPool, type Pool } from './pool.ts';
import type { GuestFetch, GuestInput } from './protocol.ts';
import { findSyntaxError } from './syntax.ts';

/** What a process takes when it has run functions, and the part of the machine that all of them may take. */
const processBytes = 96 * 1024 * 1024;
const partOfMemory = 4;
const fewestProcesses = 4;
const highestMostProcesses = 64;
/** The part of them for runs for strangers; the others are never theirs. */
const partForStrangers = 4;

export interface HookRunnerOptions {
  readonly fetch: GuestFetch;
  /** How many processes at a time; by the machine's memory unless said. */
  readonly mostProcesses?: number;
  /** Unused processes are let go after so long; 5 minutes unless said. */
  readonly idleMilliseconds?: number;
  /** A run waits so long for room; 2 seconds unless said. */
  readonly waitMilliseconds?: number;
}

/** With what tests and drills look at. */
export interface HookProcessRunner extends HookRunner {
  processes: Pool['processes'];
  /** Settles when it is known how processes are started. */
  readonly probed: Promise<void>;
}

function processesOfMachine(): number {
  const fitting = Math.floor(totalmem() / partOfMemory / processBytes);
  return Math.min(highestMostProcesses, Math.max(fewestProcesses, fitting));
}

export function createHookRunner(options: HookRunnerOptions): HookProcessRunner {
  const confinement = confine();
  let layers: Awaited<typeof confinement>['layers'] = [];
  const mostProcesses = options.mostProcesses ?? processesOfMachine();
  const mostForStrangers = Math.max(1, Math.floor(mostProcesses / partForStrangers));
  const poolOptions = {
    command: confinement.then(({ command }) => command),
    fetch: options.fetch,
    idleMilliseconds: options.idleMilliseconds ?? 5 * 60_000,
    waitMilliseconds: options.waitMilliseconds ?? 2000,
  };
  const own = Math.max(1, mostProcesses - mostForStrangers);
  const pool = createPool({ ...poolOptions, mostProcesses: own, keepsSpare: true });
  // Places, queues and processes of its own: whatever strangers set off, nobody else waits for it.
  const strangers = createPool({ ...poolOptions, mostProcesses: mostForStrangers, keepsSpare: false });
  const probed = confinement.then(
    (found) => {
      layers = found.layers;
    },
    () => {},
  );

  async function run(call: HookRun): Promise<HookRunResult> {
    const refusal = refuseContext(call.context);
    if (refusal) return result({ ending: 'error', answer: refusal, durationMilliseconds: 0 });
    const { source, packages, context, variables, timeoutMilliseconds } = call;
    const input = JSON.stringify({ context, variables } satisfies GuestInput);
    const outcome = await (call.isForStranger ? strangers : pool).use(processKey(call), (member) =>
      member.run({ source, packages }, input, timeoutMilliseconds),
    );
    return result(outcome ?? { ending: 'unavailable', answer: emptyAnswer, durationMilliseconds: 0 });
  }

  return {
    run,
    checkSyntax: findSyntaxError,
    async warm({ accountId, source, packages }) {
      await pool.use(accountId, (member) => member.load({ source, packages }));
    },
    recycle(accountId) {
      for (const isDraft of [false, true]) pool.recycle(processKey({ accountId, isDraft }));
      strangers.recycle(accountId);
    },
    health() {
      const reason = pool.trouble() ?? strangers.trouble();
      return { state: reason === null ? 'ok' : 'degraded', reason, layers };
    },
    close: async () => void (await Promise.all([pool.close(), strangers.close()])),
    processes: () => [...pool.processes(), ...strangers.processes()],
    probed,
  };
}

/** What a process is found by: numbers below zero are those of drafts. */
function processKey({ accountId, isDraft = false }: Pick<HookRun, 'accountId' | 'isDraft'>): number {
  return isDraft ? -accountId : accountId;
}

/** A value counts only where the function ended well; its output always. */
function result({ ending: ended, answer, durationMilliseconds }: Outcome): HookRunResult {
  const { error, output, dropped } = answer satisfies Answer;
  const isWell = ended === 'success' && error === null;
  const ending = ended === 'success' && !isWell ? 'error' : ended;
  return { ending, value: isWell ? (answer.value ?? 'null') : 'null', error, output, dropped, durationMilliseconds };
}
