import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '../api/api.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { Dialog } from './dialog.tsx';
import { download, fileName } from './download.ts';
import { say } from './notices.tsx';
import { pagesOf } from './pages.ts';
import { Progress } from './progress.tsx';
import { ProblemNote } from './screen.tsx';

export interface ExportProps<Item> {
  /** In the plural, such as `events`; the file is named after it. */
  readonly what: string;
  /** A page of the list, as large as the service gives it; the first has no cursor. */
  readonly ask: (cursor: string | null) => Promise<Answer<readonly Item[]>>;
}

/** A button that reads a whole list and gives it to the browser as JSON lines, one item in each. */
export function ExportButton<Item>({ what, ask }: ExportProps<Item>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Export
      </button>
      {isOpen && <Export what={what} ask={ask} close={() => setIsOpen(false)} />}
    </>
  );
}

function Export<Item>({ what, ask, close }: ExportProps<Item> & { readonly close: () => void }) {
  const [progress, setProgress] = useState<{ readonly done: number; readonly total: number | null } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const stop = useRef<AbortController>(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const run = async () => {
    setProblem(null);
    setProgress({ done: 0, total: null });
    const { signal } = stop.current;
    const report = (done: number, total: number | null) => setProgress({ done, total });
    try {
      // Browsers keep large blobs on disk.
      const parts: Blob[] = [];
      let count = 0;
      for await (const items of pagesOf(ask, { report, signal })) {
        parts.push(new Blob(items.map((item) => `${JSON.stringify(item)}\n`)));
        count += items.length;
      }
      if (signal.aborted) return;
      download(fileName(what, 'jsonl'), 'application/jsonl', parts);
      say(`${count.toLocaleString('en')} ${what} were exported.`);
      close();
    } catch (error) {
      if (signal.aborted) return;
      setProblem(problemOf(error));
      setProgress(null);
    }
  };
  return (
    <Dialog title={`Export ${what}`} close={close}>
      <div class="stack">
        {problem && <ProblemNote problem={problem} />}
        <p>
          All {what} that the list shows with its present filters, on all pages, as a file with a JSON object in each
          line.
        </p>
        {progress && <Progress label={`Export of ${what}`} {...progress} />}
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
