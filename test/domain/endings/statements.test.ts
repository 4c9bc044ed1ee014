/** What endings cost does not grow with what was granted. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endUnassigned } from '../../../src/domain/endings/end-app.ts';
import { endSignIns } from '../../../src/domain/endings/end-sign-ins.ts';
import type { Engine } from '../../../src/store/knex/engine.ts';
import { verbsOn } from '../../../src/store/knex/index.ts';
import { openPostgres } from '../../../src/store/knex/postgres/engine.ts';
import { openSqlite } from '../../../src/store/knex/sqlite/engine.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { newGrant } from '../../store/samples.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { readTable } from '../../support/rows.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { makeUser, registerClient } from '../../support/sign-in.ts';

for (const kind of sampledDatabases) {
  describe(`the cost of endings on ${kind}`, () => {
    let app: TestApp;
    let engine: Engine;
    let statements = 0;
    before(async () => {
      app = await openTestApp(kind);
      const open = kind === 'sqlite' ? openSqlite : openPostgres;
      engine = open({ url: app.url, log: () => {}, waitMilliseconds: 60_000 });
      engine.db.on('query', () => {
        statements += 1;
      });
    });
    after(async () => {
      await engine.db.destroy();
      await app.dispose();
    });

    /** A user with this many grants, each of its own session. */
    async function userWith(count: number): Promise<UserRecord> {
      const client = await registerClient(app, { backchannel_logout_uri: 'https://rp.example.com/ended' });
      const user = await makeUser(app, client.app_id);
      const now = app.services.clock.now();
      const [idleExpiresAt, absoluteExpiresAt] = [now + 1000, now + 1000];
      await app.services.store.transaction(async (tx) => {
        for (let at = 0; at < count; at += 1) {
          const cast = { accountId: app.account.id, userId: user.id, appId: client.app_id };
          await newGrant(tx, cast, { sid: `${user.id}-${at}`, idleExpiresAt, absoluteExpiresAt });
        }
      });
      return user;
    }

    /** Statements that the ending takes; all of the user's grants end, and each session is notified. */
    async function cost(count: number): Promise<number> {
      const user = await userWith(count);
      statements = 0;
      const tx = verbsOn(engine.db, engine.hot);
      const ended = await endSignIns(app.services, tx, app.account, user, { because: 'password changed' });
      const taken = statements;
      assert.deepEqual(ended, { grantsRevoked: count, clientsTold: count });
      const notices = (await readTable(app.url, 'logout_notices')).map(Object);
      assert.equal(notices.filter(({ sid }) => sid.startsWith(`${user.id}-`)).length, count);
      return taken;
    }

    it('ending all sign-ins takes as many statements for 300 grants as for three', async () => {
      assert.equal(await cost(300), await cost(3));
    });

    /** The users of each count: those of a larger one are these and others. */
    const everybody: number[] = [];

    /** Statements to end the grants of users who lost access to the app, and of one who never had any. */
    async function costOfLoss(count: number): Promise<number> {
      const { app_id: appId } = await registerClient(app);
      while (everybody.length < count) everybody.push((await makeUser(app, undefined, { password: undefined })).id);
      const some = everybody.slice(0, count);
      await app.services.store.transaction(async (tx) => {
        for (const userId of some) await newGrant(tx, { accountId: app.account.id, userId, appId });
      });
      const userIds = [(await makeUser(app)).id, ...some];
      statements = 0;
      const tx = verbsOn(engine.db, engine.hot);
      const ended = await endUnassigned(tx, app.account, { userIds }, app.services.clock.now());
      const taken = statements;
      assert.equal(ended, count);
      return taken;
    }

    it('losing access takes as many statements for 300 users as for three, and twice as many for 450', async () => {
      const few = await costOfLoss(3);
      assert.ok(few > 0);
      assert.equal(await costOfLoss(300), few);
      assert.equal(await costOfLoss(450), 2 * few);
    });
  });
}
