/** One isolate: functions are compiled once, and every run gets a new context. */

import { createRequire } from 'node:module';
import type IsolatedVm from 'isolated-vm';
import type { FromProcess, ToProcess } from '../protocol.ts';
import { answerHost } from './host-calls.ts';
import { createOutside, type Outside } from './outside.ts';

/** The bundle of `guest/entry.ts`, filled in by `npm run generate`. */
declare const guestScript: string;

const ivm = createRequire(import.meta.filename)(process.argv[2] as string) as typeof IsolatedVm;

const nodeMajor = Number.parseInt(process.versions.node, 10);
const memoryMegabytes = 32;
/** How long to wait for the output that a run wrote before its timeout. */
const answerMilliseconds = 100;
const prefix = '(function (exports, require, module, __filename, __dirname) {';

type Load = Extract<ToProcess, { op: 'load' }>;
type Run = Extract<ToProcess, { op: 'run' }>;
type Ended = Pick<Extract<FromProcess, { op: 'ended' }>, 'ending' | 'answer'>;

interface Compiled {
  readonly hook: IsolatedVm.Script;
  readonly packages: IsolatedVm.Script | null;
}

interface Prepared {
  readonly context: IsolatedVm.Context;
  readonly enter: IsolatedVm.Reference;
}

export interface Lane {
  isBusy(): boolean;
  prepare(): void;
  /** Null, or the reason why it does not compile. */
  compile(load: Load): string | null;
  run(run: Run, load: Load): Promise<Ended>;
  settle(call: number, answer: string): void;
}

// Without prototypes, so that nothing a function can reach affects what crosses.
const asReference = Object.freeze({ __proto__: null, reference: true as const });
const asPromisedCopy = Object.freeze({ __proto__: null, promise: true, copy: true as const });

export function createLane(send: (message: FromProcess) => void): Lane {
  const isolate = new ivm.Isolate({ memoryLimit: memoryMegabytes });
  const guest = isolate.compileScriptSync(guestScript, { filename: 'gatehouse:guest' });
  const compiled = new Map<number, Compiled>();
  let prepared: Prepared | null = null;
  let outside: Outside | null = null;

  function prepare(): Prepared {
    if (prepared) return prepared;
    const context = isolate.createContextSync();
    const enter = guest.runSync(context, asReference) as unknown as IsolatedVm.Reference;
    prepared = { context, enter };
    return prepared;
  }

  function compile({ hook, source, packages }: Load): Compiled {
    const known = compiled.get(hook);
    if (known) return known;
    const origin = { filename: 'hook.js', columnOffset: -prefix.length };
    const made = {
      hook: isolate.compileScriptSync(`${prefix}${source}\n})`, origin),
      packages: packages === null ? null : isolate.compileScriptSync(packages, { filename: 'packages.js' }),
    };
    compiled.set(hook, made);
    return made;
  }

  async function start({ context, enter }: Prepared, { hook, packages }: Compiled, run: Run): Promise<string> {
    const { timeout } = run;
    const wrapped = hook.runSync(context, asReference) as unknown as IsolatedVm.Reference;
    const modules = packages
      ? ((await packages.run(context, { reference: true, timeout })) as IsolatedVm.Reference)
      : null;
    const { call, post } = outside as Outside;
    const given = [
      'start',
      run.input,
      new ivm.Callback(call, { sync: true }),
      new ivm.Callback(post, { ignored: true }),
      wrapped.derefInto(),
      modules?.derefInto(),
      nodeMajor,
    ];
    try {
      return (await enter.apply(undefined, given, { result: asPromisedCopy, timeout })) as string;
    } finally {
      wrapped.release();
      modules?.release();
    }
  }

  /** The output so far of a run that did not finish. */
  async function answerSoFar({ enter }: Prepared): Promise<string | null> {
    if (isolate.isDisposed) return null;
    const options = { result: { copy: true as const }, timeout: answerMilliseconds };
    return (await enter.apply(undefined, ['answer'], options).catch(() => null)) as string | null;
  }

  async function run(message: Run, load: Load): Promise<Ended> {
    const used = prepare();
    prepared = null;
    const deadline = performance.now() + message.timeout;
    const left = () => Math.max(1, Math.ceil(deadline - performance.now()));
    const settle = (call: number, answer: string) =>
      used.enter.applyIgnored(undefined, ['settle', call, answer], { timeout: left() });
    outside = createOutside({ run: message.run, send, settle, answerHost });
    const { promise: late, resolve: giveUp } = Promise.withResolvers<null>();
    const timer = setTimeout(giveUp, message.timeout, null);
    try {
      const answer = await Promise.race([start(used, compile(load), message), late]);
      if (answer !== null) return { ending: 'answered', answer };
      return { ending: 'timeout', answer: await answerSoFar(used) };
    } catch (error) {
      if (isolate.isDisposed) return { ending: 'out_of_memory', answer: null };
      const isLate = error instanceof Error && error.message === 'Script execution timed out.';
      return { ending: isLate ? 'timeout' : 'crashed', answer: await answerSoFar(used) };
    } finally {
      clearTimeout(timer);
      outside.close();
      outside = null;
      if (!isolate.isDisposed) {
        used.enter.release();
        used.context.release();
      }
    }
  }

  return {
    isBusy: () => outside !== null,
    prepare: () => void prepare(),
    compile(load) {
      try {
        compile(load);
        return null;
      } catch (error) {
        return error instanceof Error ? error.message : 'not compiled';
      }
    },
    run,
    settle: (call, answer) => outside?.settle(call, answer),
  };
}
