/** What `npm run drill` runs: a fault or an attack, repeated, with figures. */

import { type DatabaseKind, databases } from '../support/stores.ts';

export interface Drill {
  /** Name of the test in the security design: `T1`. */
  readonly id: string;
  readonly title: string;
  /** Rounds of the full drill, unless `--rounds` says otherwise. */
  readonly rounds: number;
  /** Rounds in `npm test`; null for what measures time, or what other tests show once. */
  readonly quickRounds: number | null;
  /** Databases in `npm test`; both unless said. */
  readonly quickDatabases?: readonly DatabaseKind[] | undefined;
  run(options: DrillOptions): Promise<DrillResult>;
}

export interface DrillOptions {
  readonly rounds: number;
  /** Runs among other tests: what a machine that is busy with those takes long for says nothing about the service. */
  readonly amongTests?: boolean;
  /** Both unless said. */
  readonly databases?: readonly DatabaseKind[] | undefined;
  /** Takes a line for people about what went wrong, or how far it is. */
  readonly log: (line: string) => void;
}

export interface DrillResult {
  readonly figures: Readonly<Record<string, number | string>>;
  /** Whether the service is as promised. */
  readonly holds: boolean;
}

/** Runs a drill on one database after the other; the figures are prefixed with the database's name. */
export async function onEachDatabase(
  run: (database: DatabaseKind) => Promise<DrillResult>,
  kinds: readonly DatabaseKind[] = databases,
): Promise<DrillResult> {
  const figures: Record<string, number | string> = {};
  let holds = true;
  for (const database of kinds) {
    const result = await run(database);
    for (const [name, value] of Object.entries(result.figures)) figures[`${database}: ${name}`] = value;
    holds &&= result.holds;
  }
  return { figures, holds };
}

/** How often each value occurs, as text: `1 × 20, 2 × 1`. */
export function histogram(values: readonly number[]): string {
  const counts = Map.groupBy(values, (value) => value);
  return [...counts]
    .toSorted(([a], [b]) => a - b)
    .map(([value, same]) => `${value} × ${same.length}`)
    .join(', ');
}
