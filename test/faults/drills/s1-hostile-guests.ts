import { attack, type Round } from '../../hook-runner/attack.ts';
import { guests } from '../../hook-runner/guests.ts';
import { openRunner } from '../../hook-runner/runner.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';

/** What the service gives a function of `pre-authentication`. */
const timeoutMilliseconds = 1000;
const mostMegabytes = 384;
/** Of a timer that is late on a busy machine. */
const toleranceMilliseconds = 250;

/**
 * S1, S2, S3: every hostile function ends in its time, takes no more than its memory, and costs its neighbour no run.
 * `npm test` runs them once with less time each.
 */
export const drill: Drill = {
  id: 'S1',
  title: 'hostile functions next to those of another account',
  rounds: 20,
  quickRounds: null,
  run,
};

async function run({ rounds, log }: DrillOptions): Promise<DrillResult> {
  const runner = await openRunner();
  const all: Round[] = [];
  try {
    for (let round = 1; round <= rounds; round++) {
      all.push(await attack(runner, timeoutMilliseconds));
      log(`round ${round} of ${rounds}`);
    }
    const attacked = all.flatMap((round) => round.attacked);
    const wrong = attacked.filter(({ guest, ending }) => !guest.endings.includes(ending as never));
    for (const { guest, ending } of wrong) log(`${guest.attack}: ${ending}`);
    const failures = all.flatMap(({ neighbour }) => neighbour.failures);
    const overrun = Math.max(...attacked.map(({ overrunMilliseconds }) => overrunMilliseconds));
    const peak = Math.max(...all.map(({ peakMegabytes }) => peakMegabytes ?? 0));
    const layers = runner.health().layers.filter(({ state }) => state === 'ok');
    return {
      figures: {
        'layers on': layers.map(({ name }) => name).join(', '),
        'hostile functions': guests.length,
        'ended otherwise than promised': wrong.length,
        'worst beyond timeout + 250 ms': Math.round(overrun),
        "neighbour's calls": all.reduce((sum, { neighbour }) => sum + neighbour.calls, 0),
        "neighbour's failures": failures.length,
        "neighbour's worst p99, ms": Math.round(Math.max(...all.map(({ neighbour }) => neighbour.p99))),
        'peak memory of a process, MB': Math.round(peak),
      },
      holds: wrong.length === 0 && failures.length === 0 && overrun <= toleranceMilliseconds && peak <= mostMegabytes,
    };
  } finally {
    await runner.close();
  }
}
