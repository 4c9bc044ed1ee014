/** Makes and changes users as the lines of a file say, through `addUsers` and `updateUser`. */

import type { Services } from '../../../services.ts';
import type { StoreVerbs } from '../../../store/store.ts';
import type { Account } from '../../accounts/account.ts';
import { Failure } from '../../failure.ts';
import type { Authority } from '../../means/authority.ts';
import { requireRole } from '../../roles/full-role.ts';
import { addUsers, type NewUser, readNewUser } from '../add-users.ts';
import type { UserInput } from '../user-input.ts';
import { type UserServices, updateUser } from '../write-user.ts';
import { type existingChoices, failed, type Line, type LineOutcome, leftAlone, outcome, readLine } from './line.ts';
import type { FileRow, Person } from './person.ts';

export interface ImportOptions {
  readonly existing: (typeof existingChoices)[number];
  /** Does everything and keeps nothing. */
  readonly dryRun: boolean;
  readonly authority: Authority;
}

type ImportServices = Pick<Services, 'clock' | 'passwords' | 'vault' | 'store'>;

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
  const run: Run = { services, account, options, roles: new Map(), wouldExist: new Set() };
  let waiting: FileRow[] = [];
  for await (const row of rows) {
    waiting.push(row);
    if (waiting.length < linesAtOnce) continue;
    yield await importRows(run, waiting);
    waiting = [];
  }
  if (waiting.length > 0) yield await importRows(run, waiting);
}

interface Run {
  readonly services: ImportServices;
  readonly account: Account;
  readonly options: ImportOptions;
  /** Ids by name. */
  readonly roles: Map<string, number>;
  /** In a dry run, all names of the users that earlier lines would have made. */
  readonly wouldExist: Set<string>;
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
  try {
    return await importTogether(run, lines);
  } catch (error) {
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

async function inputOf(run: Run, store: Pick<StoreVerbs, 'roles'>, { input, roles }: Person): Promise<UserInput> {
  const roleIds = roles && (await roleIdsOf(run, store, roles));
  return { ...input, roleIds, validatePolicy: true, authority: run.options.authority };
}

async function roleIdsOf(
  { roles, account }: Run,
  store: Pick<StoreVerbs, 'roles'>,
  names: readonly string[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const name of names) {
    const id = roles.get(name) ?? (await requireRole(store, account, name)).id;
    roles.set(name, id);
    ids.push(id);
  }
  return ids;
}
