import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Account } from '../../../src/domain/accounts/account.ts';
import { recordEvent } from '../../../src/domain/audit/record.ts';
import { beginVerification, noteVerification, readChain, verifyNextPart } from '../../../src/domain/audit/verified.ts';
import { verifyTrail } from '../../../src/domain/audit/verify.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { onSampledDatabases } from '../../store/suite.ts';
import { execute } from '../../support/rows.ts';
import { createTestAccount, type TestServices, testServices } from '../../support/services.ts';

/** Another value for each column, as an attacker with access to the database may write it. */
const changes = {
  id: '1000',
  at: 'at + 1',
  action: "'user.removed'",
  outcome: "'refused'",
  actor_type: "'system'",
  actor_id: '2',
  target_type: "'role'",
  target_id: 'null',
  source: "''",
  request_id: "'r-2'",
  detail: `'{"fields":["email"] }'`,
  hash: "case when hash like 'A%' then 'B' else 'A' end || substr(hash, 2)",
} as const;

onSampledDatabases('the trail is verified', (subject) => {
  let services: TestServices;

  before(async () => {
    services = await testServices(subject.store);
    const statements =
      subject.store.kind === 'sqlite'
        ? ['drop trigger events_refuse_update', 'drop trigger events_refuse_delete']
        : ['alter table events disable trigger user'];
    for (const statement of statements) await execute(subject.url, statement);
  });

  /** An account with eight events; the first tells of its creation. */
  async function withEvents(): Promise<Account> {
    const account = await createTestAccount(services);
    for (let left = 7; left > 0; left -= 1) {
      await recordEvent(services.store, services, account, {
        action: 'user.changed',
        actor: { type: 'user', id: 1 },
        target: { type: 'user', id: 1 },
        detail: { fields: ['email'] },
      });
    }
    return account;
  }

  /** Where the chain breaks after these statements, in which `@` stands for the account's events. */
  async function brokenBy(...statements: string[]): Promise<number | null> {
    const account = await withEvents();
    const told: unknown[] = [];
    const report = (done: number, total: number) => told.push([done, total]);
    assert.deepEqual(await verifyTrail(services, account, report), { events: 8, verified: true, firstBad: null });
    assert.deepEqual(told, [[8, 8]]);
    for (const statement of statements) {
      await execute(
        subject.url,
        statement.replace(/@(\d*)/, (_, id) => `account_id = ${account.id}${id && ` and id = ${id}`}`),
      );
    }
    const { events, verified, firstBad } = await verifyTrail(services, account);
    assert.deepEqual([verified, events], [firstBad === null, (firstBad ?? 9) - 1]);
    return firstBad;
  }

  test('an unchanged trail verifies, also with one event and while it grows', async () => {
    const account = await createTestAccount(services);
    assert.deepEqual(await verifyTrail(services, account), { events: 1, verified: true, firstBad: null });
    const roles = Array.from({ length: 30 }, (_, number) => createRole(services, account, { name: `role ${number}` }));
    for (let left = 10; left > 0; left -= 1) assert.equal((await verifyTrail(services, account)).verified, true);
    await Promise.all(roles);
    assert.deepEqual(await verifyTrail(services, account), { events: 31, verified: true, firstBad: null });
  });

  test('a trail longer than a page verifies', async () => {
    const account = await createTestAccount(services);
    await services.store.transaction(async (tx) => {
      for (let left = 2500; left > 0; left -= 1) {
        const target = { type: 'account', id: account.id } as const;
        await recordEvent(tx, services, account, { action: 'account.created', target, detail: {} });
      }
    });
    assert.deepEqual(await verifyTrail(services, account), { events: 2501, verified: true, firstBad: null });
    await execute(subject.url, `update events set source = 'x' where account_id = ${account.id} and id = 2200`);
    assert.equal((await verifyTrail(services, account)).firstBad, 2200);
  });

  test('in parts: a change is found by the part that holds it, or by the next verification', async () => {
    const account = await withEvents();
    const verify = async () => {
      const { reached, firstBad, verifiedEvents } = await verifyNextPart(services, account, 3);
      return [reached, firstBad, verifiedEvents];
    };
    const change = (id: number, by: number) =>
      execute(subject.url, `update events set at = at + ${by} where account_id = ${account.id} and id = ${id}`);
    assert.deepEqual(
      [await verify(), await verify()],
      [
        [3, null, null],
        [6, null, null],
      ],
    );
    await change(2, 1);
    assert.deepEqual(await verify(), [null, null, 8], 'it has been there already');
    assert.deepEqual(await verify(), [null, 2, 8]);
    await change(2, -1);
    await change(5, 1);
    assert.deepEqual(
      [await verify(), await verify()],
      [
        [3, 2, 8],
        [null, 5, 8],
      ],
    );
    await change(5, -1);
    assert.deepEqual(
      [await verify(), await verify(), await verify()],
      [
        [3, 5, 8],
        [6, 5, 8],
        [null, null, 8],
      ],
    );
    const { firstBad } = await readChain(services, account);
    assert.equal(firstBad, null);
  });

  test('in parts: a trail that was cut, or changed where a part ended, is bad', async () => {
    const [cut, joint] = [await withEvents(), await withEvents()];
    for (const account of [cut, joint]) assert.equal((await verifyNextPart(services, account, 6)).reached, 6);
    await execute(subject.url, `delete from events where account_id = ${cut.id} and id > 4`);
    assert.equal((await verifyNextPart(services, cut, 6)).firstBad, 7);
    await execute(
      subject.url,
      `update events set hash = (select hash from events as other where other.account_id = ${joint.id} and other.id = 5) where account_id = ${joint.id} and id = 7`,
    );
    assert.equal((await verifyNextPart(services, joint, 6)).firstBad, 7);
  });

  test('in parts: a place that the service did not keep, or kept too long ago, is not trusted', async () => {
    const account = await withEvents();
    const fact = `audit_chain ${account.id}`;
    const place = async (change: (run: Record<string, unknown>) => object | null) => {
      const findings = JSON.parse((await services.store.facts.read(fact)) ?? '');
      await services.store.facts.replace(fact, JSON.stringify({ ...findings, run: change(findings.run) }));
    };
    const next = async (most: number) => (await verifyNextPart(services, account, most)).reached;
    assert.deepEqual([await next(2), await next(2)], [2, 4]);
    const [event] = await services.store.events.listAfter(account.id, 5, 1);
    for (const change of [
      (run: Record<string, unknown>) => ({ ...run, id: event?.id, hash: event?.hash }),
      ({ seal, ...run }: Record<string, unknown>) => run,
      (run: Record<string, unknown>) => ({ ...run, seal: 'x' }),
      (run: Record<string, unknown>) => ({
        ...run,
        begun: { ...(run['begun'] as object), at: services.clock.now() + 1 },
      }),
      () => ({ id: event?.id, hash: event?.hash }),
    ]) {
      await place(change);
      assert.equal((await readChain(services, account)).reached, null);
      assert.deepEqual([await next(2), await next(2)], [2, 4], 'from the first event');
    }
    services.clock.advance(3_600_001);
    assert.equal((await readChain(services, account)).reached, null);
    assert.equal(await next(2), 2);
  });

  test('in parts: it is as old as its beginning', async () => {
    using _ = services.clock.hold();
    const account = await withEvents();
    const began = services.clock.now();
    await verifyNextPart(services, account, 4);
    services.clock.advance(600_000);
    const { verifiedAt, verifiedEvents } = await verifyNextPart(services, account, 4);
    assert.deepEqual([verifiedAt, verifiedEvents], [began, 8]);
    services.clock.advance(1);
    const later = await beginVerification(services, account);
    services.clock.advance(1);
    await verifyNextPart(services, account);
    await noteVerification(services, account, later, { events: 7, verified: true, firstBad: null });
    const chain = await readChain(services, account);
    assert.deepEqual([chain.verifiedAt, chain.verifiedEvents], [began + 600_002, 8], 'an older one that ends later');
  });

  test('verifications beside each other: no alarm is lost, and no end undone', async () => {
    const account = await withEvents();
    /** Verifies the next part; `meanwhile` happens when its events were read. */
    const beside = (most: number, meanwhile: () => Promise<unknown>) => {
      const { store } = services;
      const transaction: typeof store.transaction = async (work) => {
        await meanwhile();
        return store.transaction(work);
      };
      return verifyNextPart({ ...services, store: { ...store, transaction } }, account, most);
    };
    const begun = await beginVerification(services, account);
    const alarm = () => noteVerification(services, account, begun, { events: 4, verified: false, firstBad: 5 });
    for (const most of [3, 3, 8]) assert.equal((await beside(most, alarm)).firstBad, 5, 'it came meanwhile');
    await noteVerification(services, account, begun, { events: 8, verified: true, firstBad: null });
    assert.equal((await readChain(services, account)).firstBad, 5, 'it came after this one began');
    assert.equal((await verifyNextPart(services, account)).firstBad, null, 'this one began after it');
    const ended = await beside(3, async () => {
      await verifyNextPart(services, account, 2);
      await verifyNextPart(services, account, 2);
    });
    assert.equal(ended.reached, 4, 'another one went on from there');
    const found = await beside(2, () => verifyNextPart(services, account));
    assert.deepEqual([found.reached, found.verifiedEvents], [null, 8], 'another one ended');
  });

  describe('A7: manual changes are found', () => {
    for (const [column, value] of Object.entries(changes)) {
      test(`${column} of an event`, async () => {
        assert.equal(await brokenBy(`update events set ${column} = ${value} where @3`), 3);
      });
    }

    test('an event removed from the middle, and the first one', async () => {
      assert.equal(await brokenBy('delete from events where @4'), 4);
      assert.equal(await brokenBy('delete from events where @1'), 1);
    });

    test('one removed and the rest renumbered', async () => {
      // From below, for a number is there once.
      const renumbered = [5, 6, 7, 8].map((id) => `update events set id = ${id - 1} where @${id}`);
      assert.equal(await brokenBy('delete from events where @4', ...renumbered), 4);
    });

    test('two swapped events', async () => {
      const moves = ['99 where @4', '4 where @5', '5 where @99'];
      assert.equal(await brokenBy(...moves.map((move) => `update events set id = ${move}`)), 4);
    });

    test('the newest event removed, also with a guessed end of the chain', async () => {
      assert.equal(await brokenBy('delete from events where @8'), 8);
      const moved = 'update event_heads set last_id = 7 where @';
      assert.equal(await brokenBy('delete from events where @8', moved), 8);
    });

    test('all events removed, or the end of the chain', async () => {
      assert.equal(await brokenBy('delete from events where @'), 1);
      assert.equal(await brokenBy('delete from event_heads where @'), 1);
    });

    test('events inserted after the end, before the first, and from another account', async () => {
      const columns =
        'at, action, outcome, actor_type, actor_id, target_type, target_id, source, request_id, detail, hash';
      const copied = (id: number) =>
        `insert into events (account_id, id, ${columns}) select account_id, ${id}, ${columns} from events where @8`;
      assert.equal(await brokenBy(copied(9)), 9);
      assert.equal(await brokenBy(copied(0)), 1);
      const other = await withEvents();
      const replaced = `insert into events (account_id, id, ${columns}) select e.account_id, 3, ${columns
        .split(', ')
        .map((column) => `o.${column}`)
        .join(
          ', ',
        )} from events e, events o where e.account_id = (select max(account_id) from events where @) and e.id = 1
        and o.account_id = ${other.id} and o.id = 3`;
      assert.equal(await brokenBy('delete from events where @3', replaced), 3);
    });
  });

  test('a restored earlier state cannot be detected', async () => {
    const account = await withEvents();
    const earlier = (await subject.store.events.listAfter(account.id, 6, 1))[0]?.hash;
    const where = `where account_id = ${account.id}`;
    await execute(subject.url, `delete from events ${where} and id = 8`);
    await execute(subject.url, `update event_heads set last_id = 7, last_hash = '${earlier}' ${where}`);
    assert.deepEqual(await verifyTrail(services, account), { events: 7, verified: true, firstBad: null });
  });
});
