/** What the bench says to its generator of load, and what it hears back. */

export type RequestKind =
  | 'refresh'
  | 'refresh-es256'
  | 'refresh-dpop'
  | 'refresh-jwt'
  | 'registration'
  | 'client-credentials'
  | 'client-credentials-jwt'
  | 'introspection'
  | 'userinfo'
  | 'pushed'
  | 'jwks'
  | 'discovery'
  | 'code'
  | 'code-exchange'
  | 'user'
  | 'user-change'
  | 'user-list'
  | 'delegated'
  | 'sign-in'
  | 'authorization';

/** A server under load, with all that its callers know. */
export interface Target {
  readonly name: string;
  readonly kind: RequestKind;
  /** Ports of loopback; virtual clients are dealt to them in turn. */
  readonly ports: readonly number[];
  /** What the Host header says. */
  readonly host: string;
  readonly path: string;
  /** Null for a client without a secret. */
  readonly authorization: string | null;
  /** Of a client without a secret, in the request; null for others. */
  readonly clientId?: string | null;
  /** Where a code is exchanged, by the client that `clientId` and `authorization` are of; undefined: it is not. */
  readonly exchangePath?: string;
  /**
   * Refresh tokens, each the head of its own chain; for introspection and userinfo, access tokens; for delegated
   * authentication and sign-ins, e-mail addresses; for codes, sessions; for one user, ids.
   */
  readonly tokens: readonly string[];
  /** The processes whose CPU time is the cost of an answer, with their children. */
  readonly pids: readonly number[];
  /** The name of threads whose time does not count. */
  readonly uncounted?: string;
}

/** One measurement: a number of virtual clients, each with one request at a time. */
export interface Load {
  readonly name: string;
  readonly connections: number;
  readonly warmUpMilliseconds: number;
  readonly milliseconds: number;
}

export interface Measurement {
  readonly name: string;
  readonly requests: number;
  readonly perSecond: number;
  /** From before the first byte of a request to the last byte of its answer. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  /** Answers that were not as they should be, and connections that broke, warm-up included. */
  readonly errors: number;
  readonly firstError: string | null;
  /** CPU time of each answer, in µs; null where the system does not tell. */
  readonly serverMicroseconds: number | null;
  readonly generatorMicroseconds: number;
  /** When the measured time began and ended, in µs of the monotonic clock that all processes share. */
  readonly from: number;
  readonly to: number;
}

export type ToGenerator = { readonly target: Target } | { readonly load: Load };
export type FromGenerator = { readonly measurement: Measurement } | { readonly failure: string };
