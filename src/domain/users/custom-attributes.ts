/** User attributes that an account defines. */

import type { Services } from '../../services.ts';
import type { CustomAttributeRecord } from '../../store/attributes.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { readText } from '../text.ts';

/** Limited because every user in a list shows all of them. */
export const mostAttributes = 200;

interface AttributeInput {
  readonly name?: string | undefined;
  readonly shortname?: string | undefined;
  /** Null: after all others, as without one at the creation. */
  readonly position?: number | null | undefined;
}

/** Short names become members of an object, so names that every object already has are refused. */
function readShortname(shortname: string): string {
  if (shortname in {}) {
    throw new Failure('value_invalid', { name: 'shortname', message: `shortname cannot be ${shortname}` });
  }
  return shortname;
}

function readInput({ name, shortname, position }: AttributeInput) {
  return {
    ...(name !== undefined && { name: readText('name', name) }),
    ...(shortname !== undefined && { shortname: readShortname(shortname) }),
    ...(position !== undefined && { position }),
  };
}

/** Throws `value_invalid`, also when there are too many, and `conflict` for a short name that is taken. */
export function createCustomAttribute(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  input: AttributeInput & { readonly name: string; readonly shortname: string },
): Promise<CustomAttributeRecord> {
  const given = { ...input, ...readInput(input) };
  return services.store.transaction(async (tx) => {
    if ((await tx.attributes.list(account.id)).length >= mostAttributes) {
      const message = `user_field cannot be added: there are ${mostAttributes} custom attributes already`;
      throw new Failure('value_invalid', { name: 'user_field', message });
    }
    const { name, shortname, position } = given;
    const createdAt = services.clock.now();
    const created = await tx.attributes.create({
      accountId: account.id,
      name,
      shortname,
      createdAt,
      ...(position != null && { position }),
    });
    const target = { type: 'custom_attribute', id: created.id } as const;
    await recordEvent(tx, services, account, { action: 'custom_attribute.created', target, detail: {} });
    return created;
  });
}

/** Throws `not_found`. */
export async function readCustomAttribute(
  { store }: Pick<Services, 'store'>,
  account: Pick<Account, 'id'>,
  id: number,
): Promise<CustomAttributeRecord> {
  return required(await store.attributes.find(account.id, id));
}

/** Throws as `createCustomAttribute`, and `not_found`. */
export async function updateCustomAttribute(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  id: number,
  input: AttributeInput,
): Promise<CustomAttributeRecord> {
  const changes = readInput(input);
  return services.store.transaction(async (tx) => {
    const changed = required(await tx.attributes.update(account.id, id, changes));
    const target = { type: 'custom_attribute', id } as const;
    const detail = { fields: Object.keys(changes) };
    await recordEvent(tx, services, account, { action: 'custom_attribute.changed', target, detail });
    return changed;
  });
}

/** Removes the attribute and its values. Throws `not_found`. */
export async function removeCustomAttribute(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  id: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    if (!(await tx.attributes.remove(account.id, id, services.clock.now()))) required(null);
    const target = { type: 'custom_attribute', id } as const;
    await recordEvent(tx, services, account, { action: 'custom_attribute.removed', target, detail: {} });
  });
}

function required(attribute: CustomAttributeRecord | null): CustomAttributeRecord {
  if (!attribute) {
    throw new Failure('not_found', { name: 'custom attribute', message: 'there is no such custom attribute' });
  }
  return attribute;
}
