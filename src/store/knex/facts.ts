import type { Knex } from 'knex';
import type { FactStore } from '../facts.ts';

export function factVerbs(db: Knex): FactStore {
  const find = async (name: string): Promise<string | null> => {
    const row: { value: string } | undefined = await db('facts').where('name', name).first('value');
    return row?.value ?? null;
  };
  return {
    read: find,
    keep: async (name, value) => {
      await db('facts').insert({ name, value }).onConflict('name').ignore();
      return (await find(name)) ?? value;
    },
    hold: async (name, value) => {
      // A row that is there is updated to what it has, which locks it; one statement whether it is there or not.
      const merged = { value: db.ref('facts.value') };
      const [row] = await db('facts').insert({ name, value }).onConflict('name').merge(merged).returning('value');
      return row.value;
    },
    replace: async (name, value) => {
      await db('facts').insert({ name, value }).onConflict('name').merge();
    },
  };
}
