import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import { postgresDialect } from '../../src/store/knex/postgres/dialect.ts';
import { deleteDue } from '../../src/store/knex/purge.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import { purge } from '../../src/store/knex/sqlite/purge.ts';
import type { Position } from '../../src/store/purge.ts';
import type { Store } from '../../src/store/store.ts';
import { purgeAll, purgeTable } from '../support/purge.ts';
import { execute } from '../support/rows.ts';
import { databases, openTestStore } from '../support/stores.ts';
import { type Cast, day, hour, minute, newCast, newCode, newDeviceCode, newGrant, now, unique } from './samples.ts';

/** What Citus has, as far as the store looks for it. */
const distributed = 'create table citus_tables (table_name regclass)';

async function withStore(
  kind: Store['kind'],
  prepare: string | null,
  work: (store: Store, cast: Cast) => Promise<void>,
): Promise<void> {
  const { store, url, dispose } = await openTestStore(kind);
  try {
    if (prepare !== null) await execute(url, prepare);
    await work(store, await newCast(store));
  } finally {
    await dispose();
  }
}

const variants = [
  ...databases.map((kind) => ({ kind, title: kind, prepare: null })),
  ...databases
    .filter((kind) => kind === 'postgres')
    .map((kind) => ({ kind, title: `${kind}, distributed`, prepare: distributed })),
];
for (const { kind, title, prepare } of variants) {
  describe(`purge on ${title}`, () => {
    test('each kind is deleted when it is no longer useful, and not before', () =>
      withStore(kind, prepare, async (store, cast) => {
        const { accountId, appId, userId } = cast;
        const ended = now - day;
        const session = {
          accountId,
          sid: 'sid',
          userId,
          amr: [],
          authenticatedAt: now,
          lastSeenAt: now,
          idleMilliseconds: day,
        };
        const request = {
          ...newCode(cast),
          browserDigest: '',
          decision: null,
          decidedBy: null,
          createdAt: now,
          passwordUserId: null,
          passwordCheckedAt: null,
          hookPolicyId: null,
          hookPolicyUserId: null,
          hookTraits: null,
          methods: null,
        };
        const token = { accountId, appId, userId: null, grantId: null, scope: [], issuedAt: now, revokedAt: null };
        const credential = await store.callers.createCredential({
          accountId,
          clientId: unique(),
          secretDigest: 'digest',
          scopes: [],
          createdAt: now,
          revokedAt: null,
        });
        const issued = { accountId, credentialId: credential.id, createdAt: now, revokedAt: null };
        // Per kind: makes a row that is due when `late` is 0, one that is not when it is 1; answers how to find it.
        const kinds: ((late: number) => Promise<() => Promise<unknown>>)[] = [
          async (late) => {
            const code = newDeviceCode(cast, { expiresAt: now - hour + late });
            await store.deviceCodes.create(code);
            return () => store.deviceCodes.find(accountId, code.digest);
          },
          async (late) => {
            const { digest } = await store.sessions.create({ ...session, digest: unique(), expiresAt: now + late });
            return () => store.sessions.find(accountId, digest);
          },
          async (late) => {
            const digest = unique();
            await store.authorizations.createRequest({
              ...request,
              digest,
              authenticatedAt: null,
              sid: null,
              expiresAt: now + late,
            });
            return () => store.authorizations.findRequest(accountId, digest);
          },
          async (late) => {
            const code = newCode(cast, { expiresAt: ended + late, usedAt: ended - minute });
            await store.authorizations.createCode(code);
            return () => store.authorizations.findCode(accountId, code.digest);
          },
          async (late) => {
            const added = { ...token, digest: unique(), expiresAt: now - hour + late };
            const { id } = await store.grants.addAccessToken(added);
            return () => store.grants.findAccessToken(accountId, id);
          },
          async (late) => {
            const added = { ...issued, digest: unique(), expiresAt: now - hour + late };
            const { id } = await store.callers.addToken(added);
            return () => store.callers.findToken(accountId, id);
          },
          async (late) => {
            const record = {
              accountId,
              digest: unique(),
              caller: 'caller',
              requestDigest: 'request',
              claim: 'claim',
              claimedUntil: now,
              isDone: true,
              sealedAnswer: null,
              createdAt: ended,
              expiresAt: now + late,
            };
            await store.keptAnswers.claim(record, ended);
            return () => store.keptAnswers.find(accountId, record.digest, ended);
          },
          ...[{ revokedAt: ended }, { idleExpiresAt: ended }, { absoluteExpiresAt: ended }].map(
            (due) => async (late: number) => {
              const moved = Object.fromEntries(Object.entries(due).map(([field, at]) => [field, at + late]));
              const { id } = await newGrant(store, cast, moved);
              return () => store.grants.find(accountId, id);
            },
          ),
        ];
        const due = await Promise.all(kinds.map((make) => make(0)));
        const kept = await Promise.all(kinds.map((make) => make(1)));
        assert.equal(await purgeAll(store, now), kinds.length);
        for (const find of due) assert.equal(await find(), null);
        for (const find of kept) assert.ok(await find());
        assert.equal(await purgeAll(store, now), 0);
      }));

    test('a slice deletes at most its limit, the next continues, and the rest reports how late it is', () =>
      withStore(kind, prepare, async (store, cast) => {
        const { accountId, appId } = cast;
        const token = { accountId, appId, userId: null, grantId: null, scope: [], issuedAt: now, revokedAt: null };
        for (let count = 0; count < 5; count += 1) {
          await store.grants.addAccessToken({ ...token, digest: unique(), expiresAt: now - day + count });
        }
        await store.grants.addAccessToken({ ...token, digest: unique(), expiresAt: now });
        assert.deepEqual(await store.findOverdue(now, new Map()), new Map([['access_tokens', now - day + hour]]));
        const slices = await purgeTable(store, 'access_tokens', now, 2);
        assert.deepEqual(
          slices.map(({ deleted, overdueSince, isLast }) => [deleted, overdueSince, isLast]),
          [
            [2, now - day + 1 + hour, false],
            [2, now - day + 3 + hour, false],
            [1, now - day + 4 + hour, true],
          ],
        );
        assert.deepEqual(await store.findOverdue(now, new Map()), new Map());
      }));

    test('rows that slices skipped are found from the first row', () =>
      withStore(kind, prepare, async (store, cast) => {
        const { digest, ...code } = newCode(cast, { expiresAt: now - 2 * day });
        await store.authorizations.createCode({ ...code, digest });
        const beyond: Position = [now - 2 * day + 1];
        const slice = await store.purge({ table: 'codes', now, from: beyond, limit: 10 });
        assert.deepEqual(slice, { deleted: 0, reached: beyond, isLast: true, overdueSince: null });
        assert.deepEqual(await store.findOverdue(now, new Map([['codes', beyond]])), new Map());
        assert.deepEqual(await store.findOverdue(now, new Map()), new Map([['codes', now - day]]));
        assert.ok(await store.authorizations.findCode(cast.accountId, digest));
      }));

    test('grants are scanned up to the limit at a time; live ones do not stop it', () =>
      withStore(kind, prepare, async (store, cast) => {
        for (let count = 0; count < 5; count += 1) await newGrant(store, cast);
        const other = await newCast(store);
        const dead = await newGrant(store, other, { revokedAt: now - day });
        const slices = await purgeTable(store, 'grants', now, 2);
        assert.deepEqual(
          slices.map(({ deleted }) => deleted),
          [0, 0, 1, 0],
        );
        assert.equal(await store.grants.find(other.accountId, dead.id), null);
      }));
  });
}

test("on PostgreSQL nodes that delete at the same time skip each other's rows", async () => {
  const { store, url, dispose } = await openTestStore('postgres');
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  try {
    const cast = await newCast(store);
    const codes = Array.from({ length: 4 }, (_, index) => newCode(cast, { expiresAt: now - 2 * day + index }));
    for (const code of codes) await store.authorizations.createCode(code);
    const held = codes.slice(0, 2).map(({ digest }) => digest);
    await other.query('begin');
    await other.query('select 1 from codes where digest = any($1) for update', [held]);
    const slice = await store.purge({ table: 'codes', now, from: null, limit: 3 });
    assert.deepEqual([slice.deleted, slice.isLast], [2, true]);
    await other.query('rollback');
    assert.deepEqual(await store.findOverdue(now, new Map()), new Map([['codes', now - day]]));
    assert.equal((await store.purge({ table: 'codes', now, from: null, limit: 3 })).deleted, 2);
  } finally {
    await other.end();
    await dispose();
  }
});

test('on a distributed database they do too, and a slice of locked rows does not stop the next', async () => {
  const { store, url, dispose } = await openTestStore('postgres');
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  try {
    await execute(url, distributed);
    const casts = [await newCast(store), await newCast(store)];
    const codes = [0, 1, 2, 3].map((at) => newCode(casts[at % 2] ?? assert.fail(), { expiresAt: now - 2 * day + at }));
    for (const code of codes) await store.authorizations.createCode(code);
    await other.query('begin');
    await other.query('select 1 from codes where digest = any($1) for update', [[codes[0]?.digest, codes[1]?.digest]]);
    const slices = await purgeTable(store, 'codes', now, 2);
    assert.deepEqual(
      slices.map(({ deleted }) => deleted),
      [0, 1, 1],
    );
    await other.query('rollback');
    assert.equal((await store.purge({ table: 'codes', now, from: null, limit: 3 })).deleted, 2);
  } finally {
    await other.end();
    await dispose();
  }
});

test('on PostgreSQL the commit of a slice waits for nothing, and the next one of its connection does', async () => {
  const { store, url, dispose } = await openTestStore('postgres');
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  try {
    const code = newCode(await newCast(store), { expiresAt: now - 2 * day });
    await store.authorizations.createCode(code);
    const { sql, bindings } = deleteDue('codes', { now, from: null, limit: 3 }, postgresDialect);
    let given = 0;
    const text = sql.replaceAll('?', () => `$${++given}`);
    const setting = async () => (await other.query('show synchronous_commit')).rows[0].synchronous_commit;
    await other.query('begin');
    assert.equal((await other.query(text, bindings)).rowCount, 1);
    assert.equal(await setting(), 'off');
    await other.query('rollback');
    assert.equal((await other.query(text, bindings)).rowCount, 1);
    assert.equal(await setting(), 'on');
  } finally {
    await other.end();
    await dispose();
  }
});

test('on SQLite a slow slice ends early and keeps what it has deleted', async () => {
  const { store, url, dispose } = await openTestStore('sqlite');
  try {
    const cast = await newCast(store);
    const chunk = 25;
    for (let count = 0; count < 4 * chunk; count += 1) {
      await store.authorizations.createCode(newCode(cast, { expiresAt: now - 2 * day }));
    }
    const { db } = openSqlite({ url, log: () => {}, waitMilliseconds: 60_000 });
    try {
      let time = 0;
      const wanted = { table: 'codes', now, from: null, limit: 1000 } as const;
      const slow = () => purge(db, wanted, () => time++);
      const deleted = [(await slow()).deleted, (await slow()).deleted];
      assert.deepEqual(deleted, [2 * chunk, 2 * chunk]);
    } finally {
      await db.destroy();
    }
  } finally {
    await dispose();
  }
});
