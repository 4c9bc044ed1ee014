import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Account } from '../../../../src/domain/accounts/account.ts';
import { listEvents } from '../../../../src/domain/audit/list.ts';
import { verifyTrail } from '../../../../src/domain/audit/verify.ts';
import { createRole } from '../../../../src/domain/roles/write-role.ts';
import { createCustomAttribute } from '../../../../src/domain/users/custom-attributes.ts';
import { exportPeople, type ShownPerson } from '../../../../src/domain/users/people/export.ts';
import { importPeople } from '../../../../src/domain/users/people/import.ts';
import type { ImportOptions } from '../../../../src/domain/users/people/import-run.ts';
import type { LineOutcome } from '../../../../src/domain/users/people/line.ts';
import type { FileRow } from '../../../../src/domain/users/people/person.ts';
import { listUsers } from '../../../../src/domain/users/users.ts';
import { sampledDatabases } from '../../../support/sample.ts';
import { createTestAccount, type TestServices, testServices } from '../../../support/services.ts';
import { openTestStore, type TestStore } from '../../../support/stores.ts';

const bcrypt = '$2b$04$abcdefghijklmnopqrstuuDS1IE7ysHTzMrdHBLnZMKLlELxTbUC6';

for (const database of sampledDatabases) {
  describe(`an import of people on ${database}`, () => {
    let opened: TestStore;
    let services: TestServices;
    let account: Account;
    before(async () => {
      opened = await openTestStore(database);
      services = await testServices(opened.store);
      account = await createTestAccount(services);
      for (const name of ['staff', 'crew']) await createRole(services, account, { name });
    });
    after(() => opened.dispose());

    async function importAll(
      people: readonly Readonly<Record<string, unknown>>[],
      options: Partial<ImportOptions> = {},
      using: TestServices = services,
    ): Promise<LineOutcome[]> {
      async function* rows(): AsyncGenerator<FileRow> {
        for (const [place, members] of people.entries()) yield { line: place + 1, members };
      }
      const all = { existing: 'skip', dryRun: false, authority: 'all', rest: nextTurn, ...options } as const;
      const outcomes: LineOutcome[] = [];
      for await (const some of importPeople(using, account, rows(), all)) outcomes.push(...some);
      return outcomes;
    }

    async function exported(email: string): Promise<ShownPerson | undefined> {
      for await (const people of exportPeople(services, account).parts) {
        const found = people.find(({ texts }) => texts.email === email);
        if (found) return found;
      }
      return undefined;
    }

    async function actions(): Promise<string[]> {
      const names: string[] = [];
      for await (const { action } of listEvents(services, account, 1000)) names.push(action);
      return names.filter((name) => name.startsWith('user.') && name !== 'user.listed');
    }

    const results = (outcomes: readonly LineOutcome[]) => outcomes.map(({ result }) => result);

    test('makes users as the API does, with roles by name and the event of each', async () => {
      const ada = { email: 'Ada@example.com', firstname: 'Ada', roles: ['staff', 'crew'] };
      const hashed = { password_hash: bcrypt, password_algorithm: 'bcrypt' };
      const outcomes = await importAll([
        ada,
        { username: 'bo', status: 'locked', ...hashed },
        { email: 'c@example.com', ...hashed },
      ]);
      assert.deepEqual(results(outcomes), ['created', 'created', 'created']);
      assert.deepEqual(await actions(), ['user.created', 'user.created', 'user.created']);
      const users = await listUsers(services, account);
      assert.deepEqual(
        users.map(({ id }) => id),
        outcomes.map(({ userId }) => userId),
      );
      assert.equal(users[1]?.passwordDigest, `i1:bcrypt:${bcrypt}`);
      assert.deepEqual((await exported('Ada@example.com'))?.roles, ['staff', 'crew']);
      assert.equal((await exported('Ada@example.com'))?.status, 'unactivated');
      assert.equal((await exported('c@example.com'))?.status, 'active');
    });

    test('stores nothing of a line that fails, and says why; the other lines arrive', async () => {
      const before = (await listUsers(services, account)).length;
      const bad: readonly (readonly [Readonly<Record<string, unknown>>, RegExp])[] = [
        [{ email: 'x@example.com', roles: ['staff', 'nobody'] }, /there is no role nobody/],
        [{ email: 'x@example.com', custom_attributes: { shoe: '39' } }, /custom_attributes\.shoe is not defined/],
        [{ email: 'no address' }, /email must be an address/],
        [{ firstname: 'Nobody' }, /a user needs an email or a username/],
        [{ email: 'x@example.com', pasword: 'x' }, /pasword is unknown; members are email/],
        [{ email: 'x@example.com', '': 'x' }, /a member without a name is unknown; members are email/],
        [{ email: 'x@example.com', custom_attributes: { '': 'x' } }, /custom_attributes has an empty short name/],
        [{ email: 'x@example.com', comment: 'a\nb' }, /comment contains .* not allowed \(U\+000A, a line feed\)/],
        [
          { email: 'x@example.com', password_hash: 'x', password_algorithm: 'bcrypt' },
          /^password_hash must be a bcrypt hash/,
        ],
        [
          { email: 'x@example.com', password_hash: 'x', password_algorithm: 'salt+sha256' },
          /^password_hash must be 64 hexadecimal digits/,
        ],
        [{ email: 'x@example.com', title: 7 }, /title must be a text or null/],
        [{ email: 'x@example.com', status: 'constructor' }, /status must be one of unactivated, active/],
        [{ email: 'x@example.com', roles: 'staff' }, /roles must be a list of names/],
        [{ email: 'x@example.com', custom_attributes: ['x'] }, /custom_attributes must be an object of short names/],
        [{ email: 'x@example.com', password_hash: 'plain' }, /password_hash needs a password_algorithm/],
        [{ email: 'x@example.com', password_algorithm: 'bcrypt' }, /password_algorithm needs a password_hash/],
        [
          { email: 'x@example.com', password_hash: 'x', password_algorithm: 'md5' },
          /password_algorithm must be one of/,
        ],
        [{ email: 'x@example.com', username: 'bo' }, /^$/],
      ];
      const good = Array.from({ length: 120 }, (_, number) => ({ email: `good${number}@example.com` }));
      const outcomes = await importAll([...good.slice(0, 60), ...bad.map(([members]) => members), ...good.slice(60)]);
      assert.deepEqual(
        outcomes.map(({ line }) => line),
        outcomes.map((_, place) => place + 1),
      );
      const failed = outcomes.filter(({ result }) => result === 'failed');
      assert.deepEqual(
        failed.map(({ line }) => line),
        bad.map((_, place) => 61 + place),
      );
      for (const [place, [, message]] of bad.entries())
        assert.match(failed[place]?.failure?.detail.message ?? '', message);
      assert.equal(failed.at(-1)?.failure?.detail.name, 'username');
      assert.equal((await listUsers(services, account)).length, before + good.length);
      assert.equal(await exported('x@example.com'), undefined);
    });

    /** How many transactions an import takes, before how many of them other work got a turn, and its rests. */
    async function cost(people: readonly Readonly<Record<string, unknown>>[], options: Partial<ImportOptions> = {}) {
      let [transactions, preceded, rests, turns, lastTurn] = [0, 0, 0, 0, 0];
      let tick = setImmediate(function again() {
        turns += 1;
        tick = setImmediate(again);
      });
      const transaction: typeof services.store.transaction = (work) => {
        transactions += 1;
        if (turns > lastTurn) preceded += 1;
        lastTurn = turns;
        return opened.store.transaction(work);
      };
      const watched = { ...services, store: { ...services.store, transaction } };
      const rest = async () => {
        rests += 1;
        await nextTurn();
      };
      try {
        const outcomes = await importAll(people, { ...options, rest }, watched);
        return { transactions, preceded, rests, results: new Set(results(outcomes)) };
      } finally {
        clearImmediate(tick);
      }
    }

    test('lines that are at fault do not undo others, and other work gets its turn between transactions', async () => {
      const named = (count: number, more: object) =>
        Array.from({ length: count }, (_, number) => ({ email: `good${number}@example.com`, ...more }));
      const fresh = Array.from({ length: 50 }, (_, number) => ({ email: `shod${number}@example.com` }));
      const undefinedMember = fresh.map((one) => ({ ...one, custom_attributes: { shoe: '39' } }));
      const once = { transactions: 1, preceded: 1, rests: 1 };
      assert.deepEqual(await cost(undefinedMember), { ...once, results: new Set(['failed']) });
      const unknownRole = named(20, { roles: ['nobody'] });
      assert.deepEqual(await cost(unknownRole, { existing: 'update' }), { ...once, results: new Set(['failed']) });
      const changes = await cost(named(100, { title: 'Dr' }), { existing: 'update' });
      assert.deepEqual(changes, { transactions: 4, preceded: 4, rests: 4, results: new Set(['updated']) });
      const withRoles = await cost(named(40, { roles: ['staff', 'crew'] }), { existing: 'update' });
      assert.deepEqual(withRoles, { transactions: 3, preceded: 3, rests: 3, results: new Set(['updated']) });
    });

    test('an export hands over few roles at a time, however many each user has', async () => {
      const roles = Array.from({ length: 30 }, (_, number) => `role ${number}`);
      for (const name of roles) await createRole(services, account, { name });
      await importAll(Array.from({ length: 40 }, (_, number) => ({ email: `held${number}@example.com`, roles })));
      let seen = 0;
      for await (const people of exportPeople(services, account).parts) {
        const held = people.reduce((sum, one) => sum + one.roles.length, 0);
        assert.ok(people.length > 0 && held <= 1_000, `${held} roles together`);
        seen += held;
      }
      assert.ok(seen >= 1_200);
    });

    test('skips, changes, or refuses a user who exists, as asked; run again it goes on', async () => {
      const people = [{ email: 'ADA@example.com', firstname: 'Augusta' }, { email: 'new@example.com' }];
      assert.deepEqual(results(await importAll(people)), ['skipped', 'created']);
      assert.equal((await exported('Ada@example.com'))?.texts.firstname, 'Ada');
      const refused = await importAll(people, { existing: 'fail' });
      assert.deepEqual(results(refused), ['failed', 'failed']);
      assert.match(refused[0]?.failure?.detail.message ?? '', /there is a user with this email/);
      const before = (await actions()).length;
      assert.deepEqual(results(await importAll(people.slice(0, 1), { existing: 'update' })), ['updated']);
      assert.deepEqual((await actions()).slice(0, (await actions()).length - before), ['user.changed']);
      const { texts, roles } = (await exported('ADA@example.com')) as ShownPerson;
      assert.deepEqual([texts.firstname, roles], ['Augusta', ['staff', 'crew']]);
      assert.deepEqual(results(await importAll([{ username: 'bo' }])), ['skipped']);
    });

    test('each line meets what the lines before it left, however they are written', async () => {
      const people = [
        { email: 'one@example.com', username: 'one', firstname: 'One' },
        { email: 'two@example.com', username: 'two' },
        { email: 'ONE@example.com', firstname: 'Again' },
        { username: 'two', firstname: 'By name' },
        { email: 'three@example.com', username: 'One' },
      ];
      assert.deepEqual(results(await importAll(people)), ['created', 'created', 'skipped', 'skipped', 'failed']);
      const renamed = [
        { email: 'new1@example.com', roles: ['staff'] },
        { email: 'one@example.com', username: 'uno' },
        // The name is free by now, and belongs to somebody new.
        { username: 'one', firstname: 'Other' },
        { email: 'new1@example.com', roles: ['crew'] },
        { email: 'new2@example.com' },
        { email: 'new2@example.com', username: 'two' },
      ];
      const outcomes = await importAll(renamed, { existing: 'update' });
      assert.deepEqual(results(outcomes), ['created', 'updated', 'created', 'updated', 'created', 'failed']);
      assert.equal(outcomes[3]?.userId, outcomes[0]?.userId);
      const users = new Map((await listUsers(services, account)).map((user) => [user.id, user]));
      assert.deepEqual(
        outcomes.slice(1, 3).map(({ userId }) => users.get(userId ?? 0)?.username),
        ['uno', 'one'],
      );
      assert.deepEqual((await exported('new1@example.com'))?.roles, ['crew']);
      // The name becomes free only after the line that wants it.
      const late = [
        { email: 'late@example.com', username: 'uno' },
        { email: 'one@example.com', username: 'eins' },
      ];
      assert.deepEqual(results(await importAll(late, { existing: 'update' })), ['failed', 'updated']);
    });

    test('a person who occurs again does not take the lines back', async () => {
      let transactions = 0;
      const transaction: TestServices['store']['transaction'] = (work) => {
        transactions += 1;
        return services.store.transaction(work);
      };
      const counted = { ...services, store: { ...services.store, transaction } };
      async function* rows(): AsyncGenerator<FileRow> {
        for (let line = 1; line <= 99; line += 3) {
          const [email, username] = [`twice${line}@example.com`, `twice${line}`];
          yield { line, members: { email, username } };
          yield { line: line + 1, members: { email } };
          yield { line: line + 2, members: { username } };
        }
      }
      const options = { existing: 'skip', dryRun: false, authority: 'all', rest: nextTurn } as const;
      const outcomes: LineOutcome[] = [];
      for await (const some of importPeople(counted, account, rows(), options)) outcomes.push(...some);
      assert.deepEqual(results(outcomes), Array.from({ length: 33 }, () => ['created', 'skipped', 'skipped']).flat());
      assert.equal(transactions, 1);
    });

    test('makes many users in one go, each with its roles and attributes, and all events are in the chain', async () => {
      await createCustomAttribute(services, account, { name: 'Badge', shortname: 'badge' });
      await createCustomAttribute(services, account, { name: 'Seat', shortname: 'seat' });
      const kinds = [
        { given: {}, roles: [], attributes: { badge: null, seat: null } },
        { given: { roles: ['staff'] }, roles: ['staff'], attributes: { badge: null, seat: null } },
        {
          given: { roles: ['crew', 'staff'], custom_attributes: { badge: 'b' } },
          roles: ['staff', 'crew'],
          attributes: { badge: 'b', seat: null },
        },
        { given: { custom_attributes: { seat: 's', badge: 'c' } }, roles: [], attributes: { badge: 'c', seat: 's' } },
      ];
      const people = Array.from({ length: 58 }, () => kinds)
        .flat()
        .map(({ given, ...wanted }, number) => ({ given: { ...given, email: `many${number}@example.com` }, wanted }));
      const outcomes = await importAll([{ email: 'no address' }, ...people.map(({ given }) => given)]);
      assert.deepEqual(new Set(results(outcomes.slice(1))), new Set(['created']));
      const found = new Map<string | null, ShownPerson>();
      for await (const some of exportPeople(services, account).parts)
        for (const one of some) found.set(one.texts.email, one);
      for (const { given, wanted } of people) {
        const { roles, attributes } = found.get(given.email) ?? assert.fail(given.email);
        assert.deepEqual({ roles, attributes }, wanted);
      }
      const told: string[] = [];
      for await (const { action, targetId } of listEvents(services, account, 600)) told.push(`${action} ${targetId}`);
      const times = (event: string) => told.filter((one) => one === event).length;
      for (const [place, { wanted }] of people.entries()) {
        const { userId } = outcomes[place + 1] ?? assert.fail();
        assert.equal(times(`user.created ${userId}`), 1);
        assert.equal(times(`role.assigned ${userId}`), wanted.roles.length);
      }
      assert.equal((await verifyTrail(services, account)).verified, true);
    });

    test('an address is verified as the file says, until another one comes, and exported so', async () => {
      const email = 'verified@example.com';
      const isVerified = async (address: string) => (await exported(address))?.emailVerified;
      await importAll([{ email, email_verified: true }]);
      assert.equal(await isVerified(email), true);
      const change = (members: Readonly<Record<string, unknown>>) => importAll([members], { existing: 'update' });
      await change({ email, firstname: 'Vera' });
      assert.equal(await isVerified(email), true);
      await change({ email, email_verified: 'false' });
      assert.equal(await isVerified(email), false);
      await change({ email, email_verified: 'true' });
      assert.equal(await isVerified(email), true);
      await change({ email: email.toUpperCase() });
      assert.equal(await isVerified(email.toUpperCase()), false);
      await importAll([{ email: 'silent@example.com' }, { username: 'nameless', email_verified: true }]);
      assert.equal(await isVerified('silent@example.com'), false);
      const [failed] = await importAll([{ email: 'x@example.com', email_verified: 'yes' }]);
      assert.match(failed?.failure?.detail.message ?? '', /email_verified must be true or false/);
    });

    test('a dry run tells what would happen and keeps nothing', async () => {
      const before = [(await listUsers(services, account)).length, (await actions()).length];
      const many = Array.from({ length: 150 }, (_, number) => ({ email: `dry${number}@example.com` }));
      const people = [...many, { email: 'dry0@example.com' }, { email: 'dry149@example.com' }, { email: 'no address' }];
      const outcomes = await importAll(people, { dryRun: true });
      assert.deepEqual(results(outcomes.slice(149)), ['created', 'skipped', 'skipped', 'failed']);
      assert.deepEqual(new Set(results(outcomes.slice(0, 150))), new Set(['created']));
      const twice = await importAll([...many.slice(0, 1), ...many.slice(0, 1)], { dryRun: true, existing: 'fail' });
      assert.deepEqual(results(twice), ['created', 'failed']);
      // As the import itself: a name that an earlier line took is taken, whatever became of the transaction of that
      // line.
      const named = [
        { email: 'dryer@example.com', username: 'dryer' },
        { email: 'other@example.com', username: 'Dryer' },
        { username: 'dryer' },
        { email: 'dryer@example.com', firstname: 'Again' },
      ];
      const tried = await importAll(named, { dryRun: true, existing: 'update' });
      assert.deepEqual(results(tried), ['created', 'failed', 'updated', 'updated']);
      assert.equal(tried[1]?.failure?.detail.name, 'username');
      const apart = await importAll([named[0] ?? {}, ...many.slice(0, 99), ...named.slice(1)], { dryRun: true });
      assert.deepEqual(results(apart.slice(100)), ['failed', 'skipped', 'skipped']);
      assert.deepEqual(
        [...tried, ...apart].map(({ userId }) => userId),
        [...tried, ...apart].map(() => null),
        'nobody is there to be found by an id',
      );
      assert.deepEqual([(await listUsers(services, account)).length, (await actions()).length], before);
    });

    test('a failure that is not the fault of a line ends the import', async () => {
      const broken: TestServices = {
        ...services,
        store: { ...services.store, transaction: () => Promise.reject(new Error('the disk is gone')) },
      };
      async function* rows(): AsyncGenerator<FileRow> {
        yield { line: 1, members: { email: 'never@example.com' } };
      }
      const options = { existing: 'skip', dryRun: false, authority: 'all', rest: nextTurn } as const;
      await assert.rejects(importPeople(broken, account, rows(), options).next(), /the disk is gone/);
    });
  });
}
