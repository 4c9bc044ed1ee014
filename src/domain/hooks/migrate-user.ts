/** Fires user-migration: the account's hooks may know the user behind an unknown name. */

import { randomUUID } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { HookVariableRecord } from '../../store/hook-variables.ts';
import type { StoredHook } from '../../store/hooks.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { Failure } from '../failure.ts';
import { perKey } from '../per-key.ts';
import { foldIdentifier } from '../users/identifiers.ts';
import { createUser } from '../users/write-user.ts';
import { faulty, type InvalidAnswer } from './answers.ts';
import { migrationContext } from './context.ts';
import { writeDown } from './fire.ts';
import { findLiveHooks } from './live.ts';
import { noteLine } from './log-lines.ts';
import { type MigratedUser, type MigrationAnswer, readMigrationAnswer } from './migration-answer.ts';
import { inMigrationTurn } from './migration-turns.ts';
import { countGuess } from './name-guesses.ts';
import { prepareHook, type RunServices } from './one-run.ts';
import { type NewExecution, type Ran, runHook } from './run-hook.ts';
import type { HookRunner } from './runner.ts';

type MigrationServices = RunServices & Pick<Services, 'passwords'>;

interface Attempt {
  readonly username: string;
  readonly password: string;
  /** The address that it came from. */
  readonly source: string | null;
}

/** The new user; null if no hook knows the name, or none could be asked. */
export type Migrated =
  | UserRecord
  /** Another sign-in has created the user meanwhile: the stored user counts. */
  | 'made_meanwhile'
  | null;

/**
 * Creates the user that a hook returns. Of simultaneous sign-ins one creates the user; for the others the password is
 * then checked as usual. Wrong passwords are counted by name before a hook runs.
 */
export async function migrateUser(services: MigrationServices, account: Account, attempt: Attempt): Promise<Migrated> {
  const key = foldIdentifier(attempt.username);
  if (key === null) return null;
  const { hooks, variables } = await findLiveHooks(services, account, 'user-migration');
  if (hooks.length === 0) return null;
  const isMade = async () => (await services.store.users.findByName(account.id, key)) !== null;
  const made = await countGuess(services, account, key, () =>
    inMigrationTurn(services, account, attempt.source, async () => {
      // Another sign-in may have created the user while this one waited.
      if (await isMade()) return null;
      const asked = askHooks(services, account, attempt, key, hooks, variables);
      return { user: await asking(services.hooks, `${account.id} ${key}`, asked) };
    }),
  );
  if (made !== null) return made;
  // Of simultaneous sign-ins with one name, those without a turn wait for the one that has it.
  await underWay(services.hooks).get(`${account.id} ${key}`);
  return (await isMade()) ? 'made_meanwhile' : null;
}

/** By runner, then by account and name: settles when the hooks have been asked. */
const underWay = perKey<HookRunner, Map<string, Promise<void>>>(() => new Map());

async function asking<Result>(runner: HookRunner, name: string, asked: Promise<Result>): Promise<Result> {
  const names = underWay(runner);
  const settled = asked.then(
    () => {},
    () => {},
  );
  names.set(name, settled);
  try {
    return await asked;
  } finally {
    if (names.get(name) === settled) names.delete(name);
  }
}

async function askHooks(
  services: MigrationServices,
  account: Account,
  attempt: Attempt,
  key: string,
  hooks: readonly StoredHook[],
  variables: readonly HookVariableRecord[],
): Promise<UserRecord | null> {
  const correlationId = currentAuditContext().requestId ?? randomUUID();
  for (const stored of hooks) {
    const runnable = await prepareHook(services, account, stored, variables, [attempt.password]);
    const ran = await runHook<MigrationAnswer>(services, account, runnable, {
      correlationId,
      contextOf: (requestId) => migrationContext(stored, attempt, { requestId, correlationId }),
      redact: (context) => ({ ...context, password: '****' }),
      read: (value) => readNamed(value, key),
      refuses: ({ says }) => says === 'refuse',
    });
    const user = await follow(services, account, stored, ran);
    if (user) return user;
  }
  return null;
}

/** A user with another name than the typed one would be somebody else. */
function readNamed(value: unknown, key: string): MigrationAnswer | InvalidAnswer {
  const answer = readMigrationAnswer(value);
  if (answer.says !== 'migrate') return answer;
  const { email, username } = answer.user;
  const isNamed = [email, username].some((name) => name !== null && foldIdentifier(name) === key);
  return isNamed ? answer : faulty('neither email nor username of the user is the name that was typed');
}

async function follow(
  services: MigrationServices,
  account: Account,
  { hook }: StoredHook,
  { answer, outcome, executions }: Ran<MigrationAnswer>,
): Promise<UserRecord | null> {
  const target = { type: 'hook', id: hook.id } as const;
  const told = { hook_id: hook.uuid };
  const failed = (reason: string) =>
    ({ action: 'hook.failed', target, detail: { ...told, reason, user_id: null, sign_in: 'denied' } }) as const;
  if (answer?.says !== 'migrate') {
    await writeDown(services, account, { executions, events: answer === null ? [failed(outcome)] : [] });
    return null;
  }
  const made = await makeUser(services, account, answer.user);
  if (made.result === 'invalid') {
    const noted = marked(executions, made.message, services.clock.now());
    await writeDown(services, account, { executions: noted, events: [failed('invalid_result')] });
    return null;
  }
  if (made.result === 'made') {
    const about = { type: 'user', id: made.userId } as const;
    const event = { action: 'user.migrated', target: about, detail: told } as const;
    await writeDown(services, account, { executions, events: [event] });
    return services.store.users.find(account.id, made.userId);
  }
  await writeDown(services, account, { executions, events: [] });
  return null;
}

type Made =
  | { readonly result: 'made'; readonly userId: number }
  | { readonly result: 'taken' }
  | { readonly result: 'invalid'; readonly message: string };

async function makeUser(services: MigrationServices, account: Account, migrated: MigratedUser): Promise<Made> {
  const roleIds = await rolesOf(services, account);
  try {
    const user = await createUser(services, account, {
      ...migrated,
      ...(roleIds.length > 0 && { roleIds }),
      // An existing password is kept; the policy's rules apply to the next one.
      validatePolicy: false,
      // The user brings their own password.
      authority: 'all',
    });
    return { result: 'made', userId: user.id };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === 'conflict') return { result: 'taken' };
    if (error.code === 'value_invalid') return { result: 'invalid', message: error.message };
    throw error;
  }
}

/** The roles that the account's setting gives to migrated users; unknown names are ignored. */
async function rolesOf({ store }: Pick<Services, 'store'>, account: Account): Promise<readonly number[]> {
  const found = await Promise.all(
    account.settings.hookMigrationRoles.map((name) => store.roles.findByName(account.id, name.normalize('NFC'))),
  );
  return found.flatMap((role) => role?.id ?? []);
}

/** Marks the last run: it returned a user who cannot be created. */
function marked(executions: readonly NewExecution[], message: string, now: number): readonly NewExecution[] {
  return executions.map((execution, at) =>
    at < executions.length - 1
      ? execution
      : {
          ...execution,
          outcome: 'invalid_result',
          events: [
            ...execution.events,
            noteLine(execution.requestId, now, 'ERROR', `the user cannot be created: ${message}`),
          ],
        },
  );
}
