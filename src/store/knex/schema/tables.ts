import { Failure } from '../../../domain/failure.ts';
import type { CopyColumn, CopyTable } from '../../copying.ts';
import { type Schema, virtual } from './describe.ts';

/** What a column of either database may hold; a copy of another kind would need a rule of its own. */
const integers = /^(bigint|integer)\b/;
const texts = /^text\b/;

function columnOf(part: string, text: string): CopyColumn {
  const holds = integers.test(text) ? 'integer' : texts.test(text) ? 'text' : null;
  if (holds === null || /\bgenerated\b/.test(text)) {
    throw new Failure('internal', { reason: `it is not known how to copy ${part} (${text})` });
  }
  return { name: part.slice(part.indexOf('.') + 1), holds };
}

/** The columns that a constraint names in parentheses. */
function namesIn(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}

/** What SQLite keeps to find users by (sqlite/user-search.ts): it is made again where the rows arrive. */
const derived = 'column users.searched';

/** The tables of rows that a schema describes, by name. */
export function tablesOf(schema: Schema): CopyTable[] {
  const rows = [...schema].filter(([part, text]) => part !== derived && !text.startsWith(virtual));
  const parts = rows.map(([part, text]) => {
    const [kind = '', name = ''] = part.split(/ (.*)/s, 2);
    return { kind, name, table: name.split('.', 1)[0], text, whole: `${name} ${text}` };
  });
  const names = parts.filter(({ kind }) => kind === 'table').map(({ name }) => name);
  return names.toSorted().map((table) => {
    const own = parts.filter((part) => part.table === table);
    const columns = own.filter(({ kind }) => kind === 'column').map(({ name, text }) => columnOf(name, text));
    const constraints = own.filter(({ kind }) => kind === 'constraint').map(({ whole }) => whole);
    const key = constraints.flatMap((text) => /primary key \(([^)]*)\)/i.exec(text)?.[1] ?? []);
    return {
      name: table,
      columns: columns.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
      key: key.flatMap(namesIn),
      references: constraints.flatMap((text) => /foreign key .* references (\w+)/i.exec(text)?.[1] ?? []),
      numbered: own.some(({ kind, text }) =>
        kind === 'table' ? /\bautoincrement\b/.test(text) : kind === 'column' && /\bidentity\b/.test(text),
      ),
      hasTriggers: own.some(({ kind }) => kind === 'trigger'),
    };
  });
}
