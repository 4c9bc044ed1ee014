/** What one transaction of an import does with its lines. */

import { Failure } from '../../failure.ts';
import { addUsers, type NewUser, readNewUser } from '../add-users.ts';
import { type UserServices, updateUser } from '../write-user.ts';
import { inputOf, type Run } from './import-run.ts';
import { failed, type Line, type LineOutcome, leftAlone, outcome } from './line.ts';

/**
 * Looks for all users at once, and creates those who are missing at once: at the end, or before a line that changes a
 * user or has a name of theirs. So each line meets what the lines before it left.
 */
export async function importInto(run: Run, services: UserServices, lines: readonly Line[]): Promise<LineOutcome[]> {
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
    if (staysAsItIs(run, line, id)) outcomes.push(leftAlone(line, id, options.existing));
    else if (id !== null) {
      await create();
      outcomes.push(await change(run, services, id, line));
      isChanged = true;
    } else {
      const one = await orFailed(line, () => readMissing(run, services, line));
      if ('failure' in one) outcomes.push(one);
      else missing.push(one);
      for (const name of line.names) names.add(name);
    }
  }
  await create();
  if (!options.dryRun) return outcomes;
  // Nobody will find these users.
  return outcomes.map((one) => (one.userId !== null && made.has(one.userId) ? { ...one, userId: null } : one));
}

/** Whether the line is of a user whom it does not change, or of one whom an earlier line of a dry run made. */
function staysAsItIs({ options, wouldExist }: Run, { name }: Line, id: number | null): boolean {
  return id === null ? wouldExist.has(name) : options.existing !== 'update';
}

/** What is read of a line before anything of it is written, or its outcome where the line is at fault. */
async function orFailed<Read>(line: Line, read: () => Promise<Read>): Promise<Read | LineOutcome> {
  try {
    return await read();
  } catch (error) {
    return failed(line, error);
  }
}

async function change(run: Run, services: UserServices, id: number, line: Line): Promise<LineOutcome> {
  const input = await orFailed(line, () => inputOf(run, services.store, line));
  if ('failure' in input) return input;
  await updateUser(services, run.account, id, input);
  return outcome(line, 'updated', id);
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
