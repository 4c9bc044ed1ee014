/** The portion of a limit that this node counts and allows, while other nodes count the rest. */

import type { LimitCount, LimitSum } from '../../store/limit-counts.ts';
import type { Milliseconds } from '../../store/time.ts';
import { Pace, roundMilliseconds } from './pace.ts';

/** What this node has counted in a window. */
export interface OwnCount {
  count: number;
  /** Of a monotonic clock. */
  readonly endsAt: Milliseconds;
}

/** What a node keeps to itself, of the limit: with n nodes the sum lacks less than n times as much. */
const keptShare = 1 / 100;
/** What it tells without waiting for the next regular round. */
const urgentShare = 1 / 20;
/** From here on a node looks at what others count while it counts nothing itself. */
const watchedShare = 1 / 2;

/** How long it is remembered at least how nodes shared a limit: through an outage and the restart of a database. */
const rememberedMilliseconds = 30_000;

/** What was told, and in which window of the portion. */
export interface Told {
  readonly count: LimitCount;
  readonly window: number;
}

/**
 * A limit of one subject that some nodes count. In a window this node allows what is left for sure, even if the others
 * go on as fast as they did, and in any case its share of the limit: what it took of all that was taken. A window begins
 * with the shares and the pace of the one before unless that is long ago.
 */
export class Portion {
  readonly accountId: number;
  /** Names the row of the sum. */
  readonly digest: string;
  /** Waits for a round. */
  waits = false;
  readonly #pace: Pace;
  #own: OwnCount;
  #points: number;
  readonly #windowMilliseconds: Milliseconds;
  #endsAt: Milliseconds;
  /** By the database's clock, once it is known. */
  #expiresAt: Milliseconds | null = null;
  #window = 0;
  /** What the sum has of this node, and of the others. */
  #told = 0;
  #others = 0;
  /** How long it rests until the sum is looked at again, and until when. */
  #rest = roundMilliseconds;
  #looksAgainAt: Milliseconds | null = null;
  /** Of what all nodes took, the share of this one. */
  #part = 1;
  /** Between 0 and 1: rounds shares of an event, so that all nodes together round neither up nor down. */
  #luck = Math.random();
  /** The number of events that this node may count, whatever the others do. */
  #share: number;

  constructor(place: { accountId: number; digest: string }, own: OwnCount, points: number, now: Milliseconds) {
    this.accountId = place.accountId;
    this.digest = place.digest;
    this.#own = own;
    this.#points = points;
    this.#endsAt = own.endsAt;
    this.#windowMilliseconds = own.endsAt - now;
    this.#pace = new Pace(now);
    // Nothing is known of the others.
    this.#share = points;
  }

  /** When the window ends, for all nodes; not later than that of `own`. */
  get endsAt(): Milliseconds {
    return this.#endsAt;
  }

  /** Whether so much time has passed since the window that it says nothing of the next one. */
  isForgotten(now: Milliseconds): boolean {
    return now >= this.#endsAt + Math.max(this.#windowMilliseconds, rememberedMilliseconds);
  }

  /** Takes note of the counter that an event was counted in, which may be that of a new window. */
  note(own: OwnCount, points: number, now: Milliseconds): void {
    this.#points = points;
    if (own.endsAt !== this.#own.endsAt) this.#begin(own, now);
  }

  #begin(own: OwnCount, now: Milliseconds): void {
    const isNext = !this.isForgotten(now);
    this.#pace.begin(now, isNext);
    if (!isNext) this.#part = 1;
    this.#luck = Math.random();
    this.#share = this.#shareOf(this.#part);
    this.#window += 1;
    this.#own = own;
    this.#endsAt = own.endsAt;
    [this.#told, this.#others] = [0, 0];
    [this.#expiresAt, this.#looksAgainAt] = [null, null];
  }

  #shareOf(part: number): number {
    return Math.floor(this.#points * part + this.#luck);
  }

  /** How far the sum is from what this node has counted. */
  get #untold(): number {
    return this.#own.count - this.#told;
  }

  /** Whether the others should hear of it. */
  get isDue(): boolean {
    return isWorthTelling(Math.abs(this.#untold), this.#points);
  }

  get isUrgent(): boolean {
    return Math.abs(this.#untold) > this.#points * urgentShare;
  }

  /** What all nodes have counted, as far as this one knows. */
  get count(): number {
    return this.#own.count + this.#others;
  }

  /** Takes note that it waits to hear of the others. */
  ask(now: Milliseconds): void {
    this.#pace.ask(now);
  }

  /** Whether nothing of what is left may be counted until more is known of the others. */
  isHeld(points: number, now: Milliseconds): boolean {
    const left = points - this.count;
    return left > 0 && left <= this.#pace.unheard(now) && this.#own.count >= this.#share;
  }

  /** What to tell; null if the window has ended. */
  tell(now: Milliseconds): Told | null {
    const leftMilliseconds = Math.ceil(this.#endsAt - now);
    if (leftMilliseconds <= 0) return null;
    const { digest } = this;
    const count = { digest, taken: this.#untold, expiresAt: this.#expiresAt, leftMilliseconds };
    return { count, window: this.#window };
  }

  /** Takes note of the sum, with what was told in it. */
  learn(sum: LimitSum, { count, window }: Told, now: Milliseconds): void {
    if (window !== this.#window) return;
    this.#told += count.taken;
    const others = sum.taken - this.#told;
    this.#planLook(others !== this.#others, sum.taken, now);
    if (others < 0) {
      // Another node has cleared the count.
      if (this.#own.count > 0) this.#own.count = Math.max(0, this.#own.count + others);
      this.#told = sum.taken;
    }
    this.#pace.hear(others - this.#others, now, this.#windowMilliseconds - sum.leftMilliseconds);
    this.#others = Math.max(0, others);
    this.#expiresAt = sum.expiresAt;
    // The answer is a moment old: the window ends that much later here, and never before it has ended for others.
    this.#endsAt = Math.min(this.#endsAt, now + sum.leftMilliseconds);
    if (sum.taken > 0) {
      this.#part = this.#told / sum.taken;
      this.#share = this.#shareOf(this.#told / (sum.taken + this.#pace.events));
    }
  }

  #planLook(isNew: boolean, taken: number, now: Milliseconds): void {
    this.#rest = isNew ? roundMilliseconds : 2 * this.#rest;
    const matters = taken > this.#told && taken < this.#points && taken >= this.#points * watchedShare;
    this.#looksAgainAt = matters ? now + this.#rest : null;
  }

  /** Whether it is time to look at the sum again, even if there is nothing to tell; null: that is no more needed. */
  looksAgain(now: Milliseconds): boolean | null {
    if (this.#looksAgainAt === null || now >= this.#endsAt) return null;
    return now >= this.#looksAgainAt;
  }

  /** Forgets what was counted, also that of the others, who hear of it. */
  clear(): void {
    this.#told += this.#others;
    this.#others = 0;
    if (this.#own.count > 0) this.#own.count = 0;
  }
}

/** Whether so many events of a limit are too many to keep to oneself. */
export function isWorthTelling(events: number, points: number): boolean {
  return events > points * keptShare;
}
