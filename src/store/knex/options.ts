import type { Pooling } from '../pooling.ts';
import type { ReadTurns } from '../read-turns.ts';
import type { EngineOptions } from './engine.ts';

/** Options for opening a store. */
export interface StoreOptions {
  /** `sqlite:<path>` or `postgres://…`. */
  readonly url: string;
  /** Receives warnings of the database layer, which contain no values of statements; default: none. */
  readonly log?: (line: string) => void;
  /**
   * How long a call waits for a connection, and for a lock, before it throws `unavailable`. The default of 900, also
   * where this is null, lets callers hear of an outage within two seconds.
   */
  readonly acquireTimeoutMilliseconds?: number | null;
  /** What the way to PostgreSQL keeps; default: the session. */
  readonly pooling?: Pooling;
  /** Whether a missing SQLite file is created; default: true. */
  readonly create?: boolean;
  /** Whose turn it is to read many rows; default: in order of arrival, for programs that work for nobody else. */
  readonly readTurns?: ReadTurns;
}

const defaultWaitMilliseconds = 900;

/** The same for its engine. */
export function optionsOfEngine(options: StoreOptions): EngineOptions {
  const { url, log = () => {}, acquireTimeoutMilliseconds, pooling = 'session', create = true } = options;
  return { url, log, waitMilliseconds: acquireTimeoutMilliseconds ?? defaultWaitMilliseconds, pooling, create };
}
