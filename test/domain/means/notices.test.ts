/** Messages about changes: what they say, and what becomes of those that cannot be sent. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Account } from '../../../src/domain/accounts/account.ts';
import type { Mail } from '../../../src/domain/mail.ts';
import { changeMessage } from '../../../src/domain/means/message.ts';
import { createChangeNotices } from '../../../src/domain/means/notices.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { readTable } from '../../support/rows.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { makeUser as makeNewUser } from '../../support/sign-in.ts';
import { proveAddress, setUser } from '../../support/users.ts';

const second = 1_000;
const minute = 60 * second;

test('names are escaped; several changes are one message', () => {
  const account = { name: 'A & <B>', baseUrl: 'https://one.gatehouse.example' } as Account;
  const notice = { address: 'ada@example.com', changedAt: 0 };
  const mail = changeMessage(account, { ...notice, changes: ['passkey_added'] });
  assert.deepEqual([mail.to, mail.subject], ['ada@example.com', 'A passkey was added – A & <B>']);
  assert.match(mail.text, /^A passkey was added for ada@example.com at A & <B>, on 1970-01-01 00:00 UTC\.\n/);
  assert.ok(mail.html.includes('at A &amp; &lt;B&gt;, on'));
  const both = changeMessage(account, { ...notice, changes: ['email', 'password'] });
  assert.equal(both.subject, 'How you sign in was changed – A & <B>');
  assert.match(both.text, /\n\nYour e-mail address was changed\. Your password was changed\.\n\n/);
});

for (const kind of sampledDatabases) {
  describe(`messages about changes on ${kind}`, () => {
    let app: TestApp;
    let fails = true;
    /** What happens while the next message is sent. */
    let during: (() => Promise<void>) | null = null;
    const tried: Mail[] = [];
    before(async () => {
      const mailer = {
        send: async (mail: Mail) => {
          tried.push(mail);
          const failed = fails;
          const meanwhile = during;
          during = null;
          await meanwhile?.();
          if (failed) throw Object.assign(new Error(`550 ${mail.to} is unknown`), { code: 'EENVELOPE' });
        },
      };
      app = await openTestApp(kind, { services: { mailer } });
    });
    after(() => app.dispose());

    /** After the first attempts. */
    const hours = Array.from({ length: 30 }, () => 60 * minute);
    const left = async () => (await readTable(app.url, 'change_notices')).length;
    /** Somebody who signed in here. */
    const makeUser = async (at: TestApp) => {
      const user = await makeNewUser(at);
      await proveAddress(at.services, at.account, user.id);
      return user;
    };
    const run = () => app.services.changeNotices.run();
    const change = ({ id }: { readonly id: number }) =>
      setUser(app.services, app.account, id, { username: `u${id}-${app.services.clock.now()}` });

    test('is retried after 10 s, 1, 5 and 15 minutes, then once an hour for 30 hours; the log repeats nothing of it', async () => {
      using _ = app.services.clock.hold();
      const user = await makeUser(app);
      await change(user);
      const changedAt = new Date(app.services.clock.now()).toISOString().slice(0, 16).replace('T', ' ');
      await run();
      for (const [at, pause] of [10 * second, minute, 5 * minute, 15 * minute, ...hours].entries()) {
        assert.equal(tried.length, at + 1);
        app.services.clock.advance(pause - 1);
        await run();
        assert.equal(tried.length, at + 1, 'not before it is due');
        app.services.clock.advance(1);
        await run();
      }
      assert.equal(tried.length, 35);
      assert.equal(await left(), 0);
      assert.ok(tried.at(-1)?.text.includes(changedAt), 'the time of the change, not of the message');
      const logged = app.services.lines.map(({ event }) => event);
      assert.deepEqual(logged.slice(-2), ['mail not sent', 'change notice given up']);
      assert.ok(!JSON.stringify(app.services.lines).includes(user.email ?? ''));
    });

    test('a waiting message is sent once, by one of two nodes, even if its user is gone', async () => {
      const user = await makeUser(app);
      await change(user);
      await run();
      await app.services.store.users.remove(app.account.id, user.id, 1_000);
      fails = false;
      tried.length = 0;
      app.services.clock.advance(10 * second);
      await Promise.all([run(), createChangeNotices(app.services).run()]);
      await run();
      assert.deepEqual(
        tried.map(({ to }) => to),
        [user.email],
      );
      assert.equal(await left(), 0);
    });

    test('a repeated change displaces no other: each is reported, with its latest time', async () => {
      using _ = app.services.clock.hold();
      const user = await makeUser(app);
      for (let times = 0; times < 40; times += 1) {
        app.services.clock.advance(minute);
        await change(user);
      }
      await setUser(app.services, app.account, user.id, { password: 'seven brown bears at tea' });
      assert.equal(await left(), 2);
      tried.length = 0;
      await run();
      const now = new Date(app.services.clock.now()).toISOString().slice(0, 16).replace('T', ' ');
      assert.deepEqual(tried.map(({ subject }) => subject.split(' – ')[0]).sort(), [
        'Your password was changed',
        'Your user name was changed',
      ]);
      assert.ok(tried.every(({ text }) => text.includes(now)));
      assert.equal(await left(), 0);
    });

    test('a change made while a message is being sent is reported by another, even after the last try', async () => {
      using _ = app.services.clock.hold();
      const user = await makeUser(app);
      await change(user);
      tried.length = 0;
      during = async () => {
        app.services.clock.advance(minute);
        await change(user);
      };
      await run();
      assert.equal(tried.length, 2);
      assert.notEqual(tried[0]?.text, tried[1]?.text);
      assert.equal(await left(), 0);
      fails = true;
      app.services.clock.advance(1);
      await change(user);
      await run();
      for (const pause of [10 * second, minute, 5 * minute, 15 * minute, ...hours.slice(1)]) {
        app.services.clock.advance(pause);
        await run();
      }
      during = async () => {
        app.services.clock.advance(1);
        await change(user);
        fails = false;
      };
      tried.length = 0;
      app.services.clock.advance(60 * minute);
      await run();
      assert.deepEqual([tried.length, await left()], [2, 0]);
    });
  });
}
