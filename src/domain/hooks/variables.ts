/** Variables that hook functions read from their environment (the document's §2.4). */

import { randomUUID } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { HookVariableRecord } from '../../store/hook-variables.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { setFields } from '../audit/events.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { recycleNow } from './live.ts';

const longestVariableName = 100;
const longestVariableValue = 5_000;
const mostVariables = 500;

type Owner = Pick<Account, 'id'>;
type Audited = Pick<Account, 'id' | 'record'>;
type VariableServices = Pick<Services, 'store' | 'clock' | 'vault' | 'hooks'>;

/** Creates a variable. Throws `value_invalid`, `conflict` (name `name`) when the account has one of this name. */
export function createVariable(
  services: VariableServices,
  account: Audited,
  name: string,
  value: string,
): Promise<HookVariableRecord> {
  const uuid = randomUUID();
  const now = services.clock.now();
  const variable = {
    accountId: account.id,
    uuid,
    name: readName(name),
    sealedValue: services.vault.seal(account.record, valuePlace(uuid), Buffer.from(readValue(value))),
    createdAt: now,
    updatedAt: now,
  };
  return services.store.transaction(async (tx) => {
    if ((await tx.hookVariables.list(account.id)).length >= mostVariables) {
      throw invalid('variable', `cannot be added: the account has ${mostVariables} variables already`);
    }
    const created = await tx.hookVariables.create(variable);
    const target = { type: 'hook_variable', id: created.id } as const;
    const detail = { variable_id: uuid };
    await recordEvent(tx, services, account, { action: 'hook_variable.created', target, detail });
    return created;
  });
}

/** The variable with this UUID; throws `not_found`. */
export async function requireVariable(
  store: Pick<StoreVerbs, 'hookVariables'>,
  account: Owner,
  uuid: string,
): Promise<HookVariableRecord> {
  const variable = await store.hookVariables.find(account.id, uuid);
  if (!variable) throw new Failure('not_found', { name: 'hook variable', message: 'there is no such variable' });
  return variable;
}

/** A change; the name may be sent but not changed. */
interface VariableChange {
  readonly name?: string | undefined;
  readonly value: string;
}

/**
 * Changes the value of a variable; linked hooks get it at their next run. Throws `not_found`, and `value_invalid`, also
 * for another name.
 */
export async function changeVariable(
  services: VariableServices,
  account: Audited,
  uuid: string,
  { name, value }: VariableChange,
): Promise<HookVariableRecord> {
  const changed = await services.store.transaction(async (tx) => {
    const variable = await requireVariable(tx, account, uuid);
    if (name !== undefined && name !== variable.name) throw invalid('name', 'cannot be changed');
    const sealedValue = services.vault.seal(account.record, valuePlace(uuid), Buffer.from(readValue(value)));
    // The value is not shown: a change is told by its time alone.
    const updatedAt = Math.max(services.clock.now(), variable.updatedAt + 1);
    const changes = { sealedValue, updatedAt };
    const updated = await tx.hookVariables.update(account.id, variable.id, changes);
    const target = { type: 'hook_variable', id: variable.id } as const;
    const detail = { variable_id: uuid, fields: setFields({ value }) };
    await recordEvent(tx, services, account, { action: 'hook_variable.changed', target, detail });
    return updated ?? variable;
  });
  recycleNow(services.hooks, account.id);
  return changed;
}

/** Removes a variable and its links to hooks. Throws `not_found`. */
export async function removeVariable(services: VariableServices, account: Audited, uuid: string): Promise<void> {
  await services.store.transaction(async (tx) => {
    const { id } = await requireVariable(tx, account, uuid);
    await tx.hookVariables.remove(account.id, id);
    const target = { type: 'hook_variable', id } as const;
    const detail = { variable_id: uuid };
    await recordEvent(tx, services, account, { action: 'hook_variable.removed', target, detail });
  });
  recycleNow(services.hooks, account.id);
}

/** The values of some variables, by name. */
export function openVariables(
  { vault }: Pick<Services, 'vault'>,
  account: Pick<Account, 'record'>,
  variables: readonly HookVariableRecord[],
): Readonly<Record<string, string>> {
  const values: Record<string, string> = Object.create(null);
  for (const { uuid, name, sealedValue } of variables) {
    values[name] = vault.unseal(account.record, valuePlace(uuid), sealedValue).toString('utf8');
  }
  return values;
}

function valuePlace(uuid: string): string {
  return `hook_variables|sealed_value|${uuid}`;
}

/** A valid name of an environment variable. The environment has no prototype, so every such name is safe. */
function readName(name: string): string {
  if (name.length <= longestVariableName && /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) return name;
  throw invalid(
    'name',
    `must have 1 to ${longestVariableName} letters, digits and underscores, and must not start with a digit`,
  );
}

function readValue(value: string): string {
  const length = [...value].length;
  if (length >= 1 && length <= longestVariableValue) return value;
  throw invalid('value', `must have 1 to ${longestVariableValue} characters`);
}

function invalid(name: string, rule: string): Failure {
  return new Failure('value_invalid', { name, message: `${name} ${rule}` });
}
