/** Conditions of hooks on the roles of a user (the document's §2.3). */

import type { HookCondition } from '../../store/hooks.ts';
import type { RoleRecord } from '../../store/roles.ts';
import type { StoreVerbs } from '../../store/store.ts';

const largestId = 2_147_483_647;

/** Whether all conditions hold of a user with these roles. Texts are compared literally, never as patterns. */
export function holds(conditions: readonly HookCondition[], roles: readonly RoleRecord[]): boolean {
  return conditions.every(({ operator, value }) => {
    const wanted = value.normalize('NFC');
    const has = roles.some(({ id, name }) => String(id) === value || name === wanted);
    return operator === '~' ? has : !has;
  });
}

/**
 * What is told to somebody who writes conditions that name no role: nobody has it. It may be created later, so they are
 * stored. Null if there is nothing to tell.
 */
export async function warningOf(
  { roles }: Pick<StoreVerbs, 'roles'>,
  accountId: number,
  conditions: readonly HookCondition[],
): Promise<string | null> {
  const unknown: string[] = [];
  for (const [at, { value }] of conditions.entries()) {
    const id = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : null;
    const found =
      (await roles.findByName(accountId, value.normalize('NFC'))) ??
      (id !== null && id <= largestId ? await roles.find(accountId, id) : null);
    if (!found) unknown.push(`conditions.${at}.value`);
  }
  return unknown.length === 0
    ? null
    : `${unknown.join(', ')}: no role of this account has this id or name; nobody has it`;
}
