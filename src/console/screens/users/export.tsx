import { useEffect, useRef, useState } from 'preact/hooks';
import { open } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { Problem, problemOf } from '../../api/problem.ts';
import { counted } from '../../parts/counted.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { download, fileName } from '../../parts/download.ts';
import { say } from '../../parts/notices.tsx';
import { Progress } from '../../parts/progress.tsx';
import { ProblemNote } from '../../parts/screen.tsx';

type Format = Schemas['UserFileFormat'];

const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

export function ExportUsers() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Export
      </button>
      {isOpen && <Export close={() => setIsOpen(false)} />}
    </>
  );
}

function Export({ close }: { readonly close: () => void }) {
  const [format, setFormat] = useState<Format>('csv');
  const [progress, setProgress] = useState<{ readonly done: number; readonly total: number } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const run = async () => {
    const { signal } = stop.current;
    setProblem(null);
    setProgress({ done: 0, total: 0 });
    try {
      const { total, parts } = await read(format, signal, (done, all) => setProgress({ done, total: all }));
      download(fileName('users', format === 'csv' ? 'csv' : 'jsonl'), types[format], parts);
      say(`${counted(total, 'user')} ${total === 1 ? 'was' : 'were'} exported.`);
      close();
    } catch (error) {
      if (signal.aborted) return;
      setProblem(problemOf(error));
      setProgress(null);
    }
  };
  return (
    <Dialog title="Export users" close={close}>
      <div class="stack">
        {problem && <ProblemNote problem={problem} />}
        <p>
          All users of the account, whatever the list shows, as a file that an import takes. Passwords are not in it.
        </p>
        <label class="field">
          <span>Format</span>
          <select
            value={format}
            disabled={progress !== null}
            onChange={(event) => setFormat(event.currentTarget.value as Format)}
          >
            <option value="csv">CSV</option>
            <option value="ndjson">JSON lines</option>
          </select>
        </label>
        {progress && <Progress label="Export of users" {...progress} />}
        <div class="actions">
          <button type="button" class="primary" disabled={progress !== null} onClick={() => void run()}>
            {problem ? 'Try again' : 'Download'}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </div>
    </Dialog>
  );
}

interface Exported {
  readonly total: number;
  /** Browsers keep large blobs on disk. */
  readonly parts: readonly Blob[];
}

async function read(
  format: Format,
  signal: AbortSignal,
  report: (done: number, total: number) => void,
): Promise<Exported> {
  const { body, headers } = await open('/api/2/users/export', { query: { format } }, types[format], signal);
  const total = Number(headers.get('total-count'));
  const parts: Blob[] = [];
  // The heading is no user.
  let done = format === 'csv' ? -1 : 0;
  const reader = body.getReader();
  for (;;) {
    const { done: isEnd, value } = await reader.read().catch(() => {
      throw new Problem(0, 'The export was cut off before its end.');
    });
    if (isEnd) return { total, parts };
    parts.push(new Blob([value]));
    for (const byte of value) if (byte === lineFeed) done += 1;
    report(Math.max(0, Math.min(done, total)), total);
  }
}

const lineFeed = 10;
