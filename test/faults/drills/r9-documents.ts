import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startFlags } from '../../support/process.ts';
import type { Drill } from '../drill.ts';
import type { Filled } from '../fill-documents.ts';

const ofRound = 10_000;
const mebibyte = 1024 * 1024;
const mostBytes = 64 * mebibyte;

const program = fileURLToPath(new URL('../fill-documents.ts', import.meta.url));

/** R9: strangers come with the addresses of any number of metadata documents. */
export const drill: Drill = {
  id: 'R9',
  title: 'memory and rows under distinct metadata documents of clients (10,000 per round)',
  rounds: 10,
  quickRounds: null,
  run: async ({ rounds }) => {
    const child = fork(program, [String(rounds * ofRound)], { execArgv: ['--expose-gc', ...startFlags] });
    const gone = new AbortController();
    child.once('exit', (code) => gone.abort(new Error(`${program} ended with exit code ${code}`)));
    const [filled] = (await once(child, 'message', { signal: gone.signal })) as [Filled];
    const { begun, newRows, residentBytes, heapBytes } = filled;
    return {
      figures: {
        'distinct documents': rounds * ofRound,
        'sign-ins begun': begun,
        'more rows': newRows,
        'more resident memory, MB': inMegabytes(residentBytes),
        'more on the heap, MB': inMegabytes(heapBytes),
      },
      holds: begun === rounds * ofRound && newRows === 0 && Math.max(residentBytes, heapBytes) <= mostBytes,
    };
  },
};

function inMegabytes(bytes: number): string {
  return (bytes / mebibyte).toFixed(1);
}
