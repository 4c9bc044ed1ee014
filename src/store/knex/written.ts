/** What a statement of Knex writes, read from its parts. */

import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import type { Operation, Write } from './dependants.ts';
import type { DbRow } from './shape.ts';

interface Condition {
  readonly grouping: string;
  readonly type?: string;
  readonly column?: unknown;
  readonly operator?: string;
  readonly value?: unknown;
  readonly not?: boolean;
  readonly bool?: 'and' | 'or';
}

/** A statement as Knex keeps it until it is sent. */
export interface Statement extends Knex.QueryBuilder {
  readonly _method?: string;
  readonly _single?: {
    readonly table?: unknown;
    readonly insert?: DbRow | readonly DbRow[];
    readonly update?: DbRow;
    readonly counter?: DbRow;
  };
  readonly _statements?: readonly Condition[];
}

const operations: Readonly<Record<string, Operation>> = { insert: 'insert', update: 'update', del: 'delete' };

/** Null for a statement that only reads, and for one that was written as text. */
export function writeOf({ _method: method = '', _single: single = {} }: Statement): Write | null {
  const operation = operations[method];
  if (!operation) return null;
  const { table, insert = [] } = single;
  if (typeof table !== 'string') throw new Failure('internal', { reason: 'it is not known which table is written' });
  return {
    table,
    operation,
    columns: Object.keys({ ...single.update, ...single.counter }),
    rows: Array.isArray(insert) ? insert : [insert as DbRow],
  };
}

/** The values that a condition allows in the column; null where it says nothing about it. */
function allowedBy({ grouping, type, column, operator, value, not }: Condition, of: string): unknown[] | null {
  if (grouping !== 'where' || column !== of || not) return null;
  if (type === 'whereBasic' && operator === '=') return [value];
  return type === 'whereIn' && Array.isArray(value) ? value : null;
}

/**
 * The numbers that a written column has: those of added rows, of the conditions, or of the rows that the statement
 * answered. Throws `internal` where none of them says.
 */
export function numbersIn(statement: Statement, { operation, rows }: Write, column: string, answer: unknown): number[] {
  const conditions = statement._statements ?? [];
  const isAlternative = conditions.some(({ grouping, bool }) => grouping === 'where' && bool === 'or');
  const allowed = conditions.map((condition) => allowedBy(condition, column)).find((values) => values !== null);
  const given = operation === 'insert' ? rows.map((row) => row[column]) : isAlternative ? undefined : allowed;
  const answered = Array.isArray(answer) ? answer.map((row: unknown) => (row as DbRow | null)?.[column]) : [];
  const numbers = [given, answered].map((values) => values?.map(Number) ?? []);
  const known = numbers.find((values) => values.length > 0 && values.every(Number.isSafeInteger));
  if (!known) throw new Failure('internal', { reason: `a written row does not say its ${column}` });
  return [...new Set(known)].toSorted((one, other) => one - other);
}
