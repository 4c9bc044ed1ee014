import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Engine } from '../../src/store/knex/engine.ts';
import { verbsOn } from '../../src/store/knex/index.ts';
import { lockHeads } from '../../src/store/knex/postgres/chain.ts';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { hotStatements as hotOnPostgres } from '../../src/store/knex/postgres/hot.ts';
import { lockGrants, rotateAll } from '../../src/store/knex/postgres/sql-consume.ts';
import { deleteDue, findOverdue } from '../../src/store/knex/purge.ts';
import { chainStatements } from '../../src/store/knex/sqlite/chain.ts';
import { sqliteStatements } from '../../src/store/knex/sqlite/consume.ts';
import { sqliteDialect } from '../../src/store/knex/sqlite/dialect.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import { hotStatements as hotOnSqlite } from '../../src/store/knex/sqlite/hot.ts';
import { userListing } from '../../src/store/knex/user-listing.ts';
import { expiringTables } from '../../src/store/purge.ts';
import type { StoreVerbs } from '../../src/store/store.ts';
import { purgedTables } from '../support/purge.ts';
import { databases, openTestStore, type TestStore } from '../support/stores.ts';
import { now } from './samples.ts';

/** Every verb that looks something up, changes or removes it, by a key that need not exist. */
function lookups({
  accounts,
  authorizationServers: servers,
  keys,
  callers,
  users,
  roles,
  access,
  clients,
  sessions,
  ...rest
}: StoreVerbs) {
  const { packageBuilds, signInHistories } = rest;
  const { deviceCodes, authorizations, grants, invites, events, counts, attributes, policies, secondFactors } = rest;
  const { hooks, hookVariables, hookExecutions, passwordResets, resetRequests, notices, changeNotices } = rest;
  const denied = {
    decision: 'deny',
    amr: null,
    authenticatedAt: null,
    sid: null,
    decidedAt: now,
    apiScopes: null,
  } as const;
  const newest = { sort: { field: 'created_at', descending: true }, filters: [], limit: 10, at: { page: 1 } } as const;
  const times = { authenticatedAt: now, lastSeenAt: now, idleMilliseconds: 1, expiresAt: now };
  const named = { accountId: 1, id: 1, digest: 'x', sid: 'x', userId: 1, amr: [], source: null, userAgent: null };
  const attempt = { accountId: 1, userId: 1, now, maximum: 10, lockedUntil: now };
  return [
    ...[() => accounts.find(1), () => accounts.findBySubdomain('x'), () => accounts.findByHost('x')],
    ...[() => deviceCodes.find(1, 'x'), () => deviceCodes.findByUserCode(1, 'x'), () => deviceCodes.poll(1, 'x', now)],
    ...[() => deviceCodes.consume(1, 'x', now), () => deviceCodes.decide(1, 'x', { ...denied, userId: 1 }, now)],
    ...[() => keys.list(1), () => keys.retire(1, 'x', now), () => keys.removeRetired(1, now)],
    ...[() => callers.findCredential(1, 'x'), () => callers.listCredentials(1), () => callers.findToken(1, 1)],
    ...[() => callers.revokeCredentialById(1, 1, now)],
    ...[() => callers.revokeCredential(1, 'x', now), () => callers.revokeToken(1, 1, now)],
    ...[() => callers.findApiKey('x'), () => callers.listApiKeys(1), () => callers.revokeApiKey(1, 1, now)],
    ...[
      () => users.find(1, 1),
      () => users.lock(1, 1),
      () => users.findByName(1, 'x'),
      () => users.findByEmail(1, 'x'),
      () => users.list(1),
    ],
    ...[() => users.countAttempt(attempt), () => users.countDecoyAttempt(1), () => users.clearAttempts(1, 1)],
    ...[() => users.update(1, 1, { status: 1 }), () => users.remove(1, 1, now)],
    ...[() => users.findDetailed(1, 1), () => users.replaceDigest(1, 1, 'x', 'y'), () => roles.idsOfUsers(1, [1])],
    ...[() => attributes.find(1, 1), () => attributes.list(1), () => attributes.update(1, 1, { position: 1 })],
    ...[
      () => attributes.valuesOf(1, [1]),
      () => attributes.remove(1, 1, now),
      () => attributes.setValue(1, 1, 1, null),
    ],
    ...[() => roles.find(1, 1), () => roles.findByName(1, 'x'), () => roles.ofUser(1, 1)],
    ...[() => policies.find(1, 1), () => policies.list(1), () => policies.update(1, 1, { name: 'x' })],
    ...[() => policies.remove(1, 1), () => policies.followedBy(1, 1), () => policies.assign(1, { userId: 1 }, null)],
    ...[() => roles.rename(1, 1, 'x'), () => roles.remove(1, 1, now), () => roles.linkedAt(1, 'admins', 1, [1])],
    ...(['apps', 'users', 'admins'] as const).flatMap((link) => [
      ...[() => roles.linked(1, link, [1]), () => roles.unlink(1, link, 1, [1]), () => roles.findUnknown(1, link, [1])],
    ]),
    () => access.isAssigned(1, 1, 1),
    ...[() => access.revoke(1, 1, { userId: 1 }), () => access.revoke(1, 1, { roleId: 1 })],
    ...[() => clients.find(1, 'x'), () => clients.findByApp(1, 1), () => clients.replaceSecret(1, 1, 'x')],
    ...[() => clients.findApp(1, 1), () => clients.update(1, 1, { visible: true }), () => access.rolesOf(1, [1])],
    ...[
      () => clients.remove(1, 1, now),
      () => sessions.find(1, 'x'),
      () => sessions.isUsedFor(1, 'x', 1),
      () => sessions.forgetUses(1, 'x'),
      () => sessions.touch(1, 1, now),
    ],
    ...[
      () => sessions.end(1, 1, 'x'),
      () => sessions.renew({ ...named, ...times }),
      () => sessions.endOfUser(1, 1),
      () => sessions.endOfUser(1, 1, 'x'),
    ],
    ...[() => sessions.listOfUser(1, 1, 10), () => authorizations.listConsents(1, 1)],
    ...[() => authorizations.removeConsent(1, 1, 1), () => grants.listLive(1, 1, now)],
    ...[() => grants.findForApis(1, 1), () => grants.hasOfSession(1, 1, 'x', now)],
    ...[() => grants.revokeOfUserApp(1, 1, 1, now, 'x'), () => grants.revokeOfUserElsewhere(1, 1, 'x', now, 'y')],
    ...[() => authorizations.findRequest(1, 'x'), () => authorizations.hasEnded(1, 'x')],
    ...[() => authorizations.findCode(1, 'x'), () => authorizations.consumeCode(1, 'x', now)],
    ...[() => authorizations.linkCode(1, 'x', 1), () => authorizations.findConsent(1, 1, 1)],
    ...[() => invites.find(1, 'x'), () => invites.use(1, 'x', now)],
    ...[() => passwordResets.find(1, 'x'), () => passwordResets.use(1, 'x', now), () => resetRequests.countOpen(1)],
    ...[() => resetRequests.claim(now, now, 1), () => resetRequests.postpone(1, 1, now)],
    ...[() => resetRequests.remove(1, 1), () => changeNotices.claim(now, now, 1)],
    ...[
      () => notices.addForSessions(1, { userId: 1, sid: 'x' }, () => 'x', now),
      () => notices.addForSessions(1, { userId: 1, except: 'x' }, () => 'x', now),
    ],
    ...[() => changeNotices.postpone(1, 1, now), () => changeNotices.remove(1, 1, now), () => users.lock(1, 1)],
    ...[() => grants.find(1, 1), () => grants.setFirstToken(1, 1, 'x'), () => grants.revoke(1, 1, now, 'x')],
    ...[() => grants.revokeOfUser(1, 1, now, 'x'), () => grants.revokeUnassigned(1, { userIds: [1, 2] }, now)],
    ...[() => grants.revokeUnassigned(1, { appId: 1 }, now), () => grants.findAccessToken(1, 1)],
    ...[() => grants.findClaims(1, 1), () => authorizations.findPushed(1, 1, 'x')],
    ...[() => authorizations.takePushed(1, 'x')],
    ...[() => grants.revokeAccessToken(1, 1, now), () => servers.find(1, 1), () => servers.remove(1, 1, now)],
    ...[() => servers.update(1, 1, { name: 'x' }), () => servers.listScopes(1, 1), () => servers.listClaims(1, 1)],
    ...[() => servers.updateScope(1, 1, 1, { value: 'x' }), () => servers.removeScope(1, 1, 1)],
    ...[() => servers.updateClaim(1, 1, 1, { label: 'x' }), () => servers.removeClaim(1, 1, 1)],
    ...[() => servers.findLink(1, 1, 1), () => servers.updateLink(1, 1, 1, []), () => servers.unlink(1, 1, 1, now)],
    ...[() => servers.holdLink(1, 1, 1), () => servers.ofClient(1, 1)],
    ...[() => hooks.find(1, 'x'), () => hooks.findUuid(1, 1), () => hooks.count(1)],
    ...[() => hooks.findVersion(1, 1, 1), () => hooks.findVersionBefore(1, 1, 2), () => hooks.setShadow(1, 1, null)],
    ...[() => hooks.remove(1, 1), () => hooks.listLive(1), () => hooks.page(1, newest)],
    ...[() => hookVariables.find(1, 'x'), () => hookVariables.list(1), () => hookVariables.remove(1, 1)],
    ...[() => hookVariables.update(1, 1, { sealedValue: 'x', updatedAt: now }), () => hookVariables.page(1, newest)],
    ...[() => hookExecutions.page(1, 1, newest), () => hookExecutions.find(1, 'x')],
    ...[() => counts.list(1, '2026-11-21')],
    ...[() => events.listAfter(1, 1, 10), () => events.listBefore(1, null, 10), () => events.listBefore(1, 5, 10)],
    ...[() => packageBuilds.list(1, [1]), () => packageBuilds.countOpen(1)],
    ...[() => packageBuilds.claim(now, now), () => packageBuilds.remove(1, 1), () => packageBuilds.useBundle('x', now)],
    ...[() => packageBuilds.finish({ accountId: 1, id: 1, attempts: 1 }, { state: 'failed' }, now)],
    ...[() => packageBuilds.findBundle('x'), () => signInHistories.find(1, 1)],
    ...[() => events.findEnd(1)],
    ...[() => secondFactors.findRegistration(1, 1, 'x'), () => secondFactors.listDevices(1, 1)],
    ...[() => secondFactors.countDevices(1, 1, now), () => secondFactors.acceptDevice(1, 1, 1, now)],
    ...[() => secondFactors.useStep(1, 1, 1, now), () => secondFactors.removeDevice(1, 1, 1)],
    ...[() => secondFactors.clearAttempts(1, 1), () => secondFactors.replaceRecoveryCodes(1, 1, [])],
    ...[() => secondFactors.useRecoveryCode(1, 1, 'x', now), () => secondFactors.countRecoveryCodes(1, 1)],
    ...[() => secondFactors.findVerification(1, 1, 'x'), () => secondFactors.acceptVerification(1, 'x', now)],
  ];
}

interface Query {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The nodes of PostgreSQL's plan that read a table or an index, with what they look for there. */
function scansOf(node: PlanNode): string[] {
  const reads = /^(Seq|Index|Index Only|Bitmap Index) Scan$/.test(node['Node Type']);
  const own = reads ? [`${node['Node Type']} ${node['Index Cond'] ?? ''}`] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scansOf)];
}

for (const kind of databases) {
  describe(`schema on ${kind}`, () => {
    let opened: TestStore;
    let engine: Engine;

    before(async () => {
      opened = await openTestStore(kind);
      const open = kind === 'sqlite' ? openSqlite : openPostgres;
      engine = open({ url: opened.url, log: () => {}, waitMilliseconds: 60_000 });
    });
    after(async () => {
      await engine.db.destroy();
      await opened.dispose();
    });

    /** The steps of a statement's plan that read a table. */
    async function stepsOf({ sql, bindings }: Query): Promise<string[]> {
      const connection = await engine.db.client.acquireConnection();
      try {
        if (kind === 'sqlite') {
          const found: { detail: string }[] = connection.prepare(`explain query plan ${sql}`).all(bindings);
          return found.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH)\b/.test(detail));
        }
        // The tables are nearly empty: by itself the planner would read them through.
        await connection.query('set enable_seqscan to off');
        const found = await connection.query(`explain (format json) ${sql}`, bindings);
        return scansOf(found.rows[0]['QUERY PLAN'][0].Plan);
      } finally {
        await engine.db.client.releaseConnection(connection);
      }
    }

    /** The steps that put rows in order, since no index has them in it. */
    async function sortsOf({ sql, bindings }: Query): Promise<string[]> {
      const connection = await engine.db.client.acquireConnection();
      try {
        if (kind === 'sqlite') {
          const found: { detail: string }[] = connection.prepare(`explain query plan ${sql}`).all(bindings);
          return found.map(({ detail }) => detail).filter((detail) => detail.includes('TEMP B-TREE'));
        }
        await connection.query('set enable_seqscan to off; set enable_bitmapscan to off; set enable_sort to off');
        const found = await connection.query(`explain ${sql}`, bindings);
        await connection.query('reset enable_bitmapscan; reset enable_sort');
        const lines: string[] = found.rows.map((row: Record<string, string>) => row['QUERY PLAN'] ?? '');
        return lines.filter((line) => /\bSort\b/.test(line));
      } finally {
        await engine.db.client.releaseConnection(connection);
      }
    }

    async function assertIndexed(query: Query): Promise<void> {
      const steps = await stepsOf(query);
      // Rows that the statement itself brings along, or has found by then.
      const reading = steps.filter((step) => !/^SCAN (CONSTANT ROW|wanted|one|part_\d)\b/.test(step));
      for (const step of reading) {
        const key =
          /\b(account_id|id|app_id|kind|host|subdomain|digest|expires_at|due_at|used_at|rowid)\b[^,]{0,3}[=<>]/;
        assert.match(step, key, `${query.sql}\n${steps.join('\n')}`);
        assert.doesNotMatch(step, /^SCAN/, `${query.sql}\n${steps.join('\n')}`);
      }
    }

    /** Beside the row number, which SQLite does not list as an index. */
    async function assertSqliteKeys(): Promise<void> {
      const found: { table: string; first: string }[] = await engine.db.raw(`
        select m.name as "table", i.name as first from sqlite_master m join pragma_index_list(m.name) l
        join pragma_index_info(l.name) i on i.seqno = 0 where m.type = 'table' and l."unique" = 1 and exists (
          select 1 from pragma_table_info(m.name) c where c.name = 'account_id')`);
      assert.ok(found.length > 15);
      for (const { table, first } of found)
        assert.equal(first, table === 'account_hosts' ? 'host' : 'account_id', table);
    }

    test('no verb reads through a table', async () => {
      const queries: Query[] = [];
      engine.db.on('query', ({ sql, bindings }: Query) => queries.push({ sql, bindings: bindings ?? [] }));
      for (const run of lookups(verbsOn(engine.db, engine.hot))) await run();
      await findOverdue(engine.db, now, new Map());
      for (const table of purgedTables) await engine.purge({ table, now, from: null, limit: 10 });
      const looking = queries.filter(({ sql }) => /^(select|update|delete|with)/i.test(sql));
      assert.ok(looking.length > 50, `${looking.length} statements`);
      for (const query of looking) await assertIndexed(query);
    });

    test('a page of users is one range of an index: by every order, exact value and beginning, however deep', async () => {
      const queries: Query[] = [];
      engine.db.on('query', ({ sql, bindings }: Query) => queries.push({ sql, bindings: bindings ?? [] }));
      const { users } = verbsOn(engine.db, engine.hot);
      for (const [field, { kind: type }] of Object.entries(userListing.columns)) {
        const key = type === 'text' ? 'a' : 1;
        const at = { after: { key, id: 1 } };
        for (const descending of [false, true]) {
          await users.page(1, { sort: { field, descending }, filters: [], limit: 10, at });
        }
        const [byId, exact] = [
          { field: 'id', descending: false },
          { field, test: 'is' as const, values: [key] },
        ];
        await users.page(1, { sort: byId, filters: [exact], limit: 10, at: { after: { key: 1, id: 1 } } });
        if (type === 'number') continue;
        const begins = { field, test: 'begins' as const, values: ['a'] };
        await users.page(1, { sort: { field, descending: false }, filters: [begins], limit: 10, at });
      }
      assert.ok(queries.length > 60, `${queries.length} statements`);
      for (const query of queries) {
        await assertIndexed(query);
        assert.deepEqual(await sortsOf(query), [], query.sql);
      }
    });

    test('no prepared statement reads through a table', async () => {
      if (kind === 'sqlite') {
        const { addToken: _, ...looking } = sqliteStatements;
        const { append: __, move: ___, ...heads } = chainStatements;
        for (const sql of [looking, hotOnSqlite, heads].flatMap((texts) => Object.values<string>(texts))) {
          await assertIndexed({ sql, bindings: Array.from({ length: sql.split('?').length - 1 }, () => 1) });
        }
        for (const table of expiringTables)
          await assertIndexed(deleteDue(table, { now, from: null, limit: 10 }, sqliteDialect));
      } else {
        for (const [sql, parameters] of [
          [rotateAll, 12],
          [lockGrants, 2],
          [lockHeads, 1],
        ] as const) {
          const batch: unknown[] = Array.from({ length: parameters }, () => [1]);
          if (sql === rotateAll) batch.push(1);
          await assertIndexed({ sql, bindings: batch.map((value, at) => (at === 4 ? ['["x"]'] : value)) });
        }
        const { generation, ...hot } = hotOnPostgres;
        await assertIndexed({ sql: generation, bindings: [1] });
        for (const sql of Object.values(hot)) await assertIndexed({ sql, bindings: [1, 1] });
      }
    });

    // SQLite counts its rows in a key of its own.
    const leading = kind === 'sqlite' ? 'holds' : 'leads with';
    test(`every key of a table that belongs to accounts ${leading} the account`, async () => {
      if (kind === 'sqlite') return assertSqliteKeys();
      const { rows } = await engine.db.raw(`
        select c.relname as table, i.relname as index, a.attname as first
        from pg_index x
        join pg_class c on c.oid = x.indrelid
        join pg_class i on i.oid = x.indexrelid
        join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0]
        where x.indisunique and c.relnamespace = 'public'::regnamespace and exists (
          select 1 from pg_attribute o where o.attrelid = c.oid and o.attname = 'account_id' and not o.attisdropped)`);
      assert.ok(rows.length > 20);
      // A host is looked up to learn the account.
      const others = rows.filter((row: { table: string; first: string }) => row.table !== 'account_hosts');
      for (const row of others) assert.equal(row.first, 'account_id', JSON.stringify(row));
    });

    test('every foreign key between tables of accounts holds the account', async () => {
      const sql =
        kind === 'sqlite'
          ? `select m.name as "table", group_concat(f."from") as columns from sqlite_master m
             join pragma_foreign_key_list(m.name) f where m.type = 'table' group by m.name, f.id`
          : `select conrelid::regclass::text as "table", string_agg(attname, ',') as columns from pg_constraint
             join pg_attribute on attrelid = conrelid and attnum = any(conkey) where contype = 'f' group by oid, conrelid`;
      const answer = await engine.db.raw(sql);
      const keys: { table: string; columns: string }[] = kind === 'sqlite' ? answer : answer.rows;
      assert.ok(keys.length > 20);
      for (const { table, columns } of keys) assert.match(columns, /account_id/, `${table} (${columns})`);
    });
  });
}
