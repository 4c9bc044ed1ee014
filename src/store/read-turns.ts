/** Turns of reads of many rows. The store says how many it can read at a time; the domain says whose turn it is. */

/** Does the work when the account has a turn; null: the service itself. Throws `unavailable` without one. */
export type InReadTurn = <Result>(accountId: number | null, work: () => Promise<Result>) => Promise<Result>;

export interface ReadPlaces {
  /** How many reads are under way at a time. */
  readonly turns: number;
  /** How long a read may wait for its turn. */
  readonly waitMilliseconds: number;
}

export type ReadTurns = (places: ReadPlaces) => InReadTurn;
