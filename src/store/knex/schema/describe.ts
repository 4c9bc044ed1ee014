/**
 * What a schema holds, as the database's own catalogue says it: the text of a part by its kind and name
 * (`column grants.id` → `integer not null`), so that two databases of the same migrations say the same.
 */
export type Schema = ReadonlyMap<string, string>;

/** A part of a schema, as the statements beside this select it. */
export interface Part {
  readonly kind: 'table' | 'column' | 'constraint' | 'index' | 'trigger';
  readonly table: string;
  /** Null for the table itself, and what has no name of its own. */
  readonly name: string | null;
  readonly text: string;
}

/** Tables that the migrator of Knex makes and looks after. */
const foreign = ['migrations', 'migrations_lock'];

export function schemaOf(parts: readonly Part[]): Schema {
  const described = parts
    .filter(({ table }) => !foreign.includes(table))
    .map(({ kind, table, name, text }) => {
      const value = text.replaceAll(/\s+/g, ' ').trim();
      if (kind === 'table') return [`table ${table}`, value] as const;
      // What has no name is called what it says.
      return name === null
        ? ([`${kind} ${table}.${value}`, ''] as const)
        : ([`${kind} ${table}.${name}`, value] as const);
    });
  return new Map(described);
}
