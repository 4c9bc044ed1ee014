/** Work that waits in the store and is done in the background: no request waits for it. */

import type { Services } from '../services.ts';
import { actAs } from './audit/origin.ts';

/** Items of one account at a time: what one of its clients does not answer holds up only its own. */
const atOnceOfAccount = 2;
/** Accounts that had a turn and wait until all others that have work had one; beyond so many the round begins again. */
const mostServed = 500;

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
  /**
   * Takes an item that is due at `now` (milliseconds) before anybody else does, of none of the accounts in `except`.
   * Empty when nothing is due.
   */
  readonly claim: (now: number, except: readonly number[]) => Promise<readonly Item[]>;
  /** One that fails is due again later; the others do not wait for it. */
  readonly deliver: (item: Item) => Promise<void>;
}

/** Works off what the store holds, `atOnce` items at a time; accounts take turns. */
export function createWorker<Item extends { readonly accountId: number }>(
  { clock, log }: Pick<Services, 'clock' | 'log'>,
  { name, atOnce, claim, deliver }: Work<Item>,
): Worker {
  /** The accounts of the items under way, one entry for each. */
  const underWay: number[] = [];
  const served = new Set<number>();
  let isFilling = false;
  let again = false;
  let idle: PromiseWithResolvers<void> | null = null;

  /** An item of an account that had none in this round, or the first of the next round. */
  async function take(): Promise<Item | undefined> {
    const busy = [...new Set(underWay)].filter((id) => underWay.filter((one) => one === id).length >= atOnceOfAccount);
    let [item] = await claim(clock.now(), [...busy, ...served]);
    if (item === undefined && served.size > 0) {
      served.clear();
      [item] = await claim(clock.now(), busy);
    }
    if (served.size >= mostServed) served.clear();
    if (item !== undefined) served.add(item.accountId);
    return item;
  }

  async function begin(item: Item): Promise<void> {
    underWay.push(item.accountId);
    await deliver(item).catch(note);
    underWay.splice(underWay.indexOf(item.accountId), 1);
    again = true;
    await fill();
  }

  /** Gives free slots what is due. */
  async function fill(): Promise<void> {
    if (isFilling) return;
    isFilling = true;
    try {
      while (again && underWay.length < atOnce) {
        again = false;
        const item = await take();
        if (item === undefined) continue;
        again = true;
        void begin(item);
      }
    } catch (error) {
      note(error);
    }
    isFilling = false;
    if (underWay.length > 0) return;
    idle?.resolve();
    idle = null;
  }

  function note(error: unknown): void {
    const stack = error instanceof Error ? (error.stack ?? error.message) : 'not an error';
    log.error(`${name} failed`, { stack });
  }

  function run(): Promise<void> {
    again = true;
    idle ??= Promise.withResolvers<void>();
    const { promise } = idle;
    // What the service does by itself: not in the name of the request that woke it.
    void actAs({ actor: null, source: null, requestId: null }, fill);
    return promise;
  }

  return { run, wake: () => void run() };
}
