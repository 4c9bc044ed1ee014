import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startFlags } from '../../support/process.ts';
import type { Drill } from '../drill.ts';
import type { Filled } from '../fill-limits.ts';

const keysOfRound = 1_000_000;
const mebibyte = 1024 * 1024;
const mostBytes = 64 * mebibyte;

const program = fileURLToPath(new URL('../fill-limits.ts', import.meta.url));

/** L10: strangers send distinct addresses and client ids to the counters of all limits. */
export const drill: Drill = {
  id: 'L10',
  title: 'memory of the limits under distinct addresses and client ids (a million per round)',
  rounds: 10,
  quickRounds: null,
  run: async ({ rounds }) => {
    const child = fork(program, [String(rounds * keysOfRound)], { execArgv: ['--expose-gc', ...startFlags] });
    const gone = new AbortController();
    child.once('exit', (code) => gone.abort(new Error(`${program} ended with exit code ${code}`)));
    const [filled] = (await once(child, 'message', { signal: gone.signal })) as [Filled];
    const { keptKeys, residentBytes, heapBytes, arrayBytes } = filled;
    return {
      figures: {
        'distinct keys': rounds * keysOfRound,
        'kept keys': keptKeys,
        'more resident memory, MB': inMegabytes(residentBytes),
        'more on the heap, MB': inMegabytes(heapBytes),
        'more in arrays, MB': inMegabytes(arrayBytes),
      },
      // What was never touched is not resident yet.
      holds: keptKeys > 0 && Math.max(residentBytes, heapBytes + arrayBytes) <= mostBytes,
    };
  },
};

function inMegabytes(bytes: number): string {
  return (bytes / mebibyte).toFixed(1);
}
