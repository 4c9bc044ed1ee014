/** How many messages about changes go to one address, and to strangers from one account; what is too much waits. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { actAs } from '../../../src/domain/audit/context.ts';
import { createChangeNotices } from '../../../src/domain/means/notices.ts';
import { digestOf } from '../../../src/domain/secrets.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { execute, readTable } from '../../support/rows.ts';
import { makeUser } from '../../support/sign-in.ts';
import { databases } from '../../support/stores.ts';
import { noteSignIn, setUser } from '../../support/users.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const [named, moved, several] = [
  'Your user name was changed',
  'Your e-mail address was changed',
  'How you sign in was changed',
];

for (const kind of databases) {
  describe(`the pace of messages about changes on ${kind}`, () => {
    let app: TestApp;
    before(async () => {
      app = await openTestApp(kind);
    });
    after(() => app.dispose());

    const { length: none } = [];
    const waiting = () => readTable(app.url, 'change_notices');
    const advance = (milliseconds: number) => app.services.clock.advance(milliseconds);
    /** What has gone out to an address since it was last asked. */
    const read = new Map<string, number>();
    async function sentTo(address: string): Promise<readonly string[]> {
      await app.services.changeNotices.run();
      const all = app.services.mails.filter(({ to }) => to === address);
      const from = read.get(address) ?? none;
      read.set(address, all.length);
      return all.slice(from).map(({ subject }) => subject.split(' – ')[0] ?? '');
    }
    let names = 0;
    async function rename({ id }: UserRecord): Promise<void> {
      names += 1;
      await setUser(app.services, app.account, id, { username: `renamed-${names}` });
    }
    const move = ({ id }: UserRecord, email: string) => setUser(app.services, app.account, id, { email });
    const signIn = ({ id }: UserRecord) => noteSignIn(app.services, app.account, id);
    async function known(): Promise<UserRecord & { readonly email: string }> {
      const user = await makeUser(app);
      advance(day);
      await signIn(user);
      return { ...user, email: user.email ?? '' };
    }

    test('the first five go at once; what follows is one message within the hour, and nothing is lost', async () => {
      using _ = app.services.clock.hold();
      const user = await known();
      for (let times = 0; times < 5; times += 1) {
        await rename(user);
        assert.deepEqual(await sentTo(user.email), [named]);
      }
      const before = app.services.lines.length;
      for (let times = 0; times < 20; times += 1) {
        await rename(user);
        assert.deepEqual(await sentTo(user.email), []);
      }
      const said = app.services.lines.slice(before).filter(({ event }) => event === 'change notices held back');
      assert.deepEqual(
        said.map(({ level, account }) => [level, account]),
        [['warn', app.account.subdomain]],
      );
      advance(minute);
      await setUser(app.services, app.account, user.id, { password: 'seven brown bears at tea' });
      const changedAt = new Date(app.services.clock.now()).toISOString().slice(0, 16).replace('T', ' ');
      assert.deepEqual(await sentTo(user.email), []);
      advance(59 * minute - 1);
      assert.deepEqual(await sentTo(user.email), []);
      assert.equal((await waiting()).length, 1, 'they wait as one');
      advance(1);
      assert.deepEqual(await sentTo(user.email), [several]);
      const { text = '' } = app.services.mails.at(-1) ?? {};
      assert.match(text, /\n\nYour password was changed\. Your user name was changed\.\n\n/);
      assert.ok(text.includes(changedAt), text);
      assert.deepEqual(await waiting(), []);
    });

    test('an hour later one more, and after some hours five again', async () => {
      using _ = app.services.clock.hold();
      const user = await known();
      const burst = async () => {
        const sent: string[] = [];
        for (let times = 0; times < 8; times += 1) {
          await rename(user);
          sent.push(...(await sentTo(user.email)));
        }
        return sent.length;
      };
      assert.equal(await burst(), 5);
      advance(hour);
      assert.equal((await sentTo(user.email)).length, 1);
      assert.equal(await burst(), 0);
      advance(hour);
      assert.equal((await sentTo(user.email)).length, 1);
      advance(5 * hour);
      assert.equal(await burst(), 5);
      advance(hour);
      assert.equal((await sentTo(user.email)).length, 1);
    });

    test('an address at which nobody signed in gets one an hour, however it is spelled', async () => {
      using _ = app.services.clock.hold();
      const [user, address, shouted] = [await known(), 'victim@elsewhere.example', 'VICTIM@elsewhere.example'];
      advance(minute);
      await move(user, address);
      assert.deepEqual([await sentTo(user.email), await sentTo(address)], [[moved], [moved]]);
      await setUser(app.services, app.account, user.id, { emailVerified: true });
      await rename(user);
      assert.deepEqual(await sentTo(address), [], 'an address that a caller declares to be verified is not proven');
      for (const spelling of [shouted, 'Victim@elsewhere.example', 'vIctim@elsewhere.example']) {
        await move(user, spelling);
        await signIn(user);
        assert.deepEqual([await sentTo(address), await sentTo(spelling)], [[], []]);
      }
      assert.equal((await waiting()).length, 1, 'of one mailbox one message waits');
      const other = await makeUser(app);
      await move(other, 'viCtim+other@elsewhere.example');
      await move(other, 'VICTIM+OTHER@elsewhere.example');
      await move(other, 'back@elsewhere.example');
      assert.equal((await waiting()).length, 4);
      advance(hour - 1);
      assert.deepEqual([await sentTo(address), await sentTo(shouted)], [[], []]);
      advance(1);
      assert.deepEqual([await sentTo(address), await sentTo(shouted)], [[several], []]);
      advance(hour);
      assert.deepEqual([await sentTo(address), await sentTo(shouted)], [[], []]);
      assert.deepEqual(await waiting(), []);
    });

    test('an address is proven by a sign-in a day or more after it was written, and at a page by the visit', async () => {
      using _ = app.services.clock.hold();
      const user = await makeUser(app);
      const address = user.email ?? '';
      await signIn(user);
      advance(day);
      await rename(user);
      await rename(user);
      assert.deepEqual(await sentTo(address), [named]);
      await rename(user);
      assert.deepEqual(await sentTo(address), [], 'a sign-in on the day on which it was written proves nothing');
      await signIn(user);
      await rename(user);
      assert.deepEqual(await sentTo(address), [named], 'it does not wait behind those');
      const other = await makeUser(app);
      await rename(other);
      assert.deepEqual(await sentTo(other.email ?? ''), [named]);
      await actAs({ actor: null, source: null, requestId: null }, () => rename(other));
      assert.deepEqual(await sentTo(other.email ?? ''), [named]);
      advance(hour);
      await sentTo(address);
      assert.deepEqual(await waiting(), []);
    });

    test('strangers get 300 messages from an account, then one each twelve seconds; owners do not wait for them', async () => {
      using _ = app.services.clock.hold();
      const owners = [await known(), await known()] as const;
      advance(day);
      const { id: accountId } = app.account;
      const at = app.services.clock.now();
      const add = (address: string) => {
        const unsent = { changedAt: at, attempts: 0, dueAt: at, allowedAt: null };
        const notice = { accountId, address, standing: 'unproven', changes: ['username'], ...unsent } as const;
        return app.services.store.changeNotices.add(notice);
      };
      const strangers = () => app.services.mails.filter(({ to }) => to.endsWith('@flood.example')).length;
      for (let number = 0; number < 305; number += 1) await add(`stranger${number}@flood.example`);
      await app.services.changeNotices.run();
      assert.equal(strangers(), 300);
      for (const owner of owners) {
        await move(owner, `thief${owner.id}@flood.example`);
        assert.deepEqual(await sentTo(owner.email ?? ''), [moved]);
      }
      assert.equal(strangers(), 300);
      const slots = (await waiting()).map(({ due_at: dueAt }) => Number(dueAt) - at);
      assert.deepEqual(
        slots.sort((one, other) => one - other),
        [1, 2, 3, 4, 5, 6, 7].map((count) => count * 12_000),
      );
      advance(12_000);
      await Promise.all([app.services.changeNotices.run(), createChangeNotices(app.services).run()]);
      assert.equal(strangers(), 301);
      advance(hour);
      await app.services.changeNotices.run();
      assert.equal(strangers(), 307);
      assert.deepEqual(await waiting(), []);
    });

    test('while three thousand wait, who may set no password changes nobody unproven, and other changes are told', async () => {
      using _ = app.services.clock.hold();
      const [owner, fresh] = [await known(), await makeUser(app)];
      const { account, services, url } = app;
      const [at, later] = [services.clock.now(), services.clock.now() + 10 * hour];
      const rest = `'unproven', '["username"]', ${at}, 1, ${later}, ${later}`;
      const columns = 'account_id, address, standing, changes, changed_at, attempts, due_at, allowed_at';
      const fill = (from: number, to: number) =>
        execute(
          url,
          `insert into change_notices (${columns}) with recursive n(i) as (select ${from} union all
            select i + 1 from n where i < ${to}) select ${account.id}, 'waits' || i || '@flood.example', ${rest} from n`,
        );
      const authority = 'users' as const;
      const steal = ({ id }: UserRecord, email: string, more = {}) =>
        setUser(services, account, id, { email, authority, ...more });
      await fill(1, 2_999);
      await steal(fresh, 'first@thief.example');
      await steal(owner, 'second@thief.example');
      assert.deepEqual(await sentTo(owner.email), [moved], 'an owner is told whatever waits');
      await fill(3_000, 3_000);
      const { length } = await waiting();
      const untouched = await makeUser(app);
      const bare = await makeUser(app, undefined, { email: null, username: 'bare' });
      for (const refused of [
        () => steal(untouched, 'third@thief.example'),
        () => setUser(services, account, untouched.id, { username: 'other', authority }),
        () => steal(bare, 'third@thief.example'),
      ]) {
        await assert.rejects(refused(), { code: 'rate_limited' });
      }
      for (const { id, email, username } of [untouched, bare]) {
        const kept = await services.store.users.find(account.id, id);
        assert.deepEqual([kept?.email, kept?.username], [email, username]);
      }
      assert.equal((await waiting()).length, length, 'nothing is added');
      await steal(untouched, 'fourth@thief.example', { authority: 'all' });
      await steal(bare, 'fifth@thief.example', { authority: 'all' });
      assert.deepEqual(await sentTo(untouched.email ?? ''), [moved], 'the former address is told');
      assert.deepEqual(await sentTo('fourth@thief.example'), [], 'the new one is not, then');
      assert.deepEqual(
        await sentTo('fifth@thief.example'),
        [moved],
        'where there is no former one, the new one is told',
      );
      await execute(url, `delete from change_notices where account_id = ${account.id}`);
    });

    test('places that were used up count as well: what waits is told before a link goes, or is not changed', async () => {
      using _ = app.services.clock.hold();
      const { account, services } = app;
      const authority = 'users' as const;
      const [last, later] = [await makeUser(app), await makeUser(app)];
      const lineOf = digestOf('change notices to unproven addresses');
      const setLine = (ahead: number) =>
        services.store.transaction(async ({ changeNotices }) => {
          await changeNotices.lockPace(account.id, lineOf);
          await changeNotices.setPace(account.id, lineOf, services.clock.now() + ahead);
        });
      await setLine(10 * hour - 1);
      await setUser(services, account, last.id, { email: 'last@thief.example', authority });
      await setLine(10 * hour);
      const refused = setUser(services, account, later.id, { email: 'later@thief.example', authority });
      await assert.rejects(refused, { code: 'rate_limited' });
      await setUser(services, account, later.id, { email: 'later@thief.example' });
      advance(10 * hour);
      assert.deepEqual(await sentTo(last.email ?? ''), [moved]);
      assert.deepEqual(await sentTo(later.email ?? ''), [moved]);
    });

    test('two nodes that hold back messages to one address lose none of them', async () => {
      using _ = app.services.clock.hold();
      const user = await known();
      for (let times = 0; times < 5; times += 1) {
        await rename(user);
        await sentTo(user.email);
      }
      const nodes = [app.services.changeNotices, createChangeNotices(app.services)];
      await rename(user);
      await setUser(app.services, app.account, user.id, { password: 'eight brown bears at tea' });
      await Promise.all(nodes.map((node) => node.run()));
      const left = await waiting();
      const changes = new Set(left.flatMap((row) => JSON.parse(String(row['changes'])) as string[]));
      assert.deepEqual([...changes].sort(), ['password', 'username']);
      advance(2 * hour);
      await Promise.all(nodes.map((node) => node.run()));
      assert.deepEqual(await waiting(), []);
      assert.ok(
        app.services.mails
          .filter(({ to }) => to === user.email)
          .slice(5)
          .some(({ text }) => text.includes('Your password was changed')),
      );
    });
  });
}
