/** What the domain asks of whatever runs a hook's function: JSON in, JSON out, nothing shared (the document's §1.5). */

/** An identifier that hooks may name, and the Node that runs them. */
export interface HookRuntime {
  readonly name: string;
  /** Absolute path of a program; null for the Node that runs the service. */
  readonly node: string | null;
}

/** One call of a function. */
export interface HookRun {
  /** Whose function it is: functions of two accounts never share a process. */
  readonly accountId: number;
  /** Of the hook; that of a hook which names none unless said. */
  readonly runtime?: string;
  /** The customer's JavaScript, which exports `handler`. */
  readonly source: string;
  /**
   * A script whose completion value maps the name of each package to a function that answers what the package exports;
   * null without packages.
   */
  readonly packages: string | null;
  /** What the handler gets, as JSON. */
  readonly context: string;
  /** What `process.env` holds: the values of the linked variables by name. */
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMilliseconds: number;
  /** Runs in another process than the account's hooks, none of which ends with it. */
  readonly isDraft?: boolean;
  /**
   * Runs for somebody who has proven nothing yet: in processes of its own, which leave room for those of everybody else.
   */
  readonly isForStranger?: boolean;
}

/**
 * How a call ended. `error`: the function threw, or what it exports is no handler. `out_of_memory` and `crashed`: its
 * process had to be ended. `unavailable`: no process was free in time, none could be started, or the runtime is not
 * offered here; the output says so of the last.
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
  /** Name, message and the places in the function itself, a line each; none of this program. */
  readonly stack?: string;
}

export interface HookRunResult {
  readonly ending: HookEnding;
  /** What the handler answered, as JSON of at most 16 KiB; `null` when it answered nothing or did not succeed. */
  readonly value: string;
  /** Null when there was none. */
  readonly error: HookError | null;
  readonly output: readonly HookOutputLine[];
  /** Lines beyond the limits. */
  readonly dropped: number;
  readonly durationMilliseconds: number;
}

/** A layer of protection around the functions, for `doctor` and `/readyz`. */
export interface HookLayer {
  readonly name: string;
  readonly state: 'ok' | 'off';
  /** What to do about a layer that is off. */
  readonly remedy: string | null;
}

/** How one runtime fares. */
interface HookRuntimeHealth {
  readonly name: string;
  readonly state: 'ok' | 'degraded';
  readonly reason: string | null;
}

export interface HookRunner {
  /** Runs the function in a fresh context. Rejects for nothing that the function can do. */
  run(call: HookRun): Promise<HookRunResult>;
  /** Refuses with line and column what does not compile; null when it does. Runs nothing. */
  checkSyntax(source: string): { readonly line: number; readonly column: number; readonly message: string } | null;
  /** Starts the account's process and compiles in advance, so that the next call need not wait; settles when that is done, or cannot be. */
  warm(call: Pick<HookRun, 'accountId' | 'runtime' | 'source' | 'packages'>): Promise<void>;
  /** The account's functions changed: calls from now on run in a new process. */
  recycle(accountId: number): void;
  /** Whether functions can be run now. */
  health(): {
    readonly state: 'ok' | 'degraded';
    readonly reason: string | null;
    readonly layers: readonly HookLayer[];
    /** Each that is offered, and why it cannot run a function now. */
    readonly runtimes: readonly HookRuntimeHealth[];
  };
  /** Ends every process. */
  close(): Promise<void>;
}
