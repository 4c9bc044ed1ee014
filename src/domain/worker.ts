/** Work that is stored and done in the background: no request waits for it. */

import type { Services } from '../services.ts';
import { actAs } from './audit/context.ts';
import { stackOf } from './describe.ts';

/** Default number of concurrent items of one account: a client that does not answer delays only its own account. */
const usualOfAccount = 2;
/** Those that had a turn wait until all others with work had one; beyond this number a new round begins. */
const mostServed = 500;

export interface Worker {
  /** Looks for due work, in the background. */
  wake(): void;
  /** The same; settles when nothing is due any more. Failures are logged. */
  run(): Promise<void>;
}

/** Items that must not be started now. */
interface Except<Item> {
  /** Accounts that use all their places, or had their turn. */
  readonly accounts: readonly number[];
  /** Items under way: nothing that conflicts with them, and nothing of those who have a turn with one of them. */
  readonly underWay: readonly Item[];
  /** One item of each that had a turn in the round of its account and has none under way. */
  readonly served: readonly Item[];
}

export interface Work<Item> {
  /** The name for the log. */
  readonly name: string;
  readonly atOnce: number;
  readonly ofAccount?: number;
  /**
   * Who takes turns within an account: a name that is unique across accounts. Without it the item that is due longest
   * is next.
   */
  readonly turnOf?: (item: Item) => string;
  /**
   * Claims an item that is due at `now` (milliseconds), unless it is excluded, so that no other process takes it. Empty
   * when there is none.
   */
  readonly claim: (now: number, except: Except<Item>) => Promise<readonly Item[]>;
  /** A failed item is due again later; the others do not wait for it. */
  readonly deliver: (item: Item) => Promise<void>;
}

/** Processes the stored items, `atOnce` at a time. Accounts take turns, and within one those that `turnOf` names. */
export function createWorker<Item extends { readonly accountId: number }>(
  { clock, log }: Pick<Services, 'clock' | 'log'>,
  { name, atOnce, ofAccount = usualOfAccount, turnOf, claim, deliver }: Work<Item>,
): Worker {
  const underWay: Item[] = [];
  /** Accounts that had a turn in this round. */
  const accounts = new Set<number>();
  /** The last item of each that had a turn in the round of its account. */
  const served = new Map<string, Item>();
  let isFilling = false;
  let again = false;
  let idle: PromiseWithResolvers<void> | null = null;

  /** An item of an account without a turn in this round, or the first of the next round. */
  async function take(): Promise<Item | undefined> {
    const ids = underWay.map(({ accountId }) => accountId);
    const full = [...new Set(ids)].filter((id) => ids.filter((one) => one === id).length >= ofAccount);
    let item = await takeOutside([...full, ...accounts]);
    if (item === undefined && accounts.size > 0) {
      accounts.clear();
      item = await takeOutside(full);
    }
    if (accounts.size >= mostServed) accounts.clear();
    if (served.size >= mostServed) served.clear();
    if (item === undefined) return undefined;
    accounts.add(item.accountId);
    if (turnOf) served.set(turnOf(item), item);
    return item;
  }

  /** An item of someone without a turn yet; when an account has none of these, its round begins again. */
  async function takeOutside(except: readonly number[]): Promise<Item | undefined> {
    const now = clock.now();
    const waiting = [...served.values()].filter((one) => !underWay.includes(one));
    const [item] = await claim(now, { accounts: except, underWay, served: waiting });
    if (item !== undefined || waiting.length === 0) return item;
    const [next] = await claim(now, { accounts: except, underWay, served: [] });
    for (const [turn, { accountId }] of served) if (accountId === next?.accountId) served.delete(turn);
    return next;
  }

  async function begin(item: Item): Promise<void> {
    underWay.push(item);
    await deliver(item).catch(note);
    underWay.splice(underWay.indexOf(item), 1);
    again = true;
    await fill();
  }

  /** Fills free places with due items. */
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
    const stack = stackOf(error);
    log.error(`${name} failed`, { stack });
  }

  function run(): Promise<void> {
    again = true;
    idle ??= Promise.withResolvers<void>();
    const { promise } = idle;
    // The service itself is the actor, not the request that woke it.
    void actAs({ actor: null, source: null, requestId: null }, fill);
    return promise;
  }

  return { run, wake: () => void run() };
}
