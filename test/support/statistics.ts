/** Whether two populations of measurements can be distinguished. */

/**
 * Area under the ROC curve: how likely a value of `a` is smaller than one of `b`, ties counted half (Mann–Whitney).
 * 0.5 means that nobody can tell them apart.
 */
export function areaUnderCurve(a: readonly number[], b: readonly number[]): number {
  const merged = [...a.map((value) => ({ value, ofA: true })), ...b.map((value) => ({ value, ofA: false }))];
  merged.sort((one, other) => one.value - other.value);
  let smallerOfA = 0;
  let pairs = 0;
  for (let start = 0; start < merged.length; ) {
    let end = start;
    while (end < merged.length && merged[end]?.value === merged[start]?.value) end += 1;
    const tied = merged.slice(start, end);
    const tiedOfA = tied.filter(({ ofA }) => ofA).length;
    const tiedOfB = tied.length - tiedOfA;
    pairs += tiedOfB * (smallerOfA + tiedOfA / 2);
    smallerOfA += tiedOfA;
    start = end;
  }
  return pairs / (a.length * b.length);
}

/** Welch's t: the difference of the means over its standard error; positive when `b` is larger on average. */
export function welchT(a: readonly number[], b: readonly number[]): number {
  return (mean(b) - mean(a)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value below which this share of the others lies, by nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

function variance(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
}
