/** Makes and changes users as the lines of a file say, through `addUsers` and `updateUser`. */

import type { StoreVerbs } from '../../../store/store.ts';
import type { Account } from '../../accounts/account.ts';
import { partsOf } from '../../parts.ts';
import type { UserServices } from '../write-user.ts';
import { importInto } from './import-lines.ts';
import type { ImportOptions, ImportServices, Run } from './import-run.ts';
import { failed, isOfLine, type Line, type LineOutcome, notStored, readLine } from './line.ts';
import type { FileRow } from './person.ts';

/** Lines that are read and told of together. */
const linesAtOnce = 100;
/** Of one transaction, in new users: a few tens of milliseconds, since nobody else writes to SQLite meanwhile. */
const mostWork = 100;
/** A change reads the user, and looks at all that depends on it. */
const workOfChange = 4;

/** Ends a transaction without a commit, with its result. */
class Undone extends Error {
  readonly outcomes: LineOutcome[];
  constructor(outcomes: LineOutcome[]) {
    super('a dry run keeps nothing');
    this.outcomes = outcomes;
  }
}

/**
 * Answers the outcomes of a few lines at a time, in their order, each after its commit. Nothing of a line that failed
 * is stored. Throws what is not the fault of a line.
 */
export async function* importPeople(
  services: ImportServices,
  account: Account,
  rows: AsyncIterable<FileRow>,
  options: ImportOptions,
): AsyncGenerator<readonly LineOutcome[], void, undefined> {
  const run: Run = {
    services,
    account,
    options,
    roles: new Map(),
    wouldExist: new Set(),
    hasStored: false,
    attributes: null,
    ended: null,
  };
  let waiting: FileRow[] = [];
  for await (const row of rows) {
    waiting.push(row);
    if (waiting.length < linesAtOnce) continue;
    yield await importRows(run, waiting);
    waiting = [];
  }
  if (waiting.length > 0) yield await importRows(run, waiting);
}

async function importRows(run: Run, rows: readonly FileRow[]): Promise<LineOutcome[]> {
  const outcomes: LineOutcome[] = [];
  const lines: Line[] = [];
  for (const row of rows) {
    try {
      lines.push(readLine(row));
    } catch (error) {
      outcomes.push(failed(row, error));
    }
  }
  const parts = partsOf(lines, mostWork, (line) => workOf(run.options, line));
  for (const some of parts) outcomes.push(...(await importLines(run, some)));
  return outcomes.toSorted((one, other) => one.line - other.line);
}

function workOf({ existing }: ImportOptions, { roles = [], input }: Line): number {
  const parts = roles.length + Object.keys(input.customAttributes ?? {}).length;
  return (existing === 'update' ? workOfChange : 1) + parts;
}

/** All lines in one transaction, or else each half in its own, down to the lines that fail. */
async function importLines(run: Run, lines: readonly Line[]): Promise<LineOutcome[]> {
  const { ended } = run;
  if (ended) return lines.map((line) => notStored(line, ended));
  await run.options.rest();
  try {
    const outcomes = await importTogether(run, lines);
    run.hasStored ||= !run.options.dryRun;
    return outcomes;
  } catch (error) {
    if (!isOfLine(error) && run.hasStored && run.options.failureOfRest) {
      run.ended = run.options.failureOfRest(error);
      return importLines(run, lines);
    }
    const failures = lines.map((line) => failed(line, error));
    if (lines.length === 1) return failures;
    const middle = lines.length >> 1;
    return [...(await importLines(run, lines.slice(0, middle))), ...(await importLines(run, lines.slice(middle)))];
  }
}

async function importTogether(run: Run, lines: readonly Line[]): Promise<LineOutcome[]> {
  const work = run.services.store.transaction(async (tx) => {
    // What the writes of users ask of the store, and their transaction, is this one.
    const transaction = <Result>(write: (verbs: StoreVerbs) => Result) => write(tx);
    const services = { ...run.services, store: { ...tx, transaction } } as UserServices;
    const outcomes = await importInto(run, services, lines);
    if (run.options.dryRun) throw new Undone(outcomes);
    return outcomes;
  });
  return work.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
    const created = new Set(error.outcomes.flatMap(({ line, result }) => (result === 'created' ? line : [])));
    for (const { line, names } of lines) if (created.has(line)) for (const name of names) run.wouldExist.add(name);
    return error.outcomes;
  });
}
