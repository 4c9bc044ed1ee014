/** The port through which the domain runs functions, in processes that the service starts and ends. */

import { totalmem } from 'node:os';
import { minute, second } from '../domain/durations.ts';
import type { HookLoading, HookRun, HookRunner, HookRunResult, HookRuntime } from '../domain/hooks/runner.ts';
import { type Answer, emptyAnswer, refuseContext } from './answer.ts';
import type { Outcome } from './member.ts';
import type { Pool } from './pool.ts';
import type { GuestFetch, GuestInput, GuestLoading } from './protocol.ts';
import { openRuntimes } from './runtimes.ts';
import { createSyntaxChecks } from './syntax.ts';

/** Memory of a process that has run functions, and the share of the machine that all of them may use. */
const processBytes = 96 * 1024 * 1024;
const partOfMemory = 4;
const fewestProcesses = 4;
/** Where several processes of the service have some each. */
const fewestOfMany = 2;
const highestMostProcesses = 64;
/** How long loading waits for a process: whoever saves a function waits for its verdict, not for a sign-in. */
const loadingWaitMilliseconds = 15 * second;

const builtIn: readonly HookRuntime[] = [{ name: 'jsruntime12.x', node: null }];

export interface HookRunnerOptions {
  readonly fetch: GuestFetch;
  /** The first is the default; default: only the Node that runs this. */
  readonly runtimes?: readonly HookRuntime[];
  /** Maximum number of processes; default: by the machine's memory. */
  readonly mostProcesses?: number;
  /** By how many processes of the service that memory is shared; default: 1. */
  readonly sharedBy?: number;
  /** Unused processes are ended after this time; default: 5 minutes. */
  readonly idleMilliseconds?: number;
  /** How long a run waits for room; default: 2 seconds. */
  readonly waitMilliseconds?: number;
}

/** Additional members for tests and drills. */
export interface HookProcessRunner extends HookRunner {
  processes: Pool['processes'];
  /** Settles when it is known how processes are started. */
  readonly probed: Promise<void>;
}

function processesOfMachine(sharedBy: number): number {
  const fitting = Math.floor(totalmem() / partOfMemory / processBytes / sharedBy);
  return Math.min(highestMostProcesses, Math.max(sharedBy === 1 ? fewestProcesses : fewestOfMany, fitting));
}

export function createHookRunner(options: HookRunnerOptions): HookProcessRunner {
  const runtimes = openRuntimes(options.runtimes ?? builtIn, {
    fetch: options.fetch,
    mostProcesses: options.mostProcesses ?? processesOfMachine(options.sharedBy ?? 1),
    idleMilliseconds: options.idleMilliseconds ?? 5 * minute,
    waitMilliseconds: options.waitMilliseconds ?? 2000,
  });

  const syntax = createSyntaxChecks();

  async function run(call: HookRun): Promise<HookRunResult> {
    const refusal = refuseContext(call.context);
    if (refusal) return result({ ending: 'error', answer: refusal, durationMilliseconds: 0 });
    return runWith(call, call.context);
  }

  async function runWith(
    call: Omit<HookRun, 'context'>,
    context: string | null,
    loading?: { readonly fetch: GuestFetch; readonly waitMilliseconds: number },
  ): Promise<HookRunResult> {
    const { source, packages, variables, timeoutMilliseconds, isForStranger = false } = call;
    const pool = runtimes.poolOf(call.runtime, isForStranger);
    if (!pool) return result(notOffered(call.runtime));
    const input = JSON.stringify({ context, variables } satisfies GuestInput);
    const outcome = await pool.use(
      processKey(call),
      (member) => member.run({ source, packages }, input, timeoutMilliseconds, loading?.fetch),
      loading?.waitMilliseconds,
    );
    return result(outcome ?? { ending: 'unavailable', answer: emptyAnswer, durationMilliseconds: 0 });
  }

  return {
    run,
    load: async (call) => {
      const loading = { fetch: noFetch, waitMilliseconds: loadingWaitMilliseconds };
      return loadingOf(await runWith({ ...call, isDraft: true }, null, loading));
    },
    checkSyntax: syntax.check,
    async warm({ accountId, runtime, source, packages }) {
      await runtimes.poolOf(runtime, false)?.use(accountId, (member) => member.load({ source, packages }));
    },
    recycle(accountId) {
      for (const pool of runtimes.pools) pool.recycle(processKey({ accountId }));
    },
    health: runtimes.health,
    close: async () => void (await Promise.all([syntax.close(), ...runtimes.pools.map((pool) => pool.close())])),
    processes: () => runtimes.pools.flatMap((pool) => pool.processes()),
    probed: runtimes.probed,
  };
}

/** No other runtime replaces it: the function may behave differently there. */
function notOffered(runtime: string | undefined): Outcome {
  const text = `the runtime ${runtime} is not offered here: HOOK_RUNTIMES names those that are`;
  const answer: Answer = { ...emptyAnswer, output: [{ at: Date.now(), level: 'ERROR', text }] };
  return { ending: 'unavailable', answer, durationMilliseconds: 0 };
}

/** For what is loaded, and not run. */
const noFetch: GuestFetch = async () => ({ refused: 'forbidden' });

/** What a process says of a module may be forged, as an answer may. */
function loadingOf({ ending, value, error }: HookRunResult): HookLoading {
  if (ending !== 'success') return { says: 'failed', ending, error };
  const { hasHandler, exported } = (JSON.parse(value) ?? {}) as Partial<GuestLoading>;
  if (hasHandler === true) return { says: 'handler' };
  const names = Array.isArray(exported) ? exported.filter((name) => typeof name === 'string') : null;
  return { says: 'no_handler', exported: names };
}

/** The key of a process: negative numbers are those of drafts. */
function processKey({ accountId, isDraft = false }: Pick<HookRun, 'accountId' | 'isDraft'>): number {
  return isDraft ? -accountId : accountId;
}

/** A value counts only if the function ended well; its output always counts. */
function result({ ending: ended, answer, durationMilliseconds }: Outcome): HookRunResult {
  const { error, output, dropped } = answer satisfies Answer;
  const isWell = ended === 'success' && error === null;
  const ending = ended === 'success' && !isWell ? 'error' : ended;
  return { ending, value: isWell ? (answer.value ?? 'null') : 'null', error, output, dropped, durationMilliseconds };
}
