/** The portions of this node, and which of them wait to be told. */

import type { Milliseconds } from '../../store/time.ts';
import { isWorthTelling, type OwnCount, Portion } from './portion.ts';

/** Some 400 bytes each. */
const defaultMost = 20_000;
/** Of a round: a statement for each account. */
const accountsOfRound = 8;
const rowsOfStatement = 64;
/** Looked at when a round ends, and when there is no room. */
const sweptAtOnce = 256;

/** One limit of one subject. */
export interface PortionPlace {
  readonly accountId: number;
  /** 128 bits, a byte for each character. */
  readonly digest: string;
}

/** Portions of one account that are told together. */
export interface Batch {
  readonly accountId: number;
  readonly portions: readonly Portion[];
}

/**
 * Strangers choose the subjects, so their number is bounded, and no account has more than half of the room. A subject
 * without a portion is counted by this node alone.
 */
export class Portions {
  readonly #most: number;
  readonly #portions = new Map<string, Portion>();
  readonly #ofAccount = new Map<number, number>();
  readonly #waiting = new Map<number, Portion[]>();
  #swept: MapIterator<[string, Portion]> | null = null;
  /** Called when a portion begins to wait, and when one that waits becomes urgent. */
  onWaiting: (isUrgent: boolean) => void = () => {};

  constructor(most = defaultMost) {
    this.#most = most;
  }

  get size(): number {
    return this.#portions.size;
  }

  find(digest: string): Portion | null {
    return this.#portions.get(digest) ?? null;
  }

  /** Takes note of an event that was counted, or given back. */
  note(place: PortionPlace, own: OwnCount, points: number, now: Milliseconds): void {
    const known = this.#portions.get(place.digest);
    known?.note(own, points, now);
    const portion = known ?? (isWorthTelling(own.count, points) ? this.#make(place, own, points, now) : null);
    if (portion?.isDue) this.ask(portion, now);
  }

  /** Has the sum of a portion looked up, and what is new told. */
  ask(portion: Portion, now: Milliseconds): void {
    portion.ask(now);
    const { accountId, isUrgent } = portion;
    if (portion.waits && !isUrgent) return;
    if (!portion.waits) {
      portion.waits = true;
      const others = this.#waiting.get(accountId);
      if (others) others.push(portion);
      else this.#waiting.set(accountId, [portion]);
    }
    this.onWaiting(isUrgent);
  }

  #make({ accountId, digest }: PortionPlace, own: OwnCount, points: number, now: Milliseconds): Portion | null {
    if (!this.#hasRoom(accountId)) this.sweep(now);
    if (!this.#hasRoom(accountId)) return null;
    const portion = new Portion(
      { accountId, digest: Buffer.from(digest, 'latin1').toString('base64url') },
      own,
      points,
      now,
    );
    this.#portions.set(digest, portion);
    this.#ofAccount.set(accountId, this.#countOf(accountId) + 1);
    return portion;
  }

  #countOf(accountId: number): number {
    return this.#ofAccount.get(accountId) ?? 0;
  }

  #hasRoom(accountId: number): boolean {
    return this.#portions.size < this.#most && this.#countOf(accountId) < this.#most / 2;
  }

  /** Removes some that are forgotten. */
  sweep(now: Milliseconds): void {
    for (let looked = 0; looked < sweptAtOnce; looked += 1) {
      this.#swept ??= this.#portions.entries();
      const { value, done } = this.#swept.next();
      if (done) {
        this.#swept = null;
        return;
      }
      const [digest, portion] = value;
      if (portion.isForgotten(now) && !portion.waits) this.#remove(digest, portion);
    }
  }

  #remove(digest: string, { accountId }: Portion): void {
    this.#portions.delete(digest);
    const left = this.#countOf(accountId) - 1;
    if (left > 0) this.#ofAccount.set(accountId, left);
    else this.#ofAccount.delete(accountId);
  }

  /** Whether any wait. */
  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  /** What the next round tells; accounts take turns. */
  next(): readonly Batch[] {
    const first: [number, Portion[]][] = [];
    for (const entry of this.#waiting) if (first.push(entry) === accountsOfRound) break;
    return first.map(([accountId, waiting]) => {
      const portions = waiting.splice(0, rowsOfStatement);
      for (const portion of portions) portion.waits = false;
      this.#waiting.delete(accountId);
      if (waiting.length > 0) this.#waiting.set(accountId, waiting);
      return { accountId, portions };
    });
  }
}
