/** What every group of lines works with: a generator, a folder, and rounds in alternation. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Generator, startGenerator } from './generator-process.ts';
import type { Plan, Rounds } from './plan.ts';
import { peakMemory } from './processor-time.ts';
import type { Series } from './series.ts';
import type { Server } from './servers.ts';
import type { Measurement, RequestKind, Target } from './target.ts';

/** A target under a name for the table. */
export interface Contestant {
  readonly label: string;
  readonly target: Target;
}

export interface Bench {
  readonly plan: Plan;
  /** For the data of servers; removed at the end. */
  readonly folder: string;
  /** Everything measured so far. */
  readonly series: readonly Series[];
  readonly log: (line: string) => void;
  /** Loads each in turn, round after round (A B C A B C …); answers their series in the order given. */
  alternate(rounds: Rounds, contestants: readonly Contestant[]): Promise<Series[]>;
  close(): void;
}

/** A server has settled after so many requests of a kind, or so many times the plan's. */
const fewRequests = 500;
const mostTurns = 5;

export function contestant(server: Server, kind: RequestKind, label = server.label): Contestant {
  const target = server.targets[kind];
  if (!target) throw new Error(`${server.label} answers no ${kind}`);
  return { label: `${label}, ${kind}`, target };
}

export function openBench(plan: Plan, log: (line: string) => void): Bench {
  const generator = startGenerator();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const settled = new Set<string>();
  const series: Series[] = [];
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.once('SIGINT', () => process.exit(130));

  /** Longer where requests are slow, since V8 compiles what ran often. */
  async function settle({ target }: Contestant, { settleMilliseconds }: Plan): Promise<void> {
    if (settled.has(target.name)) return;
    settled.add(target.name);
    generator.add(target);
    let requests = 0;
    for (let turn = 0; turn < mostTurns && requests < fewRequests; turn += 1) {
      requests += (await measureOnce(generator, plan, target, 0, settleMilliseconds)).requests;
    }
  }

  return {
    plan,
    folder,
    series,
    log,
    alternate: async ({ rounds, milliseconds, ...others }, contestants) => {
      const loaded = { ...plan, ...others };
      for (const one of contestants) await settle(one, loaded);
      const measured = contestants.map((): Measurement[] => []);
      for (let round = 1; round <= rounds; round += 1) {
        for (const [index, { target, label }] of contestants.entries()) {
          const measurement = await measureOnce(generator, loaded, target, loaded.warmUpMilliseconds, milliseconds);
          measured[index]?.push(measurement);
          log(`${label}: ${Math.round(measurement.perSecond)}/s (round ${round} of ${rounds})`);
        }
      }
      const found = contestants.map((one, index) => summarise(one, measured[index] ?? []));
      series.push(...found);
      return found;
    },
    close: () => {
      generator.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function measureOnce(
  generator: Generator,
  { connections }: Plan,
  { name }: Target,
  warmUpMilliseconds: number,
  milliseconds: number,
): Promise<Measurement> {
  const measurement = await generator.measure({ name, connections, warmUpMilliseconds, milliseconds });
  if (measurement.requests === 0 && measurement.errors > 0) throw new Error(`${name}: ${measurement.firstError}`);
  return measurement;
}

function summarise({ label, target }: Contestant, measurements: readonly Measurement[]): Series {
  return {
    name: target.name,
    label,
    measurements,
    errors: measurements.reduce((sum, { errors }) => sum + errors, 0),
    firstError: measurements.find(({ firstError }) => firstError !== null)?.firstError ?? null,
    peakMemory: peakMemory(target.pids[0] ?? 0),
  };
}
