/** Work that waits in the store and is done in the background: no request waits for it. */

import type { Services } from '../services.ts';
import { actAs } from './audit/origin.ts';

export interface Worker {
  /** Does what is due, in the background. */
  wake(): void;
  /** The same; settles when nothing is due any more. Failures are logged. */
  run(): Promise<void>;
}

export interface Work<Item> {
  /** How the log calls it. */
  readonly name: string;
  readonly atOnce: number;
  /** Takes up to `atOnce` items that are due at `now` (milliseconds) before anybody else does. */
  readonly claim: (now: number) => Promise<readonly Item[]>;
  /** One that fails is due again later; the others do not wait for it. */
  readonly deliver: (item: Item) => Promise<void>;
}

/** Works off what the store holds, `atOnce` items at a time. */
export function createWorker<Item>(
  { clock, log }: Pick<Services, 'clock' | 'log'>,
  { name, atOnce, claim, deliver }: Work<Item>,
): Worker {
  let running: Promise<void> | null = null;
  let again = false;

  async function work(): Promise<void> {
    do {
      again = false;
      const claimed = await claim(clock.now());
      await Promise.all(claimed.map((item) => deliver(item).catch(note)));
      again ||= claimed.length === atOnce;
    } while (again);
  }

  function note(error: unknown): void {
    const stack = error instanceof Error ? (error.stack ?? error.message) : 'not an error';
    log.error(`${name} failed`, { stack });
  }

  function run(): Promise<void> {
    again = true;
    // What the service does by itself: not in the name of the request that woke it.
    running ??= actAs({ actor: null, source: null, requestId: null }, work)
      .catch(note)
      .finally(() => {
        running = null;
      });
    return running;
  }

  return { run, wake: () => void run() };
}
