/** How many requests each operation gets. */

import type { DatabaseKind } from '../support/stores.ts';
import type { FaultKind } from './fault.ts';
import type { Operation } from './operations.ts';

export interface Amount {
  /** Requests that fit the contract. */
  readonly valid: number;
  /** Requests with one thing wrong. */
  readonly wrong: number;
}

/** `whole` is sent in all; operations that change something, which take longest, get no more than the least. */
const plans: Readonly<Record<DatabaseKind, { readonly whole: number; readonly least: Amount }>> = {
  sqlite: { whole: 20_400, least: { valid: 360, wrong: 215 } },
  postgres: { whole: 2_100, least: { valid: 50, wrong: 35 } },
};

export function amountsOf(kind: DatabaseKind, operations: readonly Operation[]): ReadonlyMap<string, Amount> {
  const { whole, least } = plans[kind];
  const reading = operations.filter(({ method }) => method === 'GET').length;
  const left = whole - (operations.length - reading) * (least.valid + least.wrong);
  const each = reading === 0 ? 0 : Math.ceil(left / reading);
  const most = {
    valid: Math.max(least.valid, Math.ceil(each * 0.6)),
    wrong: Math.max(least.wrong, Math.ceil(each * 0.4)),
  };
  return new Map(operations.map(({ name, method }) => [name, method === 'GET' ? most : least]));
}

/** For each operation of the management API: with every run of the tests, and in the drill. */
export const manage = { few: { valid: 30, wrong: 30 }, whole: { valid: 420, wrong: 215 } } as const;

/** It takes no forms and is called for no user. */
export const unfitForManagement: readonly FaultKind[] = ['too many members', 'user locked', 'user suspended'];
