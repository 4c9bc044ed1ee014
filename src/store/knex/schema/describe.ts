/**
 * The contents of a schema, from the database's own catalogue: the text of each part by its kind and name (`column
 * grants.id` → `integer not null`), so that two databases with the same migrations have equal descriptions.
 */
export type Schema = ReadonlyMap<string, string>;

/** A part of a schema, as selected by the statements in the sibling modules. */
export interface Part {
  readonly kind: 'table' | 'column' | 'constraint' | 'index' | 'trigger';
  readonly table: string;
  /** Null for the table itself, and for parts without a name. */
  readonly name: string | null;
  readonly text: string;
}

/** The text of a table without rows of its own, which SQLite keeps in others, begins with it. */
export const virtual = 'virtual';

/** Tables that Knex's migrator creates and maintains. */
const foreign = ['migrations', 'migrations_lock'];

export function schemaOf(parts: readonly Part[]): Schema {
  const described = parts
    .filter(({ table }) => !foreign.includes(table))
    .map(({ kind, table, name, text }) => {
      const value = text.replaceAll(/\s+/g, ' ').trim();
      if (kind === 'table') return [`table ${table}`, value] as const;
      // A part without a name is identified by its text.
      return name === null
        ? ([`${kind} ${table}.${value}`, ''] as const)
        : ([`${kind} ${table}.${name}`, value] as const);
    });
  return new Map(described);
}
