/** An import of a file, piece by piece: the calls, and what became of the lines. */

import { api } from '../../../api/api.ts';
import type { Schemas } from '../../../api/contract.ts';
import { Problem } from '../../../api/problem.ts';
import { patiently, wasStopped } from '../../../parts/pages.ts';
import { type Format, type Piece, piecesOf } from './pieces.ts';

/** Of a line of the file. */
export type Outcome = Schemas['UserImportOutcome'];
export type Result = Outcome['result'];
export type Existing = NonNullable<Schemas['UserImport']['existing']>;

export interface Tally {
  readonly counts: Readonly<Record<Result, number>>;
  /** The first lines of the file. */
  readonly first: readonly Outcome[];
  /** The first lines that failed. */
  readonly failures: readonly Outcome[];
  /** All of them, as JSON lines. Browsers keep large blobs on disk. */
  readonly report: readonly Blob[];
}

export interface ImportChoice {
  readonly file: File;
  readonly format: Format;
  readonly existing: Existing;
}

export interface Import {
  /**
   * Sends what was not sent yet, and tells after each call how many bytes of the file are done. Ends early when it is
   * told to stop; throws `Problem`, and goes on from there when it is called again.
   */
  run(tell: (tally: Tally, read: number) => void, signal: AbortSignal): Promise<void>;
}

const mostFirst = 10;
const mostFailures = 100;

export function importOf({ file, format, existing }: ImportChoice, isDryRun: boolean): Import {
  const pieces = piecesOf(file, format);
  let waiting: { readonly piece: Piece; key: string } | null = null;
  let tally: Tally = { counts: { created: 0, updated: 0, skipped: 0, failed: 0 }, first: [], failures: [], report: [] };
  /** What ended the reading of the file: it does not go on. */
  let broken: unknown = null;
  const next = async () => {
    if (broken !== null) throw broken;
    try {
      const { done, value } = await pieces.next();
      return done ? null : { piece: value, key: newKey() };
    } catch (error) {
      broken = error;
      throw error;
    }
  };
  return {
    run: async (tell, signal) => {
      while (!signal.aborted) {
        waiting ??= await next();
        if (waiting === null) return;
        const { content, linesBefore, read } = waiting.piece;
        // Sent again after a lost answer, it is answered as the first time.
        const header = { 'Idempotency-Key': waiting.key };
        const body = { format, content, existing, dry_run: isDryRun };
        try {
          const { data } = await patiently(() => api.post('/api/2/users/import', { header, body }), signal);
          tally = added(tally, data, linesBefore);
        } catch (error) {
          if (wasStopped(error, signal)) return;
          // What became of that request is not known; users who are there are skipped.
          if (error instanceof Problem && error.status === 409) waiting.key = newKey();
          throw error;
        }
        waiting = null;
        tell(tally, read);
      }
    },
  };
}

const newKey = () => crypto.randomUUID();

function added({ counts, first, failures, report }: Tally, data: Schemas['UserImportResult'], before: number): Tally {
  const outcomes = data.outcomes.map((one) => ({ ...one, line: one.line + before }));
  const failed = outcomes.filter(({ result }) => result === 'failed');
  return {
    counts: {
      created: counts.created + data.created,
      updated: counts.updated + data.updated,
      skipped: counts.skipped + data.skipped,
      failed: counts.failed + data.failed,
    },
    first: [...first, ...outcomes].slice(0, mostFirst),
    failures: [...failures, ...failed].slice(0, mostFailures),
    report: [...report, new Blob(outcomes.map((one) => `${JSON.stringify(one)}\n`))],
  };
}
