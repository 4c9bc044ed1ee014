/**
 * Many accounts, nodes, and databases: what a number of refreshes a second needs, and what is full first. Formulas and
 * a placement of accounts at random, fed by the model of one machine (`model.ts`).
 */

export interface Demand {
  /** Refreshes a second, of all accounts. */
  readonly perSecond: number;
  readonly accounts: number;
  /** Of Zipf's law: the account of rank r has a share in proportion to 1 / r^exponent. */
  readonly exponent: number;
}

/** What one core does, from the model of a machine. */
export interface Capacity {
  /** µs of the processor for a refresh, on a machine of the service and on one of the database. */
  readonly serviceMicroseconds: number;
  readonly databaseMicroseconds: number;
  /** Bytes that a refresh writes to the log of the database. */
  readonly logBytes: number;
  /** Cores of each machine. */
  readonly cores: number;
  /** Bytes a second that a database writes to its disk, and sends to its standbys. */
  readonly logBytesPerSecond: number;
  /** How much of anything is to be used at most: the rest is for peaks and for what is lost. */
  readonly share: number;
}

export interface Needs {
  readonly nodes: number;
  /** Databases, so that the one with the most load is not beyond its share; null: no number is enough. */
  readonly databases: number | null;
  /** Share of all refreshes: of the largest account, and of the database with the most. */
  readonly largestAccount: number;
  readonly largestDatabase: number;
  /** What is at its limit first when the demand grows. */
  readonly first: 'service' | 'database processor' | 'database log' | 'shards' | 'largest account';
}

/** The shards of `gatehouse db distribute`. */
const shards = 64;

/** Shares of accounts by rank; together 1. */
export function zipf(accounts: number, exponent: number): Float64Array {
  const weights = Float64Array.from({ length: accounts }, (_, rank) => (rank + 1) ** -exponent);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** A sequence of numbers below 1 that is the same in every run (a linear congruential generator). */
function createRandom(): () => number {
  let state = 20_261_129;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Shares of the databases: accounts lie in shards by hash, and shards on databases in turn. */
export function place(shares: Float64Array, databases: number): number[] {
  const random = createRandom();
  const loads = Array.from({ length: databases }, () => 0);
  for (const share of shares) {
    const database = Math.floor(random() * shards) % databases;
    loads[database] = (loads[database] ?? 0) + share;
  }
  return loads;
}

/** Refreshes a second that a database takes, within its share. */
function databaseLimits({ cores, databaseMicroseconds, logBytes, logBytesPerSecond, share }: Capacity) {
  return {
    'database processor': ((cores * 1e6) / databaseMicroseconds) * share,
    'database log': (logBytesPerSecond / logBytes) * share,
  };
}

export function needsOf({ perSecond, accounts, exponent }: Demand, capacity: Capacity): Needs {
  const shares = zipf(accounts, exponent);
  const largestAccount = shares[0] ?? 1;
  const limits = databaseLimits(capacity);
  const limit = Math.min(...Object.values(limits));
  const nodeLimit = ((capacity.cores * 1e6) / capacity.serviceMicroseconds) * capacity.share;
  const narrow = limits['database log'] < limits['database processor'] ? 'database log' : 'database processor';
  let databases: number | null = null;
  let largestDatabase = 1;
  for (let count = 1; count <= shards && databases === null; count += 1) {
    largestDatabase = Math.max(...place(shares, count));
    if (largestDatabase * perSecond <= limit) databases = count;
  }
  const ofLargest = largestAccount * perSecond > limit;
  return {
    nodes: Math.ceil(perSecond / nodeLimit),
    databases,
    largestAccount,
    largestDatabase,
    first: ofLargest ? 'largest account' : databases === null ? 'shards' : nodeLimit < limit ? 'service' : narrow,
  };
}

/**
 * Seconds from the loss of a database until nobody waits any more, when clients that had no answer ask again: what came
 * during the outage is answered by what the capacity leaves.
 */
export function recoverySeconds(outageSeconds: number, used: number): number {
  return used >= 1 ? Number.POSITIVE_INFINITY : outageSeconds / (1 - used);
}
