/** Messages that cannot be sent, or not yet. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createResetMails } from '../../../src/domain/password-reset/mails.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { askForLink, linkIn } from '../../support/resets.ts';
import { readTable } from '../../support/rows.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { makeUser } from '../../support/sign-in.ts';
import { toldBy } from '../audit/told.ts';

const second = 1_000;
const minute = 60 * second;

for (const kind of sampledDatabases) {
  describe(`messages with a link on ${kind}`, () => {
    let app: TestApp;
    let fails = true;
    const tried: string[] = [];
    before(async () => {
      const mailer = {
        send: async (mail: { to: string; subject: string; text: string; html: string }) => {
          tried.push(linkIn(app, mail));
          if (fails) throw Object.assign(new Error(`refused: ${mail.text}`), { code: 'ECONNECTION' });
        },
      };
      app = await openTestApp(kind, { settings: { 'limit.reset': 'off' }, services: { mailer } });
    });
    after(() => app.dispose());

    const left = async () => (await readTable(app.url, 'reset_requests')).length;
    const run = () => app.services.resetMails.run();

    test('is retried after 10 s, 1, 5 and 15 minutes, each time with a new link, then dropped', async () => {
      using _ = app.services.clock.hold();
      const user = await makeUser(app);
      tried.length = 0;
      const events = await toldBy(app, async () => {
        await askForLink(app, user.email ?? '');
        await run();
        for (const [at, pause] of [10 * second, minute, 5 * minute, 15 * minute].entries()) {
          assert.equal(tried.length, at + 1);
          app.services.clock.advance(pause - 1);
          await run();
          assert.equal(tried.length, at + 1, 'not before it is due');
          app.services.clock.advance(1);
          await run();
        }
      });
      assert.equal(new Set(tried).size, 5);
      assert.equal(await left(), 0);
      const actions = events.map(({ action }) => action);
      assert.deepEqual(actions, [...Array(5).fill('password_reset.created'), 'password_reset.abandoned']);
      assert.deepEqual([events.at(-1)?.targetId, events.at(-1)?.detail], [user.id, '{"attempts":5}']);
      const logged = app.services.lines.filter(({ event }) => event === 'mail not sent');
      assert.equal(logged.length, 5);
      assert.equal(logged[0]?.['reason'], 'ECONNECTION');
      assert.doesNotMatch(JSON.stringify(app.services.lines), /pr_|refused:/);
    });

    test('a retried message has another link; the first link works too, in case it arrived', async () => {
      const user = await makeUser(app);
      tried.length = 0;
      await askForLink(app, user.email ?? '');
      await run();
      fails = false;
      app.services.clock.advance(10 * second);
      await run();
      const [former = '', link = ''] = tried;
      assert.notEqual(former, link);
      assert.equal((await app.send('GET', former)).status, 200);
      assert.equal((await app.send('GET', link)).status, 200);
      assert.equal(await left(), 0);
    });

    test('of two nodes one sends', async () => {
      const user = await makeUser(app);
      fails = true;
      await askForLink(app, user.email ?? '');
      await run();
      fails = false;
      tried.length = 0;
      app.services.clock.advance(10 * second);
      const other = createResetMails(app.services);
      await Promise.all([run(), other.run()]);
      assert.equal(tried.length, 1);
    });

    test('beyond a thousand waiting messages requests get 503 and are not stored', async () => {
      const { store, clock } = app.services;
      const dueAt = clock.now() + 3_600_000;
      const request = { accountId: app.account.id, sealedName: 'x', source: null, requestId: null, attempts: 0 };
      for (let waiting = 0; waiting < 1_000; waiting += 1) {
        await store.resetRequests.add({ ...request, createdAt: clock.now(), dueAt });
      }
      const { answer } = await askForLink(app, 'somebody');
      assert.equal(answer.status, 503);
      assert.equal(await left(), 1_000);
    });

    test('an unreadable message is dropped after some tries and does not block the others', async () => {
      const user = await makeUser(app);
      const { store, clock } = app.services;
      const rows = await store.resetRequests.claim(clock.now() + 7_200_000, 0, 1_000);
      for (const { accountId, id } of rows.slice(5)) await store.resetRequests.remove(accountId, id);
      for (let tries = 0; tries < 6; tries += 1) {
        clock.advance(3 * minute);
        await run();
      }
      assert.equal(await left(), 0);
      tried.length = 0;
      await askForLink(app, user.email ?? '');
      await run();
      assert.equal(tried.length, 1);
    });
  });
}
