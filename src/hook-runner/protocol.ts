/**
 * What the service and a hook process say to each other, and the bounds of it. The process is taken for hostile: whose
 * function it runs is known by the channel and never read from a message, and one wrong message ends it.
 */

/** Bounds of one run. Sizes are bytes of UTF-8 where not said otherwise. */
export const limits = {
  contextCharacters: 256 * 1024,
  valueCharacters: 16 * 1024,
  depth: 32,
  outputLines: 200,
  outputCharacters: 64 * 1024,
  lineCharacters: 4096,
  errorCharacters: 1024,
  timers: 50,
  /** Calls of a run to what is outside of its isolate: timers, addresses, digests, random bytes. */
  hostCalls: 1000,
  fetches: 5,
  /** Names of exports that are told of a module without a handler, and characters of each. */
  exportedNames: 5,
  exportedCharacters: 50,
  fetchBodyBytes: 64 * 1024,
  /** Of a response, once before and once after decoding. */
  fetchResponseBytes: 1024 * 1024,
  hashedBytes: 64 * 1024,
  randomBytes: 1024,
} as const;

/** The longest message of a hook process; a longer one ends it. */
export const maximumFrameBytes = 1024 * 1024;

/** A request of a function, read by the service: of a right shape, not yet of a right content. */
export interface GuestRequest {
  readonly accountId: number;
  /** Absolute, as `new URL` wrote it. */
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** At most 64 KiB; null without a body. */
  readonly body: Uint8Array | null;
  readonly redirect: 'follow' | 'manual' | 'error';
}

interface GuestResponse {
  readonly status: number;
  /** After the last redirect. */
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** At most 1 MiB. */
  readonly body: Uint8Array;
  /** What the body is coded in; absent where it is plain. The process of the function decodes it. */
  readonly coding?: 'gzip';
}

/** Why a request was not answered: all that a function hears of it. */
export type GuestFetchRefusal =
  | 'forbidden'
  | 'invalid_request'
  | 'rate_limited'
  | 'response_too_large'
  | 'timed_out'
  | 'too_many_redirects'
  | 'unreachable';

/**
 * Makes the requests of functions under the service's egress policy. `signal` ends with the run. Answers a refusal for
 * whatever the function or the other side can do; of what it throws the function hears `unreachable`.
 */
export type GuestFetch = (
  request: GuestRequest,
  signal: AbortSignal,
) => Promise<GuestResponse | { readonly refused: GuestFetchRefusal }>;

/** What the service says. */
export type ToProcess =
  | { readonly op: 'load'; readonly hook: number; readonly source: string; readonly packages: string | null }
  | {
      readonly op: 'run';
      readonly run: number;
      readonly hook: number;
      readonly input: string;
      readonly timeout: number;
    }
  /** Answers the run's request. */
  | ({ readonly op: 'fetched'; readonly run: number; readonly call: number } & Fetched);

/** The answer to a request as it comes to the process: strangers' bytes are decoded there, not in the service. */
export interface Fetched {
  /** JSON of a `FetchAnswer`. */
  readonly answer: string;
  /** What its `body` is coded in; null where it is plain. */
  readonly coding: 'gzip' | null;
}

/** What the process says. */
export type FromProcess =
  | { readonly op: 'ready' }
  /** The function is compiled, or `error` says why it is not. */
  | { readonly op: 'loaded'; readonly hook: number; readonly error: string | null }
  | { readonly op: 'fetch'; readonly run: number; readonly call: number; readonly request: string }
  | {
      readonly op: 'ended';
      readonly run: number;
      readonly ending: 'answered' | 'timeout' | 'out_of_memory' | 'crashed';
      /** JSON of a `GuestAnswer`, written inside the isolate; null when it could write none. */
      readonly answer: string | null;
      /** Resident memory of the process in bytes and its processor time in microseconds. */
      readonly memory: number;
      readonly processorTime: number;
    };

/** What a run is given, as JSON. */
export interface GuestInput {
  /** JSON; null: the module is loaded, and its handler not called. */
  readonly context: string | null;
  readonly variables: Readonly<Record<string, string>>;
}

/** What a run without a context answers. */
export interface GuestLoading {
  readonly hasHandler: boolean;
  /** As in `HookLoading`. */
  readonly exported: readonly string[] | null;
}

/** What a run answers, as JSON. */
export interface GuestAnswer {
  /** JSON of what the handler answered, or of a `GuestLoading`; null when it failed or has not ended. */
  readonly value: string | null;
  readonly error: readonly [name: string, message: string, stack: string] | null;
  readonly output: readonly (readonly [at: number, level: string, text: string])[];
  readonly dropped: number;
}

/** Members of a `GuestRequest` as they cross; `body` is base64. */
export interface FetchAsked {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | null;
  readonly redirect: string;
}

/** A `GuestResponse` as it crosses; `body` is base64. */
export type FetchAnswer =
  | {
      readonly status: number;
      readonly url: string;
      readonly redirected: boolean;
      readonly headers: readonly (readonly [string, string])[];
      readonly body: string;
    }
  | { readonly refused: GuestFetchRefusal };
