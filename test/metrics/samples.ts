/** Metrics as Prometheus reads them. */

import type { Metrics } from '../../src/metrics/registry.ts';

/** Each sample, by its name with its labels. */
export async function samplesOf(metrics: Pick<Metrics, 'text'>): Promise<ReadonlyMap<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/**
 * What `work` adds to the counters whose names begin like this, by the rest of their names. Of histograms the number of
 * observations.
 */
export async function addedBy(
  metrics: Pick<Metrics, 'text'>,
  prefix: string,
  work: () => Promise<unknown>,
): Promise<Readonly<Record<string, number>>> {
  const before = await samplesOf(metrics);
  await work();
  const added = [...(await samplesOf(metrics))].flatMap(([name, value]) => {
    const more = value - (before.get(name) ?? 0);
    const isCounter = /_(total|count)(\{|$)/.test(name);
    return name.startsWith(prefix) && isCounter && more !== 0 ? [[name.slice(prefix.length), more] as const] : [];
  });
  return Object.fromEntries(added);
}
