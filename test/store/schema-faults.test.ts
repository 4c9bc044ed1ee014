/** A database whose schema or migrations are not those of this release is found before anybody works on it. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Knex } from 'knex';
import { checksumsSince, migrationNames } from '../../src/store/knex/migrations/index.ts';
import { checksumOf, checksums } from '../../src/store/knex/schema/checksums.ts';
import { execute, readRows } from '../support/rows.ts';
import { type DatabaseKind, databases, openTestStore, type TestStore } from '../support/stores.ts';

interface Planted {
  readonly what: string;
  /** Statements on both databases, or on each. */
  readonly by: string | Readonly<Record<DatabaseKind, string>>;
  /** What each line that names it begins with. */
  readonly found: string;
}

const planted: readonly Planted[] = [
  {
    what: 'a column that is missing',
    by: 'alter table grants drop column nonce',
    found: 'column grants.nonce is missing',
  },
  {
    what: 'a column more',
    by: "alter table users add column badge text not null default ''",
    found: 'column users.badge is not of this release',
  },
  {
    what: 'a column of another type',
    by: {
      sqlite: 'alter table grants drop column nonce; alter table grants add column nonce integer',
      postgres: 'alter table grants alter column nonce type varchar(10)',
    },
    found: 'column grants.nonce is "',
  },
  {
    what: 'a table that is missing',
    by: 'drop table passkeys',
    found: 'table passkeys is missing',
  },
  {
    what: 'an index that is missing',
    by: 'drop index grants_account_id_user_id_index',
    found: 'index grants.grants_account_id_user_id_index is missing',
  },
  {
    what: 'an index over other columns',
    by: `drop index grants_account_id_user_id_index;
      create index grants_account_id_user_id_index on grants (account_id, sid)`,
    found: 'index grants.grants_account_id_user_id_index is "',
  },
  {
    what: 'an index that forbids what the release does not',
    by: 'create unique index users_once on users (account_id, created_at)',
    found: 'index users.users_once is not of this release',
  },
  {
    what: 'a trigger that is missing',
    by: {
      sqlite: 'drop trigger events_refuse_update',
      postgres: 'drop trigger events_refuse_rows on events',
    },
    found: 'trigger events.events_refuse_',
  },
  {
    what: 'a trigger that does something else',
    by: {
      sqlite: `drop trigger events_refuse_update;
        create trigger events_refuse_update before update on events begin select 1; end`,
      postgres: `create or replace function events_refuse_change() returns trigger language plpgsql
        as $$ begin return null; end $$`,
    },
    found: 'trigger events.events_refuse_',
  },
  {
    what: 'a constraint that is missing',
    by: {
      sqlite: `drop table passkeys; create table passkeys (account_id integer not null, device_id integer not null,
        credential_id text not null, counter integer not null, transports text not null,
        backup_eligible integer not null, backed_up integer not null, primary key (account_id, device_id),
        foreign key (account_id, device_id) references factor_devices (account_id, id) on delete cascade)
        strict, without rowid`,
      postgres: 'alter table passkeys drop constraint passkeys_credential_id_unique',
    },
    found: 'constraint passkeys.',
  },
];

for (const kind of databases) {
  describe(`the schema on ${kind}`, () => {
    let opened: TestStore;
    beforeEach(async () => {
      opened = await openTestStore(kind);
    });
    afterEach(() => opened.dispose());

    const refused = (named: RegExp) => ({ code: 'unavailable', message: named });
    /** The checksums that the database keeps, by migration. */
    const kept = async () => {
      const { migrations = [] } = await readRows(opened.url);
      const rows = migrations as readonly { readonly name: string; readonly checksum: string | null }[];
      return new Map(rows.map(({ name, checksum }) => [name, checksum]));
    };

    test("after all migrations is this release's", async () => {
      assert.deepEqual(await opened.store.findSchemaFaults(), []);
    });

    for (const { what, by, found } of planted) {
      test(`${what} is named, and nothing is migrated`, async () => {
        await execute(opened.url, typeof by === 'string' ? by : by[kind]);
        const faults = await opened.store.findSchemaFaults();
        assert.ok(faults.length > 0);
        for (const fault of faults) assert.ok(fault.startsWith(found), fault);
        await assert.rejects(opened.store.migrate(), refused(/^the schema does not match this release: /));
      });
    }

    test('other tables beside it are not a fault', async () => {
      await execute(
        opened.url,
        'create table notes (id integer); create unique index notes_id on notes (id); create index own on users (status)',
      );
      assert.deepEqual(await opened.store.findSchemaFaults(), []);
      await opened.store.migrate();
    });

    test('a migration changed after it was applied is named, and nothing is migrated', async () => {
      const [first = ''] = migrationNames;
      await execute(opened.url, `update migrations set checksum = 'another' where name = '${first}'`);
      const fault = `migration ${first} was changed after it was applied`;
      assert.deepEqual(await opened.store.findSchemaFaults(), [fault]);
      await assert.rejects(opened.store.migrate(), refused(new RegExp(`release: ${fault}: docs/operations.md`)));
    });

    test('each migration has a checksum, including those applied before there were checksums', async () => {
      const expected = await checksums(kind);
      assert.deepEqual([...expected.keys()], migrationNames);
      assert.deepEqual(await kept(), expected);
      await execute(opened.url, 'update migrations set checksum = null');
      assert.deepEqual(await opened.store.findSchemaFaults(), []);
      await opened.store.migrate();
      assert.deepEqual(await kept(), expected);
    });

    test('a database from before checksums is migrated, unless its schema differs', async () => {
      const steps = migrationNames.length - migrationNames.indexOf(checksumsSince);
      await opened.store.rollback(steps);
      await execute(opened.url, 'drop index grants_account_id_user_id_index');
      await assert.rejects(opened.store.migrate(), refused(/index grants\.grants_account_id_user_id_index is missing/));
      assert.deepEqual((await opened.store.status()).pending, migrationNames.slice(-steps));
      await execute(opened.url, 'create index grants_account_id_user_id_index on grants (account_id, user_id)');
      await opened.store.migrate();
      assert.deepEqual(await kept(), await checksums(kind));
    });

    test('a checksum depends on what a migration does, not on how it is written', async () => {
      const digest = (up: (db: Knex) => Promise<void>) => checksumOf(kind, up);
      const one = await digest(async (db) => {
        await db.raw('create table x (id integer)');
      });
      const reformatted = await digest(async (db) => {
        // Said in another way.
        await db.raw(`create table x
          (id integer)`);
      });
      const other = await digest(async (db) => {
        await db.raw('create table x (id text)');
      });
      assert.equal(one, reformatted);
      assert.notEqual(one, other);
    });
  });
}
