/** Makes and changes users as the lines of a file say, through `createUser` and `updateUser`. */

import type { Services } from '../../../services.ts';
import type { StoreVerbs } from '../../../store/store.ts';
import type { UserRecord } from '../../../store/users.ts';
import type { Account } from '../../accounts/account.ts';
import { Failure } from '../../failure.ts';
import type { Authority } from '../../means/authority.ts';
import { requireRole } from '../../roles/full-role.ts';
import { readNames } from '../names.ts';
import { createUser, type UserServices, updateUser } from '../write-user.ts';
import { type FileRow, type Person, readPerson } from './person.ts';

/** What becomes of a line whose user exists: the same e-mail address, or the same user name where it has none. */
export const existingChoices = ['skip', 'update', 'fail'] as const;

export interface ImportOptions {
  readonly existing: (typeof existingChoices)[number];
  /** Does everything and keeps nothing. */
  readonly dryRun: boolean;
  readonly authority: Authority;
}

export interface LineOutcome {
  readonly line: number;
  readonly result: 'created' | 'updated' | 'skipped' | 'failed';
  /** Null for a line that failed, and for one that a dry run would create. */
  readonly userId: number | null;
  readonly failure: Failure | null;
}

type ImportServices = Pick<Services, 'clock' | 'passwords' | 'vault' | 'store'>;

/** Lines of one transaction: a few tens of milliseconds, since nobody else writes to SQLite meanwhile. */
const linesAtOnce = 100;

/** What fails because of the line, and not for all lines. */
const faultsOfLine: readonly Failure['code'][] = ['value_invalid', 'conflict', 'not_found'];

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
    yield await importLines(run, waiting);
    waiting = [];
  }
  if (waiting.length > 0) yield await importLines(run, waiting);
}

interface Run {
  readonly services: ImportServices;
  readonly account: Account;
  readonly options: ImportOptions;
  /** Ids by name. */
  readonly roles: Map<string, number>;
  /** In a dry run, the names of the users that earlier lines would have made. */
  readonly wouldExist: Set<string>;
}

/** All lines in one transaction, or else each half in its own, down to the lines that fail. */
async function importLines(run: Run, rows: readonly FileRow[]): Promise<LineOutcome[]> {
  try {
    return await importTogether(run, rows);
  } catch (error) {
    if (!(error instanceof Failure) || !faultsOfLine.includes(error.code)) throw error;
    const [only] = rows;
    if (only && rows.length === 1) return [{ line: only.line, result: 'failed', userId: null, failure: error }];
    const middle = rows.length >> 1;
    return [...(await importLines(run, rows.slice(0, middle))), ...(await importLines(run, rows.slice(middle)))];
  }
}

async function importTogether(run: Run, rows: readonly FileRow[]): Promise<LineOutcome[]> {
  const { services, options } = run;
  const names = new Set<string>();
  const work = services.store.transaction(async (tx) => {
    names.clear();
    // What the writes of users ask of the store, and their transaction, is this one.
    const inside = {
      ...services,
      store: { ...tx, transaction: <Result>(write: (verbs: StoreVerbs) => Result) => write(tx) },
    };
    const outcomes: LineOutcome[] = [];
    for (const row of rows) outcomes.push(await importRow(run, inside as UserServices, row, names));
    if (options.dryRun) throw new Undone(outcomes);
    return outcomes;
  });
  return work.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
    for (const name of names) run.wouldExist.add(name);
    return error.outcomes;
  });
}

async function importRow(run: Run, services: UserServices, row: FileRow, names: Set<string>): Promise<LineOutcome> {
  if ('fault' in row) throw new Failure('value_invalid', { name: 'line', message: row.fault });
  const { account, options } = run;
  const person = readPerson(row.members);
  const { emailKey, usernameKey } = readNames(person.input.email || null, person.input.username || null);
  const name = emailKey === null ? `username ${usernameKey}` : `email ${emailKey}`;
  const existing = await findExisting(services.store, account, emailKey, usernameKey);
  if (existing || run.wouldExist.has(name)) {
    if (options.existing === 'fail') {
      throw new Failure('conflict', { name: 'user', message: `there is a user with this ${name.split(' ', 1)[0]}` });
    }
    if (options.existing === 'skip') return outcome(row.line, 'skipped', existing?.id ?? null);
    // Made by an earlier line of a dry run: there is nothing to try the change on.
    if (!existing) return outcome(row.line, 'updated', null);
  }
  const roleIds = await roleIdsOf(run, services.store, person);
  const input = { ...person.input, roleIds, validatePolicy: true, authority: options.authority };
  if (existing) return outcome(row.line, 'updated', (await updateUser(services, account, existing.id, input)).id);
  const { id } = await createUser(services, account, input);
  if (!options.dryRun) return outcome(row.line, 'created', id);
  names.add(name);
  return outcome(row.line, 'created', null);
}

function outcome(line: number, result: LineOutcome['result'], userId: number | null): LineOutcome {
  return { line, result, userId, failure: null };
}

async function findExisting(
  store: Pick<StoreVerbs, 'users'>,
  { id }: Pick<Account, 'id'>,
  emailKey: string | null,
  usernameKey: string | null,
): Promise<UserRecord | null> {
  if (emailKey !== null) return store.users.findByEmail(id, emailKey);
  return usernameKey === null ? null : store.users.findByName(id, usernameKey);
}

async function roleIdsOf(
  { roles, account }: Run,
  store: Pick<StoreVerbs, 'roles'>,
  person: Person,
): Promise<number[] | undefined> {
  if (person.roles === undefined) return undefined;
  const ids: number[] = [];
  for (const name of person.roles) {
    const id = roles.get(name) ?? (await requireRole(store, account, name)).id;
    roles.set(name, id);
    ids.push(id);
  }
  return ids;
}
