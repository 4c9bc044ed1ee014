import { day } from '../domain/durations.ts';
import { verifyBcrypt } from './password-threads.ts';

/**
 * Checks passwords against bcrypt hashes that were imported. Where such a hash was met, every refusal of its account
 * costs as much as its costliest, so that the time does not tell who is one of those users. Other accounts pay nothing
 * for it, nor does the account itself once it has met no hash of that cost for a day.
 */
interface ImportedBcrypt {
  /** As bcrypt does: bytes as they are typed, the first 72 of them. */
  matches(accountId: number, password: string, hash: string): Promise<boolean>;
  /** The same work, for a refusal without a bcrypt hash. */
  spend(accountId: number, password: string): Promise<void>;
}

interface ImportedBcryptOptions {
  /** Those of the password threads unless said. */
  readonly verify?: (password: string, hash: string) => Promise<boolean>;
  /** Milliseconds; those of the process unless said. */
  readonly clock?: () => number;
}

/** After its last use. A cost that was kept for good would outlive the users who have it. */
const rememberedMilliseconds = day;

export function createImportedBcrypt(options: ImportedBcryptOptions = {}): ImportedBcrypt {
  const { verify = verifyBcrypt, clock = () => performance.now() } = options;
  /** When each cost was met last, by account. */
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
      // Each step doubles the work: 2^c, and again 2^c, 2^(c+1), …, are together that of the costliest.
      for (let step = cost; step < greatestCost(accountId); step += 1) await verify(password, decoyOf(step));
      return false;
    },
    async spend(accountId, password) {
      const cost = greatestCost(accountId);
      if (cost > 0) await verify(password, decoyOf(cost));
    },
  };
}

/** Of `$2b$10$…` and its kin: two digits, the logarithm of the work. */
function costOf(hash: string): number {
  return Number(hash.slice(4, 6));
}

/** The hash of no password. */
function decoyOf(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}
