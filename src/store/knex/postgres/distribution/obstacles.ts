/** What keeps a schema from being distributed by account. */

import { supersededIn } from '../../schema/compare.ts';
import type { Part } from '../../schema/describe.ts';
import { writesRows } from '../../schema/superseded.ts';
import { distributionColumn, type Placement } from './placement.ts';

interface Key {
  readonly table: string;
  readonly columns: readonly string[];
  readonly name: string;
}

interface Reference extends Key {
  readonly to: string;
  readonly toColumns: readonly string[];
  /** The rest of the constraint. */
  readonly rules: string;
}

function namesIn(list: string): string[] {
  return list.split(',').map((name) => name.trim());
}

export function referencesOf(parts: readonly Part[]): Reference[] {
  return parts.flatMap(({ kind, table, name, text }) => {
    const found =
      kind === 'constraint' && /^FOREIGN KEY \(([^)]*)\) REFERENCES "?(\w+)"?\(([^)]*)\)(.*)$/i.exec(text.trim());
    if (!found) return [];
    const [, columns = '', to = '', toColumns = '', rules = ''] = found;
    return [{ table, name: name ?? '', columns: namesIn(columns), to, toColumns: namesIn(toColumns), rules }];
  });
}

/** Primary keys, unique keys and exclusion constraints. */
function keysOf(parts: readonly Part[]): Key[] {
  return parts.flatMap(({ kind, table, name, text }) => {
    const pattern =
      kind === 'constraint'
        ? /^(?:PRIMARY KEY|UNIQUE|EXCLUDE)\b[^(]*\(([^)]*)/i
        : /^(?:invalid )?CREATE UNIQUE INDEX [^(]*\(([^)]*)/i;
    const found = (kind === 'constraint' || kind === 'index') && pattern.exec(text.trim());
    return found ? [{ table, name: name ?? '', columns: namesIn(found[1] ?? '') }] : [];
  });
}

/** Whether it is a trigger that writes rows: on a node it would do so past whatever the others hold. */
function isWriting({ kind, text }: Part): boolean {
  return kind === 'trigger' && writesRows(text);
}

/** Triggers that write and that the service does without: the plan drops them. */
export function droppedTriggers(parts: readonly Part[], { distributed, reference }: Placement): Part[] {
  const placed = [...distributed, ...reference];
  return supersededIn('postgres', parts).filter(({ table }) => placed.includes(table));
}

function ofTriggers(parts: readonly Part[], placement: Placement): string[] {
  const { distributed, reference } = placement;
  const [placed, dropped] = [new Set([...distributed, ...reference]), new Set(droppedTriggers(parts, placement))];
  const writing = parts.filter((part) => placed.has(part.table) && isWriting(part) && !dropped.has(part));
  return writing.map(
    ({ table, name }) => `trigger ${name} on ${table} writes rows, which a distributed table's must not`,
  );
}

/** Triggers that only refuse need `citus.enable_unsafe_triggers`: they look at nothing but their own row. */
export function refusingTriggers(parts: readonly Part[], { distributed }: Placement): string[] {
  const own = parts.filter((part) => part.kind === 'trigger' && distributed.includes(part.table) && !isWriting(part));
  return own.map(({ table, name }) => `${table}.${name}`);
}

function ofReferences(parts: readonly Part[], { distributed, reference }: Placement): string[] {
  const [ofAccounts, everywhere] = [new Set(distributed), new Set(reference)];
  return referencesOf(parts).flatMap(({ table, name, columns, to, toColumns, rules }) => {
    if (!ofAccounts.has(table) && !everywhere.has(table)) return [];
    const what = `foreign key ${name} of ${table}`;
    if (everywhere.has(to))
      return /\bSET (NULL|DEFAULT)\b/i.test(rules) ? [`${what} sets columns when its row goes`] : [];
    if (!ofAccounts.has(to)) return [`${what} leads to ${to}, which is on one node only`];
    if (everywhere.has(table)) return [`${what} leads from all nodes to rows of one account`];
    const at = columns.indexOf(distributionColumn);
    if (at === -1 || toColumns[at] !== distributionColumn) return [`${what} lacks ${distributionColumn}`];
    return /\bSET (NULL|DEFAULT)\b/i.test(rules) ? [`${what} would clear ${distributionColumn}`] : [];
  });
}

function ofKeys(parts: readonly Part[], distributed: readonly string[]): string[] {
  const keys = keysOf(parts).filter(({ table }) => distributed.includes(table));
  const without = keys.filter(({ columns }) => !columns.includes(distributionColumn));
  const keyless = distributed.filter(
    (table) => !parts.some((part) => part.table === table && /^PRIMARY KEY\b/i.test(part.text.trim())),
  );
  return [
    ...without.map(({ table, name }) => `unique key ${name} of ${table} lacks ${distributionColumn}`),
    ...keyless.map((table) => `${table} has no primary key, so that its shards could not move while it is written`),
  ];
}

function ofNumbers(parts: readonly Part[], distributed: readonly string[]): string[] {
  const numbered = parts.filter(
    ({ kind, table, text }) => kind === 'column' && distributed.includes(table) && /\bidentity\b/.test(text),
  );
  const narrow = numbered.filter(({ text }) => !text.startsWith('bigint'));
  return narrow.map(({ table, name }) => `column ${name} of ${table} counts in less than 64 bits`);
}

/** In words, one each; none when the schema fits. */
export function obstaclesTo(parts: readonly Part[], placement: Placement): string[] {
  const { distributed, unplaced } = placement;
  return [
    ...unplaced.map((table) => `table ${table} has no ${distributionColumn} and is not known to belong to every node`),
    ...ofKeys(parts, distributed),
    ...ofReferences(parts, placement),
    ...ofNumbers(parts, distributed),
    ...ofTriggers(parts, placement),
  ];
}
