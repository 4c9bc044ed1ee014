import { verifyBcrypt } from './password-threads.ts';

/** Checks passwords against bcrypt hashes that were imported. */
interface ImportedBcrypt {
  /** As bcrypt does: bytes as they are typed, the first 72 of them. */
  matches(password: string, hash: string): Promise<boolean>;
  /**
   * Takes the time of the costliest hash that was met until now, none before the first: where some users are refused
   * after a check that takes long, the others are refused as late, so that the time does not tell who is one of them.
   */
  spend(password: string): Promise<void>;
}

export function createImportedBcrypt(): ImportedBcrypt {
  let greatestCost = 0;
  return {
    matches: (password, hash) => {
      greatestCost = Math.max(greatestCost, costOf(hash));
      return verifyBcrypt(password, hash);
    },
    spend: async (password) => {
      if (greatestCost > 0) await verifyBcrypt(password, decoyOf(greatestCost));
    },
  };
}

/** Of `$2b$10$…` and its kin: two digits. */
function costOf(hash: string): number {
  return Number(hash.slice(4, 6));
}

/** The hash of no password. */
function decoyOf(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}
