/** The generations of accounts, by which cached values are judged (cached.ts). */

import type { Store } from './store.ts';

/** What each request looks up as of one moment. */
export interface Looks {
  /** The generation of an account that the request asked for lately, or `ask` for it. */
  generationOf(accountId: number, ask: (accountId: number) => Promise<number | null>): Promise<number | null>;
  /** The request has written something: it must see that. */
  again(): void;
}

/** Every lookup asks. */
const noLooks: Looks = { generationOf: (accountId, ask) => ask(accountId), again: () => {} };

export interface Generations {
  /** The generation of an account, as it is or was while the request was there. */
  ask(accountId: number): Promise<number | null>;
  /** Something has been written: lookups after it see that, in the same turn and request too. */
  lookAgain(): void;
}

/** How the generation of one account is being read. */
interface Reading {
  /** Begun in this turn of the event loop. */
  current: Promise<number | null> | null;
  /** Settles when the reading that was begun last has ended; null once it has. */
  underWay: Promise<void> | null;
  /** Begins then. */
  next: Promise<number | null> | null;
}

/**
 * Reads the generations of accounts. Lookups of one turn share a reading, and so do those that come while another one is
 * under way: that one may have been answered before a change that they must see, so theirs begins after it. The busier
 * PostgreSQL is, the more lookups share a question to it.
 */
export function createGenerations(store: Pick<Store, 'generation'>, looks: Looks = noLooks): Generations {
  const readings = new Map<number, Reading>();

  function begin(accountId: number, reading: Reading): Promise<number | null> {
    const forgetIfDone = () => {
      if (!reading.current && !reading.underWay && !reading.next) readings.delete(accountId);
    };
    const end = () => {
      reading.underWay = null;
      forgetIfDone();
    };
    const current = store.generation(accountId);
    reading.current = current;
    reading.underWay = current.then(end, end);
    setImmediate(() => {
      reading.current = null;
      forgetIfDone();
    });
    return current;
  }

  function ask(accountId: number): Promise<number | null> {
    const reading = readings.get(accountId) ?? { current: null, underWay: null, next: null };
    readings.set(accountId, reading);
    if (reading.current) return reading.current;
    if (!reading.underWay) return begin(accountId, reading);
    reading.next ??= reading.underWay.then(() => {
      reading.next = null;
      return begin(accountId, reading);
    });
    return reading.next;
  }

  return {
    ask: (accountId) => looks.generationOf(accountId, ask),
    lookAgain: () => {
      looks.again();
      // What was written in this turn is newer than a reading that began in it.
      for (const reading of readings.values()) reading.current = null;
    },
  };
}
