/** One hook process and the runs in it: at most one account's, from its first run to its end. */

import type { HookEnding } from '../domain/hooks/runner.ts';
import { type Answer, emptyAnswer, readAnswer } from './answer.ts';
import type { HookCommand } from './command.ts';
import { type HookProcess, startHookProcess } from './hook-process.ts';
import { type Code, createLoads } from './loads.ts';
import { type FromProcess, type GuestFetch, limits } from './protocol.ts';
import { answerRequest, readRequest } from './requests.ts';

/** As many as a process has isolates. */
export const runsAtOnce = 4;
/** Beyond the function's own time, which the process keeps when it can. */
const graceMilliseconds = 250;

/** A process is replaced when it has done or taken so much: what leaks in it is bounded. */
const mostRuns = 1000;
const mostMemory = 256 * 1024 * 1024;
const mostProcessorMicroseconds = 30e6;

const endings: readonly string[] = ['answered', 'timeout', 'out_of_memory', 'crashed'];

export interface Outcome {
  readonly ending: HookEnding;
  readonly answer: Answer;
  readonly durationMilliseconds: number;
}

interface Run {
  readonly end: (ending: HookEnding, answer: Answer) => void;
  readonly abort: AbortController;
  readonly fetch: GuestFetch;
  fetches: number;
}

export interface Member {
  readonly process: HookProcess;
  /** Whose functions it runs; null until it has run one. Never changes after. */
  account(): number | null;
  bind(accountId: number): void;
  /** It said that it is ready; false when it ended before. */
  readonly ready: Promise<boolean>;
  isReady(): boolean;
  /** Ended, or to be ended when its runs are over. */
  isRetired(): boolean;
  underWay(): number;
  /** Compiles without running. */
  load(code: Code): Promise<void>;
  /** `fetch`: in place of the one of all runs. */
  run(code: Code, input: string, timeoutMilliseconds: number, fetch?: GuestFetch): Promise<Outcome>;
  /** Takes no more runs, and ends when the last is over. */
  retire(): void;
  kill(): void;
}

interface Options {
  readonly command: HookCommand;
  readonly fetch: GuestFetch;
  /** A run ended, or the process did: there may be room, or none. */
  readonly changed: () => void;
}

export function startMember({ command, fetch, changed }: Options): Member {
  const runs = new Map<number, Run>();
  const ready = Promise.withResolvers<boolean>();
  let accountId: number | null = null;
  let isReady = false;
  let isRetired = false;
  let runCount = 0;
  let underWay = 0;

  function hear(message: FromProcess): void {
    if (message.op === 'ready') {
      isReady = true;
      ready.resolve(true);
    } else if (message.op === 'loaded') {
      loads.settle(message.hook, message.error);
    } else if (message.op === 'fetch') void makeRequest(message).catch(() => end('crashed'));
    else if (message.op === 'ended') hearEnd(message);
    else throw new TypeError('an unknown message');
  }

  function hearEnd(message: Extract<FromProcess, { op: 'ended' }>): void {
    const run = runs.get(message.run);
    const answer = readAnswer(message.answer);
    if (!run || !answer) throw new TypeError('an answer to nothing');
    if (!endings.includes(message.ending)) throw new TypeError('an unknown ending');
    const isWhole = message.ending === 'answered';
    // What went wrong inside may have left something behind.
    const isWorn = message.memory > mostMemory || message.processorTime > mostProcessorMicroseconds;
    if (!isWhole || isWorn || runCount >= mostRuns) isRetired = true;
    run.end(isWhole ? (answer.error ? 'error' : 'success') : message.ending, answer);
  }

  async function makeRequest({
    run: number,
    call,
    request: text,
  }: Extract<FromProcess, { op: 'fetch' }>): Promise<void> {
    const run = runs.get(number);
    if (!run) return;
    // Drafts of an account are known by its number below zero.
    const request = readRequest(Math.abs(accountId ?? 0), text);
    run.fetches += 1;
    // The function's side counts before; this is for one that got past it.
    if (run.fetches > limits.fetches) return end('crashed');
    const fetched = await answerRequest(request, run.fetch, run.abort.signal);
    if (runs.has(number)) process.send({ op: 'fetched', run: number, call, ...fetched });
  }

  /** Ends the process, and with it every run in it: `ending` for the one that is the cause, if that is known. */
  function end(ending: HookEnding, cause?: Run): void {
    isRetired = true;
    process.kill();
    ready.resolve(false);
    loads.end();
    for (const run of runs.values()) run.end(run === cause ? ending : cause ? 'crashed' : ending, emptyAnswer);
    changed();
  }

  const process = startHookProcess(command, {
    message: hear,
    failed: () => end(process.diedOfMemory() ? 'out_of_memory' : 'crashed'),
  });

  const loads = createLoads(process.send, () => end('timeout'));

  function runLoaded(hook: number, input: string, timeout: number, used: GuestFetch): Promise<Outcome> {
    const number = ++runCount;
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const abort = new AbortController();
      const run: Run = {
        abort,
        fetch: used,
        fetches: 0,
        end(ending, answer) {
          if (!runs.delete(number)) return;
          clearTimeout(timer);
          abort.abort();
          resolve({ ending, answer, durationMilliseconds: performance.now() - startedAt });
        },
      };
      const timer = setTimeout(() => end('timeout', run), timeout + graceMilliseconds);
      runs.set(number, run);
      process.send({ op: 'run', run: number, hook, input, timeout });
    });
  }

  function retire(): void {
    isRetired = true;
    if (underWay === 0) process.kill();
  }

  /** Counted from the moment it is called, so that nobody is let in past the last place. */
  async function busy<Result>(work: () => Promise<Result>): Promise<Result> {
    underWay += 1;
    try {
      return await work();
    } finally {
      underWay -= 1;
      if (isRetired) retire();
      changed();
    }
  }

  return {
    process,
    account: () => accountId,
    bind(account) {
      if (accountId !== null && accountId !== account) throw new Error('a hook process changes no hands');
      accountId = account;
    },
    ready: ready.promise,
    isReady: () => isReady,
    isRetired: () => isRetired,
    underWay: () => underWay,
    load: (code) => busy(async () => void (await loads.load(code))),
    run: (code, input, timeout, used = fetch) =>
      busy(async () => {
        const loaded = await loads.load(code);
        if (loaded && 'number' in loaded) return runLoaded(loaded.number, input, timeout, used);
        const error = loaded && { name: 'SyntaxError', message: loaded.error.slice(0, limits.errorCharacters) };
        return { ending: error ? 'error' : 'crashed', answer: { ...emptyAnswer, error }, durationMilliseconds: 0 };
      }),
    retire,
    kill: () => end('crashed'),
  };
}
