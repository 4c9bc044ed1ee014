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
    replace: async (name, value) => {
      await db('facts').insert({ name, value }).onConflict('name').merge();
    },
  };
}
