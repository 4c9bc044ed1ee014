/** How far a long command has come: a bar on standard error where a person watches it, and nothing elsewhere. */

import { printableValue } from '../adapters/printable.ts';

/** What a long command tells while it works. Cheap: it may be called for each row. */
export interface Progress {
  /** Begins the next stage. `total` is what `done` will reach; null when that is not known. */
  stage(label: string, total: number | null): void;
  /** What is done of the stage by now: bytes, rows, whatever `total` counts, which may become known, or change. */
  done(count: number, total?: number | null): void;
}

/** The part of a terminal's stream that a bar needs. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

interface ProgressOptions {
  /** `--json`: a program reads the output, so there is no bar. */
  readonly json: boolean;
  readonly screen?: Screen;
  /** Milliseconds. */
  readonly now?: () => number;
}

interface Stage {
  readonly label: string;
  readonly began: number;
  total: number | null;
  count: number;
}

/** A command that ends sooner shows no bar. */
const patienceMilliseconds = 500;
const betweenDrawings = 100;
const barCells = 24;
const eraseLine = '\r\u001b[K';

/** Runs `work`, and shows what it tells. The line of the bar is gone when it ends, also when it fails. */
export async function withProgress<Result>(
  { json, screen = process.stderr, now = () => performance.now() }: ProgressOptions,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  if (json || !screen.isTTY) return work({ stage: () => {}, done: () => {} });
  const began = now();
  let current: Stage | null = null;
  let drawnAt = Number.NEGATIVE_INFINITY;
  const draw = () => {
    const at = now();
    if (!current || at - began < patienceMilliseconds || at - drawnAt < betweenDrawings) return;
    drawnAt = at;
    screen.write(`${eraseLine}${lineOf(current, at).slice(0, (screen.columns ?? 80) - 1)}`);
  };
  try {
    return await work({
      stage: (label, total) => {
        current = { label: printableValue(label), total, began: now(), count: 0 };
        draw();
      },
      done: (count, total = current?.total) => {
        if (current) Object.assign(current, { count, total });
        draw();
      },
    });
  } finally {
    if (drawnAt > Number.NEGATIVE_INFINITY) screen.write(eraseLine);
  }
}

/** `copying users  [############------------]  50%  1,000 of 2,000  0:12 left`. */
function lineOf({ label, total, count, began }: Stage, at: number): string {
  if (total === null || total <= 0) return `${label}  ${grouped(count)}`;
  const share = Math.min(1, Math.max(0, count / total));
  const filled = Math.floor(share * barCells);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(barCells - filled)}]`;
  const left = share > 0 ? `  ${duration(((at - began) / share) * (1 - share))} left` : '';
  return `${label}  ${bar} ${String(Math.floor(share * 100)).padStart(3)}%  ${grouped(count)} of ${grouped(total)}${left}`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}
