import type { Knex } from 'knex';
import type { AttributeStore, CustomAttributeRecord } from '../attributes.ts';
import { chunks } from './chunks.ts';
import { fixedSelect, readRows } from './fixed-reads.ts';
import { holdPresent, lockPresent } from './hold.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled } from './list-index.ts';
import { remove } from './removals.ts';
import { present, refersToPresent } from './removed.ts';
import * as rows from './rows.ts';
import { separately } from './transact.ts';

const listing: Listing<CustomAttributeRecord> = {
  table: 'custom_attributes',
  id: 'id',
  removable: 'attribute',
  columns: {
    id: filled('number', 'id'),
    name: filled('text', 'name'),
    shortname: filled('text', 'shortname'),
    position: filled('number', 'position'),
  },
  read: rows.customAttributes.read,
};

const ofAccount = fixedSelect(
  rows.customAttributes,
  'attributes-of-account',
  `account_id = ? and ${present('attribute', 'custom_attributes')} order by id`,
);

/** The position after all others of the account but this one, if there is a number left. */
function atEnd(db: Knex, accountId: number, id = 0): Knex.Raw {
  return db.raw(
    `(select case when max(position) >= 2147483647 then 2147483647 else coalesce(max(position), 0) + 1 end
      from custom_attributes as others where others.account_id = ? and others.id <> ? and ${present('attribute', 'others')})`,
    [accountId, id],
  );
}

export function attributeVerbs(db: Knex): AttributeStore {
  const one = (accountId: number, id: number) =>
    db('custom_attributes').where({ account_id: accountId, id }).whereRaw(present('attribute', 'custom_attributes'));
  const find = async (accountId: number, id: number) => {
    const row = await one(accountId, id).first();
    return row ? rows.customAttributes.read(row) : null;
  };
  return {
    find,
    create: ({ position, ...attribute }) =>
      separately(db, async (tx) => {
        const row = { ...rows.customAttributes.write(attribute), position: position ?? atEnd(tx, attribute.accountId) };
        const [created] = await tx('custom_attributes').insert(row).returning('*');
        return rows.customAttributes.read(created);
      }),
    list: async (accountId) => (await readRows(db, ofAccount, accountId)).map(rows.customAttributes.read),
    page: (accountId, query) => listPage(db, listing, accountId, query),
    update: async (accountId, id, { position, ...changes }) => {
      const place = position === null ? { position: atEnd(db, accountId, id) } : position !== undefined && { position };
      const row = { ...rows.customAttributes.write(changes), ...place };
      if (Object.keys(row).length === 0) return find(accountId, id);
      return separately(db, async (tx) => {
        if (!(await lockPresent(tx, accountId, 'attribute', id))) return null;
        const [changed] = await tx('custom_attributes')
          .where({ account_id: accountId, id })
          .whereRaw(present('attribute', 'custom_attributes'))
          .update(row)
          .returning('*');
        return changed ? rows.customAttributes.read(changed) : null;
      });
    },
    remove: (accountId, id, at) => remove(db, 'attribute', accountId, id, at),
    valuesOf: async (accountId, userIds) => {
      const found = await db('user_attributes')
        .where('account_id', accountId)
        .whereIn('user_id', userIds)
        .whereRaw(refersToPresent('user_attributes', 'attribute_id'));
      return found.map((row) => ({ userId: row.user_id, attributeId: row.attribute_id, value: row.value }));
    },
    setValues: (accountId, values) =>
      separately(db, async (tx) => {
        for (const { userId, attributeId, value } of values) {
          if (value !== null) continue;
          await tx('user_attributes')
            .where({ account_id: accountId, user_id: userId, attribute_id: attributeId })
            .delete();
        }
        for await (const some of chunks(values.filter(({ value }) => value !== null))) {
          await holdPresent(tx, accountId, 'user', [...new Set(some.map(({ userId }) => userId))]);
          await holdPresent(tx, accountId, 'attribute', [...new Set(some.map(({ attributeId }) => attributeId))]);
          await tx('user_attributes')
            .insert(
              some.map(({ userId, attributeId, value }) => ({
                account_id: accountId,
                user_id: userId,
                attribute_id: attributeId,
                value,
              })),
            )
            .onConflict(['account_id', 'user_id', 'attribute_id'])
            .merge(['value']);
        }
      }),
  };
}
