/** Copies a whole database into an empty one, of whatever kind: `gatehouse db copy`. */

import type { Vault } from '../../services.ts';
import type { CopyEnd } from '../../store/copying.ts';
import type { Store } from '../../store/store.ts';
import { verifyTrail } from '../audit/verify.ts';
import { Failure } from '../failure.ts';
import { identityOf, type Note, packKey, readNote, unpackKey, writeNote } from './note.ts';
import { type TablePair, tablesInOrder } from './order.ts';
import { keyOf, partsOf, readContent } from './rows.ts';

/** How far it has come, in stages. */
export interface CopyReport {
  stage(label: string, total: number | null): void;
  done(count: number, total?: number | null): void;
}

export interface CopiedDatabase {
  /** Rows by table, in the order in which they were copied. */
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
  /** Events of each trail, verified in both databases. */
  readonly trails: readonly { readonly account: string; readonly events: number }[];
  /** Whether it continued a copy that was begun before. */
  readonly resumed: boolean;
}

interface CopyParts {
  readonly source: Store;
  /** Migrated by this release; empty, or a copy of the same source that was begun. */
  readonly target: Store;
  /** Opens the keys of the trails. */
  readonly vault: Vault;
  readonly report: CopyReport;
  /** Throws when somebody may have written to the source meanwhile. */
  confirm(): Promise<void>;
}

function refused(message: string): Failure {
  return new Failure('unavailable', { name: 'store', message });
}

/**
 * Copies every row as it is and continues where an earlier run was interrupted. Then it reads both databases again: it
 * ends only when every table has the same rows in both, and each trail is whole. Until then no server starts on the
 * target. The caller keeps others from writing to the source. Throws `unavailable` when the target holds something else,
 * or when the source changed between two runs.
 */
export function copyDatabase(parts: CopyParts): Promise<CopiedDatabase> {
  const { source, target, report } = parts;
  return source.withCopyEnd((from) =>
    target.withCopyEnd(async (to) => {
      const pairs = tablesInOrder(from.tables, to.tables);
      const ends = { from, to, report };
      const resumed = await copyTables(parts, ends, pairs);
      const tables = await compare(ends, pairs);
      const trails = await verifyTrails(parts);
      const numbers = new Map<TablePair['to'], bigint>();
      for (const pair of pairs) if (pair.from.numbered) numbers.set(pair.to, await from.readNumber(pair.from));
      await parts.confirm();
      await to.finish(numbers);
      return { tables, trails, resumed };
    }),
  );
}

/** Copies what is missing in the target; true if an earlier run began. */
async function copyTables({ source, target }: CopyParts, ends: Ends, pairs: readonly TablePair[]): Promise<boolean> {
  if (await readNote(source)) throw refused('the source is an unfinished copy itself');
  const begun = await readNote(target);
  const identity = await identityOf(source);
  if (begun && begun.source !== identity) throw refused('the target is an unfinished copy of another database');
  if (!begun) await requireEmpty(ends.to, pairs);
  const copied: Record<string, number> = { ...begun?.copied };
  for (const pair of pairs) {
    const note = { source: identity, copied, current: begun?.current ?? null };
    copied[pair.from.name] ??= await copyTable(ends, pair, note);
  }
  return begun !== null;
}

async function requireEmpty(to: CopyEnd, pairs: readonly TablePair[]): Promise<void> {
  for (const pair of pairs) {
    if ((await to.read(pair.to, null, 1)).length === 0) continue;
    throw refused(`the target is not empty (it has rows in ${pair.to.name}): name an empty database`);
  }
}

interface Ends {
  readonly from: CopyEnd;
  readonly to: CopyEnd;
  readonly report: CopyReport;
}

/** Returns how many rows it has; the note of this run comes with each part of them. */
async function copyTable({ from, to, report }: Ends, pair: TablePair, begun: Note): Promise<number> {
  const table = pair.from;
  const reached = begun.current?.table === table.name ? begun.current : null;
  let rows = reached?.rows ?? 0;
  report.stage(`copying ${table.name}`, await from.count(table));
  report.done(rows);
  for await (const part of partsOf(from, table, reached && unpackKey(table, reached.key))) {
    const last = part.at(-1);
    if (!last) continue;
    rows += part.length;
    const current = { table: table.name, rows, key: packKey(keyOf(table, last)) };
    await to.write(pair.to, part, writeNote({ ...begun, current }));
    report.done(rows);
  }
  return rows;
}

/** Throws `unavailable` when a table does not have the same rows in both. */
async function compare({ from, to, report }: Ends, pairs: readonly TablePair[]): Promise<CopiedDatabase['tables']> {
  const tables: { table: string; rows: number }[] = [];
  for (const pair of pairs) {
    const { name } = pair.from;
    report.stage(`comparing ${name}`, 2 * (await from.count(pair.from)));
    const original = await readContent(from, pair.from, report.done);
    const copy = await readContent(to, pair.to, (rows) => report.done(original.rows + rows));
    if (original.rows !== copy.rows || original.sum !== copy.sum) {
      const counts = `${original.rows} rows in the source, ${copy.rows} in the target`;
      throw refused(
        `${name} differs (${counts}): the source has changed since the copy began; begin again with an empty target`,
      );
    }
    tables.push({ table: name, rows: copy.rows });
  }
  return tables;
}

async function verifyTrails({ source, target, vault, report }: CopyParts): Promise<CopiedDatabase['trails']> {
  const trails: { account: string; events: number }[] = [];
  for (const record of await source.accounts.list()) {
    for (const [store, name] of [
      [source, 'source'],
      [target, 'target'],
    ] as const) {
      report.stage(`verifying the trail of ${record.subdomain} in the ${name}`, null);
      const account = { id: record.id, record };
      const { events, verified, firstBad } = await verifyTrail({ store, vault }, account, report.done);
      if (!verified) throw refused(`the trail of ${record.subdomain} is not whole in the ${name}: event ${firstBad}`);
      if (store === target) trails.push({ account: record.subdomain, events });
    }
  }
  return trails;
}
