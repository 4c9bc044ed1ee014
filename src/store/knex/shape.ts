/** Rows ↔ records. Each record lists its fields once, with their columns. */

/** A row as a driver returns it. */
export type DbRow = Readonly<Record<string, unknown>>;
/** A value as both drivers accept it. */
export type Cell = string | number | null;

interface Column {
  readonly name: string;
  readonly kind: 'plain' | 'flag' | 'json';
}

/** A boolean, kept as 0 or 1. */
export function flag(name: string): Column {
  return { name, kind: 'flag' };
}

/** A list or an object, kept as JSON text. */
export function json(name: string): Column {
  return { name, kind: 'json' };
}

/** Texts and numbers name their column; a type that needs a conversion does not compile without one. */
type Field<Value> = [Value] extends [Cell] ? string : Column;

/** How one kind of record is stored. */
export interface Shape<Rec> {
  readonly table: string;
  readonly columns: readonly string[];
  read(row: DbRow): Rec;
  /** Reads columns selected as `<prefix><column>`. */
  reader(prefix: string): (row: DbRow) => Rec;
  /** `<alias>.<column> as <prefix><column>` of all columns. */
  select(alias: string, prefix: string): string[];
  /** The columns of the given fields, without the one that the database numbers. */
  write(values: Partial<Rec>): Record<string, Cell>;
}

function decode(kind: Column['kind'], value: unknown): unknown {
  switch (kind) {
    case 'plain':
      return value;
    case 'flag':
      return value === 1;
    case 'json':
      return value === null ? null : JSON.parse(String(value));
  }
}

function encode(kind: Column['kind'], value: unknown): Cell {
  switch (kind) {
    case 'plain':
      return value as Cell; // `Field` lets only cells through.
    case 'flag':
      return value === true ? 1 : 0;
    case 'json':
      return value === null ? null : JSON.stringify(value);
  }
}

/** Maps the fields of a record to the columns of its table. `numbered`: the field that the database assigns. */
export function shape<Rec>(
  table: string,
  numbered: keyof Rec | null,
  fields: { readonly [Key in keyof Rec]-?: Field<Rec[Key]> },
): Shape<Rec> {
  const list = Object.entries<string | Column>(fields).map(([field, column]) => ({
    field,
    ...(typeof column === 'string' ? { name: column, kind: 'plain' as const } : column),
  }));
  const reader = (prefix: string) => {
    const wanted = list.map(({ field, name, kind }) => ({ field, kind, key: `${prefix}${name}` }));
    return (row: DbRow): Rec => {
      const record: Record<string, unknown> = {};
      for (const { field, kind, key } of wanted) record[field] = decode(kind, row[key]);
      return record as Rec; // Every field of Rec is in `fields`.
    };
  };
  return {
    table,
    columns: list.map(({ name }) => name),
    read: reader(''),
    reader,
    select: (alias, prefix) => list.map(({ name }) => `${alias}.${name} as ${prefix}${name}`),
    write: (values) => {
      const given: Record<string, unknown> = { ...values };
      const row: Record<string, Cell> = {};
      for (const { field, name, kind } of list) {
        if (field !== numbered && given[field] !== undefined) row[name] = encode(kind, given[field]);
      }
      return row;
    },
  };
}
