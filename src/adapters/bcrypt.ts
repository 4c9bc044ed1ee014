import { day } from '../domain/durations.ts';
import { verifyBcrypt } from './password-threads.ts';

/**
 * Verifies passwords against imported bcrypt hashes. Once an account has used such a hash, all its refusals cost as
 * much as its most expensive one, so that the time does not reveal which users have one. Other accounts are not
 * affected, nor is the account itself once it has used no hash of that cost for a day.
 */
interface ImportedBcrypt {
  /** As bcrypt does: the first 72 bytes as typed. */
  matches(accountId: number, password: string, hash: string): Promise<boolean>;
  /** The same work, for a refusal without a bcrypt hash. */
  spend(accountId: number, password: string): Promise<void>;
}

interface ImportedBcryptOptions {
  /** Default: the password threads. */
  readonly verify?: (password: string, hash: string) => Promise<boolean>;
  /** Milliseconds; default: the clock of the process. */
  readonly clock?: () => number;
}

/** Measured from its last use. A cost that was remembered for ever would outlive its users. */
const rememberedMilliseconds = day;

export function createImportedBcrypt(options: ImportedBcryptOptions = {}): ImportedBcrypt {
  const { verify = verifyBcrypt, clock = () => performance.now() } = options;
  /** When each cost was last used, by account. */
  const met = new Map<number, Map<number, number>>();

  function meet(accountId: number, cost: number): void {
    const costs = met.get(accountId) ?? new Map();
    met.set(accountId, costs.set(cost, clock()));
  }

  /** 0: none. */
  function greatestCost(accountId: number): number {
    const costs = met.get(accountId);
    if (costs === undefined) return 0;
    for (const [cost, at] of costs) if (clock() - at > rememberedMilliseconds) costs.delete(cost);
    if (costs.size === 0) met.delete(accountId);
    return Math.max(0, ...costs.keys());
  }

  return {
    async matches(accountId, password, hash) {
      const cost = costOf(hash);
      meet(accountId, cost);
      if (await verify(password, hash)) return true;
      // Each step doubles the work: 2^c, then again 2^c, 2^(c+1), … add up to that of the most expensive.
      for (let step = cost; step < greatestCost(accountId); step += 1) await verify(password, decoyOf(step));
      return false;
    },
    async spend(accountId, password) {
      const cost = greatestCost(accountId);
      if (cost > 0) await verify(password, decoyOf(cost));
    },
  };
}

/** For `$2b$10$…` and the like: two digits, the logarithm of the work. */
function costOf(hash: string): number {
  return Number(hash.slice(4, 6));
}

/** The hash of no password. */
function decoyOf(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}
