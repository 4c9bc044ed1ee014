/** What triggers write into other tables the store writes itself, on either database, whether they are there or not. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import createKnex, { type Knex } from 'knex';
import {
  accountColumn,
  type Dependant,
  dependantOf,
  dependants,
  type Operation,
} from '../../src/store/knex/dependants.ts';
import { numbersIn, type Statement, writeOf } from '../../src/store/knex/written.ts';
import { ask, execute } from '../support/rows.ts';
import { databases, openTestStore } from '../support/stores.ts';
import { dropWritingTriggers, readTriggers, type Trigger, writes } from '../support/triggers.ts';
import { isUnraised } from '../support/unraised-writes.ts';
import { newAccount, newClient, newServer, now } from './samples.ts';
import { onEachDatabase } from './suite.ts';

interface Effect {
  readonly on: Dependant;
  readonly columns?: readonly string[];
  readonly rows?: (row: Readonly<Record<string, unknown>>) => boolean;
}

/** One line for each operation on a table that something depends on. */
type Line = `${string} ${Operation}${string}: ${Dependant}`;

function lineOf(table: string, operation: Operation, on: Dependant, columns: readonly string[], some: boolean): Line {
  const of = columns.length > 0 ? ` of ${columns.join(', ')}` : '';
  return `${table} ${operation}${of}${some ? ' of some rows' : ''}: ${on}`;
}

const known = Object.entries<{ readonly [On in Operation]?: Effect }>(dependants).flatMap(([table, effects]) =>
  Object.entries(effects).map(([operation, { on, columns = [], rows }]) =>
    lineOf(table, operation as Operation, on, columns, rows !== undefined),
  ),
);

/**
 * No trigger: the rows of what is left of an API go with its row; only this release says that a user is not counted.
 */
const withoutTrigger: readonly Line[] = [
  'authorization_servers delete: generation',
  'users update of counted: user_count',
];

/** Not of this release, which has said it before. */
const ofTriggers: readonly Line[] = ['users delete of some rows: user_count'];

const bodies: Readonly<Record<Dependant, RegExp>> = {
  generation:
    /^update accounts set generation = generation \+ 1 where id = (new|old)\.(account_)?id; (return null; )?end$/,
  linked_servers:
    /^update clients set linked_servers = linked_servers [+-] 1 where account_id = (new|old)\.account_id and app_id = \1\.app_id; (return null; )?end$/,
  user_count:
    /^insert into user_counts \(account_id, delta\) values \((new|old)\.account_id, -?1\); (return null; )?end$/,
  default_policy:
    /^insert into policies \(account_id, name, is_default, created_at, updated_at\) select new\.id, 'default', 1, new\.created_at, new\.created_at ; (return null; )?end$/,
};

const shape =
  /^create trigger \w+ after (insert|update|delete)( of [\w, ]+?)? on (\w+)( for each row)?( when .*?)?( execute function \w+\(\) as)? begin (.*)$/;

/** What a trigger that writes is for; its own text where that is not known. */
function readTrigger({ text }: Trigger): string {
  const [, operation, of = '', table = '', , when, , body = ''] = shape.exec(text) ?? [];
  const [on] = Object.entries(bodies).find(([, pattern]) => pattern.test(body)) ?? [];
  if (on === undefined) return text;
  const columns = of.replace(' of ', '').split(', ').filter(Boolean);
  return lineOf(table, operation as Operation, on as Dependant, columns, when !== undefined);
}

/** Triggers that write what no statement of the store does. */
async function strayTriggers(url: string): Promise<string[]> {
  const found = (await readTriggers(url)).filter(writes).map(readTrigger);
  return found.filter((line) => ![...known, ...ofTriggers].some((one) => one === line));
}

const planted = {
  'of a table that nothing depends on': {
    sqlite: 'create trigger planted after update on users begin update roles set name = new.email; end',
    postgres: `create function planted() returns trigger language plpgsql as $$ begin
      update roles set name = new.email; return null; end $$;
      create trigger planted after update on users for each row execute function planted()`,
  },
  'that writes more than the store': {
    sqlite: 'create trigger planted after insert on hooks begin delete from refusals; end',
    postgres: `create function planted() returns trigger language plpgsql as $$ begin
      delete from refusals; return null; end $$;
      create trigger planted after insert on hooks for each row execute function planted()`,
  },
  'at an operation that is not listed': {
    sqlite: `create trigger planted after insert on roles begin
      update accounts set generation = generation + 1 where id = new.account_id; end`,
    postgres: `create function planted() returns trigger language plpgsql as $$ begin
      update accounts set generation = generation + 1 where id = new.account_id; return null; end $$;
      create trigger planted after insert on roles for each row execute function planted()`,
  },
} as const;

for (const kind of databases) {
  describe(`what depends on a table, on ${kind}`, () => {
    test('every table is listed', async (t) => {
      const { url, dispose } = await openTestStore(kind);
      t.after(dispose);
      const tables = await ask(
        url,
        kind === 'sqlite'
          ? "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'"
          : "select table_name as name from information_schema.tables where table_schema = 'public' order by 1",
      );
      assert.deepEqual(Object.keys(dependants).toSorted(), tables.map(({ name }) => String(name)).toSorted());
    });

    test('each trigger that writes is replaced, and each that is planted is found', async (t) => {
      const { url, dispose } = await openTestStore(kind);
      t.after(dispose);
      const lines = (await readTriggers(url)).filter(writes).map(readTrigger);
      assert.deepEqual([...lines, ...withoutTrigger].toSorted(), [...known, ...ofTriggers].toSorted());
      for (const [what, by] of Object.entries(planted)) {
        await execute(url, by[kind]);
        assert.equal((await strayTriggers(url)).length, 1, `a trigger ${what}`);
        await execute(url, kind === 'sqlite' ? 'drop trigger planted' : 'drop function planted cascade');
      }
    });

    test('a database without them is one of this release', async (t) => {
      const { store, url, dispose } = await openTestStore(kind);
      t.after(dispose);
      assert.ok((await dropWritingTriggers(url)) > 20);
      assert.deepEqual(await store.findSchemaFaults(), []);
      assert.deepEqual((await store.migrate()).pending, []);
      const { id: accountId } = await newAccount(store);
      const { appId } = await newClient(store, accountId);
      const servers = await Promise.all(Array.from({ length: 12 }, () => newServer(store, accountId)));
      const link = { accountId, appId, scopeIds: [], linkedAt: now };
      await Promise.all(servers.map(({ id }) => store.authorizationServers.link({ ...link, serverId: id })));
      assert.equal((await store.clients.findByApp(accountId, appId))?.linkedServers, 12);
    });

    test('migrations, which write past the list, move the generation of each account', async (t) => {
      const { store, dispose } = await openTestStore(kind);
      t.after(dispose);
      const accounts = [await newAccount(store), await newAccount(store)];
      const generations = () => Promise.all(accounts.map(async ({ id }) => Number(await store.generation(id))));
      const before = await generations();
      await store.rollback(1);
      const undone = await generations();
      await store.migrate();
      const migrated = await generations();
      assert.ok(undone.every((generation, index) => generation > Number(before[index])));
      assert.ok(migrated.every((generation, index) => generation > Number(undone[index])));
      await store.migrate();
      assert.deepEqual(await generations(), migrated);
    });
  });
}

describe('a write that cannot be followed', () => {
  const knex = createKnex({ client: 'pg' });
  const accountsOf = (statement: Knex.QueryBuilder, answer: unknown = 1) => {
    const write = writeOf(statement as Statement);
    assert.ok(write);
    return numbersIn(statement as Statement, write, accountColumn(write.table), answer);
  };
  const unsaid = { code: 'internal', detail: { reason: 'a written row does not say its account_id' } };

  test('is refused where no row and no condition says its account', () => {
    const hooks = () => knex('hooks');
    assert.deepEqual(accountsOf(hooks().where({ account_id: 3, id: 1 }).delete()), [3]);
    assert.deepEqual(accountsOf(hooks().whereIn('account_id', [5, 4, 5]).update({ version: 1 })), [4, 5]);
    assert.deepEqual(accountsOf(hooks().insert([{ account_id: 2 }, { account_id: 1 }])), [1, 2]);
    assert.deepEqual(accountsOf(knex('accounts').insert({ name: 'x' }), [{ id: 7 }]), [7]);
    assert.deepEqual(accountsOf(hooks().where('id', 1).update({ version: 1 }), [{ account_id: 6 }]), [6]);
    const vague = [
      hooks().where('id', 1).delete(),
      hooks().where('account_id', 3).orWhere('id', 1).delete(),
      hooks().whereNot('account_id', 3).delete(),
      hooks().where('account_id', '>', 3).delete(),
      hooks().whereIn('account_id', knex('accounts').select('id')).delete(),
      hooks().insert({ uuid: 'x' }),
    ];
    for (const statement of vague) assert.throws(() => accountsOf(statement), unsaid);
  });

  test('is refused on a table that is not listed, and found in a test file where it is written as text', () => {
    const write = { table: 'badges', operation: 'insert', columns: [], rows: [] } as const;
    const reason = 'what depends on badges is not known';
    assert.throws(() => dependantOf(write), { code: 'internal', detail: { reason } });
    assert.deepEqual(
      ['update policies set name = ? where id = ?', 'insert into hooks (name) values (?)'].map(isUnraised),
      [true, true],
    );
    assert.deepEqual(['update "policies" set "name" = $1', 'update users set status = 1'].map(isUnraised), [
      false,
      false,
    ]);
  });
});

onEachDatabase('statements that others depend on', (subject) => {
  const generationOf = async (accountId: number) => Number(await subject.store.generation(accountId));

  test('an account’s generation moves once the change has committed, and not before', async () => {
    const { store } = subject;
    const { id } = await newAccount(store);
    const before = await generationOf(id);
    const thrown = new Error('undone');
    await assert.rejects(
      store.transaction(async (tx) => {
        await tx.accounts.update(id, { name: 'never' });
        throw thrown;
      }),
      thrown,
    );
    assert.equal(await generationOf(id), before);
    await store.transaction((tx) => tx.accounts.update(id, { name: 'changed' }));
    assert.ok((await generationOf(id)) > before);
  });

  test('what changes no row, or nothing that is kept in memory, moves nothing', async () => {
    const { store } = subject;
    const { id } = await newAccount(store);
    await newClient(store, id);
    const build = await store.packageBuilds.create({ accountId: id, packages: { dayjs: '1.0.0' }, createdAt: now });
    const before = await generationOf(id);
    await newClient(store, id);
    await store.keys.retire(id, 'unknown', now);
    await store.keys.removeRetired(id, now);
    await store.policies.remove(id, 2 ** 40);
    await store.packageBuilds.claim(0, 0, []);
    await store.packageBuilds.remove(id, build.id);
    assert.equal(await generationOf(id), before);
  });

  test('links by this release and by one whose triggers count them, at the same time, are all counted', async () => {
    const { store, url } = subject;
    const { id: accountId } = await newAccount(store);
    const { appId } = await newClient(store, accountId);
    const servers = await Promise.all(Array.from({ length: 12 }, () => newServer(store, accountId)));
    await Promise.all(
      servers.map(({ id: serverId }, index) =>
        index % 2 === 0
          ? store.authorizationServers.link({ accountId, serverId, appId, scopeIds: [], linkedAt: now })
          : execute(
              url,
              `insert into authorization_server_clients (account_id, app_id, server_id, scope_ids, linked_at)
                values (${accountId}, ${appId}, ${serverId}, '[]', ${now})`,
            ),
      ),
    );
    const counted = async () => (await store.clients.findByApp(accountId, appId))?.linkedServers;
    assert.equal(await counted(), 12);
    await Promise.all(servers.slice(3).map(({ id }) => store.authorizationServers.unlink(accountId, id, appId, now)));
    assert.equal(await counted(), 3);
  });

  test('after changes by hand everything that depends on them is written when the account is touched', async () => {
    const { store, url } = subject;
    const [{ id: accountId }, other] = [await newAccount(store), await newAccount(store)];
    const [{ appId }, server] = [await newClient(store, accountId), await newServer(store, accountId)];
    const link = { accountId, serverId: server.id, appId, scopeIds: [], linkedAt: now };
    await store.authorizationServers.link(link);
    await execute(url, `update clients set linked_servers = 7 where account_id = ${accountId}`);
    await execute(url, `delete from policies where account_id = ${accountId}`);
    const [before, ofOther] = [await generationOf(accountId), await generationOf(other.id)];
    assert.equal(await store.accounts.touch(accountId), true);
    assert.equal((await store.clients.findByApp(accountId, appId))?.linkedServers, 1);
    assert.deepEqual(
      (await store.policies.list(accountId)).map(({ name, isDefault }) => ({ name, isDefault })),
      [{ name: 'Default', isDefault: true }],
    );
    assert.ok((await generationOf(accountId)) > before);
    assert.equal(await generationOf(other.id), ofOther);
    assert.equal(await store.accounts.touch(2 ** 40), false);
  });
});
