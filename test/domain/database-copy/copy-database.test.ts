import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { recordEvent } from '../../../src/domain/audit/record.ts';
import { type CopyReport, copyDatabase } from '../../../src/domain/database-copy/copy-database.ts';
import { tablesInOrder } from '../../../src/domain/database-copy/order.ts';
import { Failure } from '../../../src/domain/failure.ts';
import { masterKeyFact } from '../../../src/domain/keys/master-key.ts';
import type { CopyColumn, CopyTable } from '../../../src/store/copying.ts';
import { withoutWriters } from '../../../src/store/knex/index.ts';
import { ask, execute } from '../../support/rows.ts';
import { isWhole } from '../../support/sample.ts';
import { createTestAccount, type TestServices, testServices } from '../../support/services.ts';
import { type DatabaseKind, databases, openTestStore, type TestStore } from '../../support/stores.ts';

const schema = readFileSync(new URL('../../../generated/schema-postgres.txt', import.meta.url), 'utf8');
const typeOf = new Map([...schema.matchAll(/^column (\S+)\t(.*)$/gm)].map(([, column, type]) => [column, type]));
/** The rows of these are made by the service: a trail is sealed. */
const made = ['accounts', 'events', 'event_heads'];
const silent: CopyReport = { stage: () => {}, done: () => {} };

/** A value at the edge of what the column can hold, or null where it may be; `row` is 1 or 2. */
function edge(table: CopyTable, { name, holds }: CopyColumn, row: number): string | bigint | null {
  const type = typeOf.get(`${table.name}.${name}`) ?? '';
  const isKey = table.key.includes(name);
  if (name === 'account_id') return 1n;
  if (row === 2 && !isKey && !type.includes('not null')) return null;
  if (holds === 'text') return `{"${name}":"${row} \\" ' \\\\ \\n {} , NULL é 🂡 \u2028 =1+1"}\n\t"'\\ ${table.name}`;
  if (isKey || /(^|_)id$/.test(name)) return BigInt(row);
  if (type.startsWith('integer')) return row === 1 ? 2_147_483_647n : 0n;
  return row === 1 ? 9_223_372_036_854_775_807n : -9_007_199_254_740_993n;
}

/** All rows of all tables, each value as the text that the database itself makes of it. */
async function contentOf(url: string, tables: readonly CopyTable[]): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  for (const { name, columns } of tables) {
    const texts = columns.map((column) => `cast("${column.name}" as text) as "${column.name}"`);
    const rows = await ask(url, `select ${texts.join(', ')} from "${name}"`);
    content[name] = rows.map((row) => JSON.stringify(row)).toSorted();
  }
  return content;
}

interface Source extends TestStore {
  readonly services: TestServices;
  readonly tables: readonly CopyTable[];
}

/** A database with rows in every table. */
async function fullSource(kind: DatabaseKind): Promise<Source> {
  const opened = await openTestStore(kind);
  const services = await testServices(opened.store);
  await opened.store.facts.keep(masterKeyFact, services.random.bytes(32).toString('base64'));
  const account = await createTestAccount(services);
  for (const fields of [['email'], ['é', '🂡']]) {
    const target = { type: 'user', id: 1 } as const;
    await recordEvent(opened.store, services, account, { action: 'user.changed', target, detail: { fields } });
  }
  const tables = await opened.store.withCopyEnd(async (end) => {
    const written = tablesInOrder(end.tables, end.tables)
      .map(({ from: table }) => table)
      .filter(({ name }) => !made.includes(name));
    for (const { name } of written.toReversed())
      if (name !== 'facts') await execute(opened.url, `delete from "${name}"`);
    for (const table of written) {
      const rows = [1, 2].map((row) => table.columns.map((column) => edge(table, column, row)));
      const isOne = table.key.every((name) => name === 'account_id');
      await end.write(table, isOne ? rows.slice(0, 1) : rows, 'of the test');
    }
    await end.finish(new Map());
    return end.tables;
  });
  await execute(opened.url, 'update accounts set decoy_attempts = 9007199254740993');
  return { ...opened, services, tables };
}

/** The greatest number that each table gave, by its name. */
function numbersOf({ store }: TestStore): Promise<Record<string, bigint>> {
  return store.withCopyEnd(async (end) => {
    const numbers: Record<string, bigint> = {};
    for (const table of end.tables) if (table.numbered) numbers[table.name] = await end.readNumber(table);
    return numbers;
  });
}

/** The words of a refusal. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => assert.fail('nothing was refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Failure, String(error));
  return error.detail.message ?? error.code;
}

const copyOf = (source: Source, target: TestStore, report = silent) =>
  copyDatabase({
    source: source.store,
    target: target.store,
    vault: source.services.vault,
    report,
    confirm: async () => {},
  });

/** A report that interrupts the copy after its parts of the table, as a crash between two commits does. */
function interruptedIn(table: string): CopyReport {
  let label = '';
  return {
    stage: (next: string) => {
      label = next;
    },
    done: (count: number) => {
      if (label === `copying ${table}` && count > 0) throw new Error('interrupted');
    },
  };
}

for (const from of databases) {
  // Between equals in the drill M5.
  for (const to of databases.filter((kind) => isWhole || kind !== from || databases.length === 1)) {
    describe(`a copy from ${from} to ${to}`, () => {
      test('has every row of every table with every column, and goes on numbering', async () => {
        const source = await fullSource(from);
        const target = await openTestStore(to);
        const numbers = await numbersOf(source);
        const { tables, trails, resumed } = await copyOf(source, target);
        assert.equal(resumed, false);
        assert.deepEqual(
          tables.filter(({ rows }) => rows === 0),
          [],
        );
        assert.deepEqual(tables.map(({ table }) => table).toSorted(), source.tables.map(({ name }) => name).toSorted());
        assert.deepEqual(
          trails.map(({ events }) => events),
          [3],
        );
        assert.deepEqual(await contentOf(target.url, source.tables), await contentOf(source.url, source.tables));
        assert.deepEqual(await numbersOf(target), numbers);
        assert.deepEqual(await target.store.findSchemaFaults(), []);
        assert.equal(await target.store.generation(1), await source.store.generation(1));
        await Promise.all([source.dispose(), target.dispose()]);
      });

      if (from === to) return;
      test('continues where it was interrupted', async () => {
        const source = await fullSource(from);
        const target = await openTestStore(to);
        for (const table of ['events', 'users', 'user_attributes']) {
          await assert.rejects(copyOf(source, target, interruptedIn(table)), /interrupted/);
        }
        assert.equal((await copyOf(source, target)).resumed, true);
        assert.deepEqual(await contentOf(target.url, source.tables), await contentOf(source.url, source.tables));
        await Promise.all([source.dispose(), target.dispose()]);
      });
    });
  }

  describe(`a copy to ${from}`, () => {
    test('is refused when the target holds something else, and when the source changes', async () => {
      const source = await fullSource(from);
      const target = await openTestStore(from);
      await createTestAccount(await testServices(target.store));
      assert.match(await refusalOf(copyOf(source, target)), /not empty \(it has rows in accounts\)/);
      const half = await openTestStore(from);
      await assert.rejects(copyOf(source, half, interruptedIn('users')), /interrupted/);
      const other = await fullSource(from);
      assert.match(await refusalOf(copyOf(other, half)), /an unfinished copy of another database/);
      const third = await openTestStore(from);
      const reversed = { ...source, store: half.store };
      assert.match(await refusalOf(copyOf(reversed, third)), /the source is an unfinished copy itself/);
      await execute(source.url, "update users set firstname = 'Ada' where id = 1");
      assert.match(await refusalOf(copyOf(source, half)), /users differs \(2 rows in the source, 2 in the target\)/);
      await Promise.all([source, target, half, other, third].map((one) => one.dispose()));
    });

    test('needs a source that nobody uses, and keeps others from writing to it meanwhile', async () => {
      const used = await openTestStore(from);
      await used.store.ping();
      const never = async () => assert.fail('it ran');
      assert.match(await refusalOf(withoutWriters(used.url, never)), /in use: stop the service first/);
      await used.store.close();
      const write = "insert into facts (name, value) values ('of the test', '1')";
      await withoutWriters(used.url, async ({ confirm }) => {
        // As in a session that waits as short a time as it can.
        const patience = from === 'sqlite' ? 'pragma busy_timeout = 0; ' : "set lock_timeout to '50ms'; ";
        await assert.rejects(execute(used.url, patience + write), /database is locked|lock timeout/);
        assert.deepEqual(await ask(used.url, 'select name from facts'), []);
        await confirm();
      });
      await execute(used.url, write);
      await used.dispose();
    });

    if (from === 'postgres') {
      test('is not finished once the connection is gone that kept others from writing', async () => {
        const used = await openTestStore(from);
        await used.store.close();
        const end = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gatehouse db copy'
          and datname = current_database()`;
        const lost = withoutWriters(used.url, async ({ confirm }) => {
          await execute(used.url, end);
          await confirm();
        });
        assert.match(await refusalOf(lost), /was lost; begin again/);
        await used.dispose();
      });
    }
  });
}

describe('the tables of a copy', () => {
  const table = (name: string, references: string[] = [], columns: CopyColumn[] = []): CopyTable => ({
    name,
    columns,
    key: ['id'],
    references,
    numbered: false,
    hasTriggers: false,
  });
  const order = (from: CopyTable[], to = from) => tablesInOrder(from, to).map((pair) => pair.from.name);

  test('come after those that they refer to', () => {
    assert.deepEqual(order([table('a', ['b']), table('b', ['c', 'c']), table('c')]), ['c', 'b', 'a']);
    assert.deepEqual(order([table('a'), table('b')], [table('a', ['b']), table('b')]), ['b', 'a']);
    assert.throws(() => order([table('a', ['b']), table('b', ['a'])]), Failure);
  });

  test('are the same at both ends', () => {
    const wide = table('a', [], [{ name: 'id', holds: 'integer' }]);
    assert.throws(() => order([table('a'), table('b')], [table('a')]), Failure);
    assert.throws(() => order([table('a')], [table('a'), table('b')]), Failure);
    assert.throws(() => order([table('a')], [wide]), Failure);
    assert.throws(() => order([{ ...table('a'), key: [] }]), Failure);
  });
});
