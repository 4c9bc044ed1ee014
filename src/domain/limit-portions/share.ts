import { AsyncLocalStorage } from 'node:async_hooks';
import { createHmac } from 'node:crypto';
import type { Log } from '../../services.ts';
import type { Store } from '../../store/store.ts';
import { Portions } from './portions.ts';
import { createLimitRounds, type LimitRounds, type RoundsReport } from './rounds.ts';

export interface SharedLimits {
  /** The same in all nodes of an installation. */
  readonly secret: string;
  readonly portions: Portions;
  readonly rounds: LimitRounds;
}

interface SharedParts {
  readonly store: Pick<Store, 'kind' | 'limitCounts'>;
  /** That of the passwords: kept in the database, sealed under the master key. */
  readonly pepper: Buffer;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly report?: RoundsReport | undefined;
}

/** What limits need to count with other nodes; null on SQLite, whose file one process serves. */
export function shareLimits({ store, pepper, log, report }: SharedParts): SharedLimits | null {
  if (store.kind === 'sqlite') return null;
  const portions = new Portions();
  // A round belongs to no request, and to none of its transactions and traces.
  const outside = AsyncLocalStorage.snapshot();
  const later = (milliseconds: number, work: () => void) =>
    outside(() => {
      const timer = setTimeout(work, milliseconds).unref();
      return () => clearTimeout(timer);
    });
  return {
    secret: createHmac('sha256', pepper).update('subjects of limits').digest('base64url'),
    portions,
    rounds: createLimitRounds({ portions, store, log, report, elapsed: () => performance.now(), later }),
  };
}
