/** Members that an account adds to its users. */

import type { Services } from '../../services.ts';
import type { CustomAttributeRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { readText } from '../text.ts';

/** Every user of a list shows all of them. */
const mostAttributes = 200;

export interface AttributeInput {
  readonly name?: string | undefined;
  readonly shortname?: string | undefined;
  readonly position?: number | undefined;
}

/** The members of an answer are found by these names: an object has them already. */
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
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  input: AttributeInput & { readonly name: string; readonly shortname: string },
): Promise<CustomAttributeRecord> {
  const given = { ...input, ...readInput(input) };
  return store.transaction(async (tx) => {
    if ((await tx.attributes.list(account.id)).length >= mostAttributes) {
      const message = `user_field cannot be added: there are ${mostAttributes} custom attributes already`;
      throw new Failure('value_invalid', { name: 'user_field', message });
    }
    const { name, shortname, position } = given;
    const createdAt = clock.now();
    return tx.attributes.create({
      accountId: account.id,
      name,
      shortname,
      createdAt,
      ...(position !== undefined && { position }),
    });
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
  { store }: Pick<Services, 'store'>,
  account: Pick<Account, 'id'>,
  id: number,
  input: AttributeInput,
): Promise<CustomAttributeRecord> {
  return required(await store.attributes.update(account.id, id, readInput(input)));
}

/** Removes the attribute and its values. Throws `not_found`. */
export async function removeCustomAttribute(
  { store }: Pick<Services, 'store'>,
  account: Pick<Account, 'id'>,
  id: number,
): Promise<void> {
  if (!(await store.attributes.remove(account.id, id))) required(null);
}

function required(attribute: CustomAttributeRecord | null): CustomAttributeRecord {
  if (!attribute) {
    throw new Failure('not_found', { name: 'custom attribute', message: 'there is no such custom attribute' });
  }
  return attribute;
}
