/** Makes and changes users as the lines of a file say, through `addUsers` and `updateUser`. */

import type { StoreVerbs } from '../../../store/store.ts';
import type { Account } from '../../accounts/account.ts';
import { Failure } from '../../failure.ts';
import { addUsers, type NewUser, readNewUser } from '../add-users.ts';
import { type UserServices, updateUser } from '../write-user.ts';
import { type ImportOptions, type ImportServices, inputOf, type Run } from './import-run.ts';
import { failed, isOfLine, type Line, type LineOutcome, leftAlone, notStored, outcome, readLine } from './line.ts';
import type { FileRow } from './person.ts';

/** Lines of one transaction: a few tens of milliseconds, since nobody else writes to SQLite meanwhile. */
const linesAtOnce = 100;

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
  if (lines.length > 0) outcomes.push(...(await importLines(run, lines)));
  return outcomes.toSorted((one, other) => one.line - other.line);
}

/** All lines in one transaction, or else each half in its own, down to the lines that fail. */
async function importLines(run: Run, lines: readonly Line[]): Promise<LineOutcome[]> {
  const { ended } = run;
  if (ended) return lines.map((line) => notStored(line, ended));
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

/**
 * Looks for all users at once, and creates those who are missing at once: at the end, or before a line that changes a
 * user or has a name of theirs. So each line meets what the lines before it left.
 */
async function importInto(run: Run, services: UserServices, lines: readonly Line[]): Promise<LineOutcome[]> {
  const { account, options } = run;
  const { store } = services;
  const outcomes: LineOutcome[] = [];
  const made = new Set<number>();
  let missing: Missing[] = [];
  const create = async () => {
    for (const one of await createMissing(run, services, missing)) {
      outcomes.push(one);
      if (one.userId !== null) made.add(one.userId);
    }
    missing = [];
  };
  const find = (some: readonly Line[]) =>
    store.users.idsByNames(
      account.id,
      some.map(({ keys }) => keys),
    );
  const found = await find(lines);
  const names = new Set<string>();
  let isChanged = false;
  for (const [place, line] of lines.entries()) {
    const occurred = line.names.some((name) => names.has(name));
    if (occurred) await create();
    // Whoever was changed may have had this name.
    const id = (occurred || isChanged ? (await find([line]))[0] : found[place]) ?? null;
    const exists = id !== null || run.wouldExist.has(line.name);
    if (exists && (id === null || options.existing !== 'update')) outcomes.push(leftAlone(line, id, options.existing));
    else if (id !== null) {
      await create();
      await updateUser(services, account, id, await inputOf(run, store, line));
      isChanged = true;
      outcomes.push(outcome(line, 'updated', id));
    } else {
      await readMissing(run, services, line).then(
        (one) => missing.push(one),
        (error: unknown) => outcomes.push(failed(line, error)),
      );
      for (const name of line.names) names.add(name);
    }
  }
  await create();
  if (!options.dryRun) return outcomes;
  // Nobody will find these users.
  return outcomes.map((one) => (one.userId !== null && made.has(one.userId) ? { ...one, userId: null } : one));
}

interface Missing {
  readonly line: Line;
  readonly user: NewUser;
}

async function readMissing(run: Run, services: UserServices, line: Line): Promise<Missing> {
  // The store knows only of users who are still there.
  const taken = line.names.find((name) => run.wouldExist.has(name));
  if (taken !== undefined) throw new Failure('conflict', { name: taken.split(' ', 1)[0] ?? '' });
  const input = await inputOf(run, services.store, line);
  return { line, user: await readNewUser(services, run.account, input) };
}

async function createMissing(run: Run, services: UserServices, missing: readonly Missing[]): Promise<LineOutcome[]> {
  if (missing.length === 0) return [];
  const users = missing.map(({ user }) => user);
  const ids = await addUsers(services, services.store, run.account, users);
  return missing.map(({ line }, place) => outcome(line, 'created', ids[place] ?? null));
}
