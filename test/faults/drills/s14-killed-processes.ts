import { setTimeout as delay } from 'node:timers/promises';
import { handler, openRunner } from '../../hook-runner/runner.ts';
import { type Drill, type DrillOptions, type DrillResult, histogram } from '../drill.ts';

const waits = handler('return new Promise(() => {})');
const answers = handler('return 1');
/** Until a killed process is replaced by one that was made before; with none ready it is a start. */
const pauseMilliseconds = 1000;
const mostMilliseconds = 200;

/** S14: hook processes killed in a call, and how soon the next call is answered. */
export const drill: Drill = {
  id: 'S14',
  title: 'hook processes killed during a call',
  rounds: 200,
  quickRounds: null,
  run,
};

async function run({ rounds, log }: DrillOptions): Promise<DrillResult> {
  const runner = await openRunner();
  const endings: number[] = [];
  const next: number[] = [];
  try {
    for (let round = 1; round <= rounds; round++) {
      await runner.value(answers);
      await delay(pauseMilliseconds);
      const call = runner.call(waits, { timeoutMilliseconds: 10_000 });
      await delay(20);
      const pid = runner.processes().find(({ underWay }) => underWay === 1)?.pid;
      if (pid) process.kill(pid, 'SIGKILL');
      endings.push((await call).ending === 'crashed' ? 1 : 0);
      const startedAt = performance.now();
      await runner.value(answers);
      next.push(performance.now() - startedAt);
      if (round % 50 === 0) log(`round ${round} of ${rounds}`);
    }
  } finally {
    await runner.close();
  }
  next.sort((one, other) => one - other);
  const median = next[Math.floor(next.length / 2)] ?? Number.NaN;
  return {
    figures: {
      'killed calls that ended as crashed (1)': histogram(endings),
      'next call, median ms': Math.round(median),
      'next call, worst ms': Math.round(next.at(-1) ?? Number.NaN),
    },
    holds: endings.every((ending) => ending === 1) && median <= mostMilliseconds,
  };
}
