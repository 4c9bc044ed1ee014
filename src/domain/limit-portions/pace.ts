import type { Milliseconds } from '../../store/time.ts';

/** The interval at which nodes tell each other what they counted. */
export const roundMilliseconds = 250;

/** Calmer rounds before a node believes that others have slowed down: each of them has told twice by then. */
const calmRounds = 2;

/** How many events other nodes count between two rounds: what the sum may lack of them. */
export class Pace {
  #events = 0;
  /** The most of a window, with which the next one begins. */
  #highest = 0;
  #calm = 0;
  #heardAt: Milliseconds;
  /** Whether anything was heard in this window. */
  #isHeard = false;
  /** The window before went by without an answer. */
  #isCutOff = false;
  /** Since when this node has wanted to hear. */
  #askedAt: Milliseconds | null = null;

  constructor(now: Milliseconds) {
    this.#heardAt = now;
  }

  /** A window begins; without one just before it, nothing is known. */
  begin(now: Milliseconds, isNext: boolean): void {
    if (!isNext) this.#highest = 0;
    this.#isCutOff = isNext && this.#askedAt !== null && !this.#isHeard;
    this.#events = this.#highest;
    [this.#calm, this.#isHeard, this.#heardAt, this.#askedAt] = [0, false, now, null];
  }

  get events(): number {
    return this.#events;
  }

  /**
   * Takes note of events of the others that were heard of only now: since the last time, or since the window began,
   * `age` ago, maybe at another node.
   */
  hear(events: number, now: Milliseconds, age: Milliseconds): void {
    const passed = this.#isHeard ? now - this.#heardAt : Math.max(now - this.#heardAt, age);
    const fresh = Math.max(0, events) * Math.min(1, roundMilliseconds / Math.max(1, passed));
    // The first that is heard in a window takes the place of what the former one left.
    this.#highest = this.#isHeard ? Math.max(this.#highest, fresh) : fresh;
    if (fresh >= this.#events) [this.#events, this.#calm] = [fresh, 0];
    else {
      this.#calm += 1;
      if (this.#calm > calmRounds) this.#events = Math.max(fresh, this.#events / 2);
    }
    [this.#isHeard, this.#heardAt, this.#askedAt, this.#isCutOff] = [true, now, null, false];
  }

  /** Takes note that this node waits to hear of the others. */
  ask(now: Milliseconds): void {
    this.#askedAt ??= now;
  }

  /**
   * Events of the others that this node has not heard of: more and more while the database is away, and from the second
   * window on any number.
   */
  unheard(now: Milliseconds): number {
    if (this.#isCutOff) return Number.POSITIVE_INFINITY;
    const rounds = this.#askedAt === null ? 0 : (now - this.#askedAt) / roundMilliseconds;
    return this.#events * Math.max(2, rounds);
  }
}
