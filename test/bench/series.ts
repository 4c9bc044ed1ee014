import type { Measurement } from './target.ts';

/** All rounds of one target. */
export interface Series {
  readonly name: string;
  /** Server and request, in words for the table. */
  readonly label: string;
  readonly measurements: readonly Measurement[];
  readonly errors: number;
  readonly firstError: string | null;
  /** Of the server's first process, in MB. */
  readonly peakMemory: number | null;
}

/** The value that this share of the values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = Number.NaN, high = low] = sorted.slice(
    Math.floor((sorted.length - 1) / 2),
    Math.floor(sorted.length / 2) + 1,
  );
  return (low + high) / 2;
}
