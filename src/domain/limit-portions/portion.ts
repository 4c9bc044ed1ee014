/** The portion of a limit that this node counts and allows, while other nodes count the rest. */

import type { LimitCount, LimitSum } from '../../store/limit-counts.ts';
import type { Milliseconds } from '../../store/time.ts';

/** What this node has counted in a window. */
export interface OwnCount {
  count: number;
  /** Of a monotonic clock. */
  readonly endsAt: Milliseconds;
}

/** The interval at which nodes tell each other what they counted. */
export const roundMilliseconds = 250;

/** What a node keeps to itself, of the limit: with n nodes the sum lacks less than n times as much. */
const keptShare = 1 / 100;
/** What it tells without waiting for the next regular round. */
const urgentShare = 1 / 20;
/** Calmer rounds before a node believes that others have slowed down: each of them has told twice by then. */
const calmRounds = 2;

/** What was told, and in which window of the portion. */
export interface Told {
  readonly count: LimitCount;
  readonly window: number;
}

/**
 * A limit of one subject that some nodes count. In a window this node allows what is left for sure, even if the others
 * go on as fast as they did, and in any case its share of the limit: what it took of all that was taken. A window begins
 * with the shares and the pace of the one before if that has just ended.
 */
export class Portion {
  readonly accountId: number;
  /** Names the row of the sum. */
  readonly digest: string;
  /** Waits for a round. */
  waits = false;
  /** Since when this node has wanted to hear of the others. */
  #askedAt: Milliseconds | null = null;
  /** Between 0 and 1: rounds shares of an event, so that all nodes together round neither up nor down. */
  #luck = Math.random();
  #own: OwnCount;
  #points: number;
  #endsAt: Milliseconds;
  #forgottenAt: Milliseconds;
  /** By the database's clock, once it is known. */
  #expiresAt: Milliseconds | null = null;
  #window = 0;
  /** What the sum has of this node, and of the others. */
  #told = 0;
  #others = 0;
  /** Events of the others that the sum may lack: the most that they counted between two rounds of this node. */
  #pace = 0;
  #highestPace = 0;
  #calm = 0;
  #heardAt: Milliseconds;
  /** How long it rests until the sum is looked at again, and until when. */
  #rest = roundMilliseconds;
  #looksAgainAt: Milliseconds | null = null;
  /** Of what all nodes took, the share of this one. */
  #part = 1;
  /** The number of events that this node may count, whatever the others do. */
  #share: number;

  constructor(place: { accountId: number; digest: string }, own: OwnCount, points: number, now: Milliseconds) {
    this.accountId = place.accountId;
    this.digest = place.digest;
    this.#own = own;
    this.#points = points;
    this.#endsAt = own.endsAt;
    this.#forgottenAt = 2 * own.endsAt - now;
    this.#heardAt = now;
    // Nothing is known of the others.
    this.#share = points;
  }

  /** When the window ends, for all nodes; not later than that of `own`. */
  get endsAt(): Milliseconds {
    return this.#endsAt;
  }

  isForgotten(now: Milliseconds): boolean {
    return now >= this.#forgottenAt;
  }

  /** Takes note of the counter that an event was counted in, or given back to: it may be that of a new window. */
  note(own: OwnCount, points: number, now: Milliseconds): void {
    this.#points = points;
    if (own.endsAt !== this.#own.endsAt) this.#begin(own, now);
  }

  #begin(own: OwnCount, now: Milliseconds): void {
    if (this.isForgotten(now)) [this.#part, this.#highestPace] = [1, 0];
    this.#pace = this.#highestPace;
    this.#luck = Math.random();
    this.#share = this.#shareOf(this.#part);
    this.#window += 1;
    this.#own = own;
    this.#endsAt = own.endsAt;
    this.#forgottenAt = 2 * own.endsAt - now;
    this.#expiresAt = null;
    [this.#told, this.#others, this.#calm] = [0, 0, 0];
    this.#heardAt = now;
    this.#askedAt = null;
    this.#looksAgainAt = null;
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

  /** Takes note that it waits for a round. */
  ask(now: Milliseconds): void {
    this.#askedAt ??= now;
  }

  /** Events of the others that this node has not heard of: more and more while the database is away. */
  #unheard(now: Milliseconds): number {
    const rounds = this.#askedAt === null ? 0 : (now - this.#askedAt) / roundMilliseconds;
    return this.#pace * Math.max(2, rounds);
  }

  /** How many events this node may count now. */
  left(points: number, now: Milliseconds): number {
    const known = this.#known(points);
    const sure = Math.ceil(known - this.#unheard(now));
    return Math.max(0, Math.min(known, Math.max(sure, this.#share - this.#own.count)));
  }

  /** Whether nothing may be counted until more is known of the others. */
  isHeld(points: number, now: Milliseconds): boolean {
    return this.left(points, now) === 0 && this.#known(points) > 0;
  }

  #known(points: number): number {
    return points - this.count;
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
    this.#follow(Math.max(0, others), now);
    this.#expiresAt = sum.expiresAt;
    // The answer is a moment old: the window ends that much later here, and never before it has ended for others.
    this.#endsAt = Math.min(this.#endsAt, now + sum.leftMilliseconds);
    if (sum.taken > 0) {
      this.#part = this.#told / sum.taken;
      this.#share = this.#shareOf(this.#told / (sum.taken + this.#pace));
    }
    this.#askedAt = null;
  }

  /** What others count while this node counts nothing matters when they have begun and little is left. */
  #planLook(isNew: boolean, taken: number, now: Milliseconds): void {
    this.#rest = isNew ? roundMilliseconds : 2 * this.#rest;
    const matters = taken > this.#told && taken < this.#points && taken >= this.#points / 2;
    this.#looksAgainAt = matters ? now + this.#rest : null;
  }

  /** Whether it is time to look at the sum again, although there may be nothing to tell; null: no more. */
  looksAgain(now: Milliseconds): boolean | null {
    if (this.#looksAgainAt === null || now >= this.#endsAt) return null;
    return now >= this.#looksAgainAt;
  }

  #follow(others: number, now: Milliseconds): void {
    const passed = Math.max(1, now - this.#heardAt);
    const fresh = Math.max(0, others - this.#others) * Math.min(1, roundMilliseconds / passed);
    // The first that is heard in a window takes the place of what the former one left.
    this.#highestPace = this.#expiresAt === null ? fresh : Math.max(this.#highestPace, fresh);
    if (fresh >= this.#pace) [this.#pace, this.#calm] = [fresh, 0];
    else {
      this.#calm += 1;
      if (this.#calm > calmRounds) this.#pace = Math.max(fresh, this.#pace / 2);
    }
    this.#others = others;
    this.#heardAt = now;
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
