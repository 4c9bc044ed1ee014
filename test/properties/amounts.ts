/** How many requests each operation gets: that fit the contract, and with one thing wrong. */

import type { DatabaseKind } from '../support/stores.ts';

export interface Amount {
  readonly valid: number;
  readonly wrong: number;
}

/** With every run of the tests. */
export const few: Readonly<Record<DatabaseKind, Amount>> = {
  sqlite: { valid: 1, wrong: 1 },
  postgres: { valid: 1, wrong: 1 },
};

/** In the drill O7: about half of those that fit the contract may be refused by a rule that it does not state. */
export const whole: Amount = { valid: 420, wrong: 215 };
