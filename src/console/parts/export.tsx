import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Problem, problemOf } from '../api/problem.ts';
import { counted } from './counted.ts';
import { Dialog } from './dialog.tsx';
import { download, fileName } from './download.ts';
import { say } from './notices.tsx';
import { Progress } from './progress.tsx';
import { ProblemNote } from './screen.tsx';

export interface ExportFormat {
  readonly label: string;
  readonly type: string;
  readonly extension: string;
}

export interface Exported {
  readonly count: number;
  /** Browsers keep large blobs on disk. */
  readonly parts: readonly Blob[];
}

export interface ExportProps<Format extends string> {
  /** What an item is, such as `event`; title and file are named after it. */
  readonly noun: string;
  /** The first is the default; where there is one, nobody is asked. */
  readonly formats: Readonly<Record<Format, ExportFormat>>;
  /** `report`: `total` is null where it is not known. */
  readonly read: (
    format: Format,
    signal: AbortSignal,
    report: (done: number, total: number | null) => void,
  ) => Promise<Exported>;
  /** What is in the file. */
  readonly children: ComponentChildren;
}

/** A button that reads a whole list and gives it to the browser as a file. */
export function ExportButton<Format extends string>(props: ExportProps<Format>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Export
      </button>
      {isOpen && <Export {...props} close={() => setIsOpen(false)} />}
    </>
  );
}

function Export<Format extends string>({
  noun,
  formats,
  read,
  children,
  close,
}: ExportProps<Format> & { readonly close: () => void }) {
  const choices = Object.entries<ExportFormat>(formats) as [Format, ExportFormat][];
  const [format, setFormat] = useState(choices[0]?.[0] as Format);
  const [progress, setProgress] = useState<{ readonly done: number; readonly total: number | null } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const run = async () => {
    const { signal } = stop.current;
    setProblem(null);
    setProgress({ done: 0, total: null });
    try {
      const { count, parts } = await read(format, signal, (done, total) => setProgress({ done, total }));
      if (signal.aborted) return;
      const { type, extension } = formats[format];
      download(fileName(`${noun}s`, extension), type, parts);
      say(`${counted(count, noun)} ${count === 1 ? 'was' : 'were'} exported.`);
      close();
    } catch (error) {
      if (signal.aborted) return;
      setProblem(problemOf(error));
      setProgress(null);
    }
  };
  return (
    <Dialog title={`Export ${noun}s`} close={close}>
      <div class="stack">
        {problem && <ProblemNote problem={problem} />}
        <p>{children}</p>
        {choices.length > 1 && (
          <label class="field">
            <span>Format</span>
            <select
              value={format}
              disabled={progress !== null}
              onChange={(event) => setFormat(event.currentTarget.value as Format)}
            >
              {choices.map(([value, { label }]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        )}
        {progress && <Progress label={`Export of ${noun}s`} {...progress} />}
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
