/** Who still calls deprecated operations: the counts by key, operation and day, and the replacement for each. */

import type { Services } from '../../services.ts';
import type { ApiKeyRecord } from '../../store/callers.ts';
import type { DailyCountRecord } from '../../store/counts.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { day } from '../durations.ts';

const kindPrefix = 'call.';

/** An operation of a deprecated surface, from its contract. */
export interface DeprecatedOperation {
  readonly surface: string;
  readonly operationId: string;
  /** `<METHOD> <path>`. */
  readonly call: string;
  /** The same of its replacement. */
  readonly successor: string;
}

/** What a contract of a deprecated surface says of its operations. */
interface DeprecatedContract {
  readonly paths: Readonly<Record<string, object>>;
}

/** Every operation of the deprecated surfaces, from their contracts. */
export function deprecatedOperationsOf(contracts: Readonly<Record<string, DeprecatedContract>>): DeprecatedOperation[] {
  return Object.entries(contracts).flatMap(([surface, contract]) =>
    Object.entries(contract.paths).flatMap(([path, item]) =>
      Object.entries<{ operationId: string; 'x-successor': string }>({ ...item }).map(([method, operation]) => ({
        surface,
        operationId: operation.operationId,
        call: `${method.toUpperCase()} ${path}`,
        successor: operation['x-successor'],
      })),
    ),
  );
}

/** The calls of one operation with one key. */
export interface DeprecatedCalls extends DeprecatedOperation {
  readonly apiKeyId: number;
  readonly apiKeyName: string;
  readonly calls: number;
  readonly lastAt: Milliseconds | null;
  /** Days on which it was called, oldest first. */
  readonly days: readonly { readonly day: string; readonly calls: number }[];
}

/** The calls of the last `days` days, including today; the latest caller first. Revoked keys are included. */
export async function reportDeprecatedCalls(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  operations: readonly DeprecatedOperation[],
  days: number,
): Promise<DeprecatedCalls[]> {
  const from = new Date(clock.now() - (days - 1) * day).toISOString().slice(0, 10);
  const keys = new Map((await store.callers.listApiKeys(account.id)).map((key) => [key.id, key]));
  const byCall = new Map<string, DailyCountRecord[]>();
  for (const count of await store.counts.list(account.id, from)) {
    if (!count.kind.startsWith(kindPrefix)) continue;
    const call = `${count.kind} ${count.subjectId}`;
    byCall.set(call, [...(byCall.get(call) ?? []), count]);
  }
  return [...byCall.values()]
    .flatMap((counts) => summarize(counts, operations, keys))
    .sort((one, other) => (other.lastAt ?? 0) - (one.lastAt ?? 0));
}

/** Nothing for an operation that this release no longer has. */
function summarize(
  counts: readonly DailyCountRecord[],
  operations: readonly DeprecatedOperation[],
  keys: ReadonlyMap<number, ApiKeyRecord>,
): DeprecatedCalls[] {
  const [first] = counts;
  const operation = operations.find(({ operationId }) => first?.kind === kindPrefix + operationId);
  const key = first && keys.get(first.subjectId);
  if (!operation || !key) return [];
  return [
    {
      ...operation,
      apiKeyId: key.id,
      apiKeyName: key.name,
      calls: counts.reduce((sum, { count }) => sum + count, 0),
      lastAt: counts.reduce<number | null>((last, { lastAt }) => Math.max(last ?? 0, lastAt ?? 0) || null, null),
      days: counts.map(({ day, count }) => ({ day, calls: count })),
    },
  ];
}
