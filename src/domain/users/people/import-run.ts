/** What the lines of one import have in common. */

import type { Services } from '../../../services.ts';
import type { StoreVerbs } from '../../../store/store.ts';
import type { Account } from '../../accounts/account.ts';
import type { Failure } from '../../failure.ts';
import type { Authority } from '../../means/authority.ts';
import { requireRole } from '../../roles/full-role.ts';
import { attributeIdsOf, requireAttributes, type UserInput } from '../user-input.ts';
import type { existingChoices } from './line.ts';
import type { Person } from './person.ts';

export interface ImportOptions {
  readonly existing: (typeof existingChoices)[number];
  /** Does everything and keeps nothing. */
  readonly dryRun: boolean;
  readonly authority: Authority;
  /** Called before each transaction: other requests get their turn, since on SQLite nothing in one waits. */
  readonly rest: () => Promise<void>;
  /** Why the lines fail that are left when something else than a line fails, once any were stored; else it is thrown. */
  readonly failureOfRest?: (error: unknown) => Failure;
}

export type ImportServices = Pick<Services, 'clock' | 'passwords' | 'vault' | 'store'>;

export interface Run {
  readonly services: ImportServices;
  readonly account: Account;
  readonly options: ImportOptions;
  /** Ids by name. */
  readonly roles: Map<string, number>;
  /** Ids of custom attributes by short name, once a line has any. */
  attributes: ReadonlyMap<string, number> | null;
  /** In a dry run, all names of the users that earlier lines would have made. */
  readonly wouldExist: Set<string>;
  hasStored: boolean;
  /** Why no more lines are tried. */
  ended: Failure | null;
}

/** Throws `value_invalid` for an unknown role, and for a custom attribute that is not defined or too long. */
export async function inputOf(
  run: Run,
  store: Pick<StoreVerbs, 'roles' | 'attributes'>,
  { input, roles }: Person,
): Promise<UserInput> {
  if (input.customAttributes) {
    run.attributes ??= await attributeIdsOf(store, run.account);
    requireAttributes(run.attributes, input.customAttributes);
  }
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
