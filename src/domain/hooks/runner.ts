/** The interface to the runner of hook functions: JSON in, JSON out, nothing shared (the document's §1.5). */

import { second } from '../durations.ts';

/** A function that takes longer to compile is refused; no process of functions would load it. */
export const mostCompileMilliseconds = 2 * second;

/** An identifier that hooks may name, and the Node program that runs them. */
export interface HookRuntime {
  readonly name: string;
  /** Absolute path of a program; null for the Node that runs the service. */
  readonly node: string | null;
}

/** One call of a function. */
export interface HookRun {
  /** The function's account: functions of two accounts never share a process. */
  readonly accountId: number;
  /** The hook's runtime; default: that of a hook which names none. */
  readonly runtime?: string;
  /** The customer's JavaScript, which exports `handler`. */
  readonly source: string;
  /**
   * A script whose completion value maps the name of each package to a function that answers what the package exports;
   * null without packages.
   */
  readonly packages: string | null;
  /** The handler's argument, as JSON. */
  readonly context: string;
  /** The contents of `process.env`: the linked variables by name. */
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMilliseconds: number;
  /** Runs in a process separate from the account's hooks, so that none of them ends with it. */
  readonly isDraft?: boolean;
  /** Runs for an unauthenticated user: in separate processes, which leave capacity for everyone else. */
  readonly isForStranger?: boolean;
}

/**
 * How a call ended. `error`: the function threw, or the module exports no valid handler. `out_of_memory` and `crashed`:
 * its process had to be ended. `unavailable`: no process was free in time, none could be started, or the runtime is not
 * offered here (the output says so).
 */
export type HookEnding = 'success' | 'error' | 'timeout' | 'out_of_memory' | 'crashed' | 'unavailable';

/** A line that the function wrote. */
export interface HookOutputLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  /** Formatted as Node's `util.inspect` would. */
  readonly text: string;
}

/** What a function threw. */
export interface HookError {
  readonly name: string;
  readonly message: string;
  /** Name, message and the stack frames in the function itself, one per line; no frames of this program. */
  readonly stack?: string;
}

export interface HookRunResult {
  readonly ending: HookEnding;
  /** The handler's return value as JSON of at most 16 KiB; `null` when it returned nothing or failed. */
  readonly value: string;
  /** Null when there was none. */
  readonly error: HookError | null;
  readonly output: readonly HookOutputLine[];
  /** Number of lines beyond the limits. */
  readonly dropped: number;
  readonly durationMilliseconds: number;
}

/** A layer of isolation around the functions, for `doctor` and `/readyz`. */
export interface HookLayer {
  readonly name: string;
  readonly state: 'ok' | 'off';
  /** What to do about a layer that is off. */
  readonly remedy: string | null;
}

/** The state of one runtime. */
interface HookRuntimeHealth {
  readonly name: string;
  readonly state: 'ok' | 'degraded';
  readonly reason: string | null;
}

/**
 * How loading a module went, without a call of its handler. `exported`: the names of what it exports instead, the first
 * few; null where its exports are a function.
 */
export type HookLoading =
  | { readonly says: 'handler' }
  | { readonly says: 'no_handler'; readonly exported: readonly string[] | null }
  | { readonly says: 'failed'; readonly ending: Exclude<HookEnding, 'success'>; readonly error: HookError | null };

/** `unavailable`: no process was free to check it. */
export type SyntaxVerdict =
  | { readonly says: 'compiles' | 'too_slow' | 'unavailable' }
  | { readonly says: 'error'; readonly line: number; readonly column: number; readonly message: string };

export interface HookRunner {
  /** Runs the function in a fresh context. Nothing that the function does makes it reject. */
  run(call: HookRun): Promise<HookRunResult>;
  /**
   * Loads the module as a run does, in a process for drafts and without `fetch`, and does not call its handler. Nothing
   * that the module does makes it reject.
   */
  load(call: Omit<HookRun, 'context' | 'isDraft'>): Promise<HookLoading>;
  /** Whether the source compiles, with line and column of a syntax error. Runs nothing; never rejects. */
  checkSyntax(source: string): Promise<SyntaxVerdict>;
  /**
   * Starts the account's process and compiles in advance, so that the next call does not wait. Settles when that is
   * done or has failed.
   */
  warm(call: Pick<HookRun, 'accountId' | 'runtime' | 'source' | 'packages'>): Promise<void>;
  /**
   * The account's functions have changed: later calls run in a new process. Drafts keep theirs: each comes with its
   * text and variables.
   */
  recycle(accountId: number): void;
  /** Whether functions can be run now. */
  health(): {
    readonly state: 'ok' | 'degraded';
    readonly reason: string | null;
    readonly layers: readonly HookLayer[];
    /** Each runtime on offer, and why it cannot run a function now. */
    readonly runtimes: readonly HookRuntimeHealth[];
  };
  /** Ends all processes. */
  close(): Promise<void>;
}
