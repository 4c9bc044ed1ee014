/** Fires user-migration: hooks of the account may know who signs in with a name that no user has. */

import { randomUUID } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { HookVariableRecord } from '../../store/hook-variables.ts';
import type { StoredHook } from '../../store/hooks.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { Failure } from '../failure.ts';
import { foldIdentifier } from '../users/identifiers.ts';
import { createUser } from '../users/write-user.ts';
import { migrationContext } from './context.ts';
import { writeDown } from './fire.ts';
import { findLiveHooks } from './live.ts';
import { noteLine } from './log-lines.ts';
import { type MigratedUser, type MigrationAnswer, readMigrationAnswer } from './migration-answer.ts';
import { inMigrationTurn } from './migration-turns.ts';
import { countGuess } from './name-guesses.ts';
import { type NewExecution, prepareHook, type Ran, type RunServices, runHook } from './run-hook.ts';
import type { HookRunner } from './runner.ts';

type MigrationServices = RunServices & Pick<Services, 'passwords'>;

interface Attempt {
  readonly username: string;
  readonly password: string;
  /** Address that it came from. */
  readonly source: string | null;
}

/** The user that was made; null: no hook knows, or none could be asked. */
export type Migrated =
  | UserRecord
  /** Somebody else's sign-in has made the user meanwhile: what it stored is what counts. */
  | 'made_meanwhile'
  | null;

/**
 * Makes the user that a hook says this is. Of sign-ins at the same time one makes the user, and for the others the
 * password decides as always. Wrong passwords are counted by name before a hook runs.
 */
export async function migrateUser(services: MigrationServices, account: Account, attempt: Attempt): Promise<Migrated> {
  const key = foldIdentifier(attempt.username);
  if (key === null) return null;
  const { hooks, variables } = await findLiveHooks(services, account, 'user-migration');
  if (hooks.length === 0) return null;
  const isMade = async () => (await services.store.users.findByName(account.id, key)) !== null;
  const made = await countGuess(services, account, key, () =>
    inMigrationTurn(services, account, attempt.source, async () => {
      // While this one waited, another may have made the user: then there is nothing to ask.
      if (await isMade()) return null;
      const asked = askHooks(services, account, attempt, key, hooks, variables);
      return { user: await asking(services.hooks, `${account.id} ${key}`, asked) };
    }),
  );
  if (made !== null) return made;
  // Of sign-ins with one name at the same time those without a turn wait for the one that has it.
  await underWay.get(services.hooks)?.get(`${account.id} ${key}`);
  return (await isMade()) ? 'made_meanwhile' : null;
}

/** By runner, and by account and name: settle when the hooks have been asked. */
const underWay = new WeakMap<HookRunner, Map<string, Promise<void>>>();

async function asking<Result>(runner: HookRunner, name: string, asked: Promise<Result>): Promise<Result> {
  const names = underWay.get(runner) ?? new Map<string, Promise<void>>();
  underWay.set(runner, names);
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
      contextOf: (requestId) => migrationContext(attempt, { requestId, correlationId }),
      redact: (context) => ({ ...context, password: '****' }),
      read: (value) => readNamed(value, key),
      refuses: ({ says }) => says === 'refuse',
    });
    const user = await follow(services, account, stored, ran);
    if (user) return user;
  }
  return null;
}

/** A user of another name than the one typed would be somebody else. */
function readNamed(value: unknown, key: string): MigrationAnswer | null {
  const answer = readMigrationAnswer(value);
  if (answer?.says !== 'migrate') return answer;
  const { email, username } = answer.user;
  return [email, username].some((name) => name !== null && foldIdentifier(name) === key) ? answer : null;
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
      // Its former holder keeps it; the policy's rules are for the next one.
      validatePolicy: false,
      // It brings the password along.
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

/** The roles that the account's setting gives to users who are made so; a name that no role has gives nothing. */
async function rolesOf({ store }: Pick<Services, 'store'>, account: Account): Promise<readonly number[]> {
  const found = await Promise.all(
    account.settings.hookMigrationRoles.map((name) => store.roles.findByName(account.id, name.normalize('NFC'))),
  );
  return found.flatMap((role) => role?.id ?? []);
}

/** The last run answered a user who cannot be made. */
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
