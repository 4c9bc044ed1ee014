import type { Problem } from '../../../api/problem.ts';
import { counted } from '../../../parts/counted.ts';
import { Progress } from '../../../parts/progress.tsx';
import { ProblemNote } from '../../../parts/screen.tsx';
import type { Import, Tally } from './run.ts';

export interface Work {
  readonly isDryRun: boolean;
  readonly import: Import;
  readonly read: number;
  readonly tally: Tally | null;
  readonly state: 'running' | 'stopped' | 'done';
}

interface RunningProps {
  readonly work: Work;
  readonly size: number;
  readonly problem: Problem | null;
  readonly stop: () => void;
  readonly goOn: () => void;
}

/** How far it is, and how it is stopped and goes on. */
export function Running({ work: { isDryRun, state, read, tally }, size, problem, stop, goOn }: RunningProps) {
  const lines = tally ? Object.values(tally.counts).reduce((sum, count) => sum + count, 0) : 0;
  return (
    <>
      {problem && <ProblemNote problem={problem} />}
      {state === 'running' && (
        <>
          <Progress label={isDryRun ? 'Preview of the import' : 'Import'} done={read} total={size} unit="bytes" />
          <div class="actions">
            <button type="button" onClick={stop}>
              Stop
            </button>
          </div>
        </>
      )}
      {state === 'stopped' && (
        <>
          <p role="status">
            Stopped after {counted(lines, 'line')}.{!isDryRun && ' What was imported by then stays.'}
          </p>
          <div class="actions">
            <button type="button" onClick={goOn}>
              Go on
            </button>
          </div>
        </>
      )}
      {state === 'done' && <p role="status">{doneWords(isDryRun, lines)}</p>}
    </>
  );
}

function doneWords(isDryRun: boolean, lines: number): string {
  if (lines === 0) return 'The file has no users.';
  return isDryRun ? 'Nothing was changed yet: this is what an import would do.' : 'The file was imported.';
}
