/**
 * D6: calls of the store fail once, in every operation that the service is for. The drill makes every call fail on both
 * databases.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import type { FaultyApp } from '../support/faults.ts';
import { isSampled, sampled } from '../support/sample.ts';
import { clientAuthentication, makeUser, password, registerClient } from '../support/sign-in.ts';
import { databases } from '../support/stores.ts';
import { findDatabaseFaults } from './half-applied.ts';
import { allOperations } from './store-call-operations.ts';
import { failEachCall, openApp } from './store-calls.ts';

for (const kind of databases) {
  const operations = kind === 'sqlite' ? allOperations : sampled(allOperations, 32);
  describe(`each call of the store fails once, on ${kind}`, () => {
    let app: FaultyApp;
    let injected = 0;
    before(async () => {
      app = await openApp(kind);
    });
    after(() => app.dispose());

    for (const [index, operation] of operations.entries()) {
      it(`${operation.title}: 503 with Retry-After, and no partial change`, async (t) => {
        // A read that failed never reached a database: what comes of it is the same on both. Operations begin with the
        // same reads: each fails in a 36th of them.
        const reads = (count: number) => kind === 'sqlite' && isSampled(count + index, 36);
        // Each write fails before it did anything or once it did all, by turns, on SQLite every fourth one: operations
        // share most of their writes.
        const writing = (count: number) => kind !== 'sqlite' || isSampled(count + index, 4);
        const writes = (call: number) => [(call + (index >> 1)) % 2 === 0 ? 'before' : 'afterwards'] as const;
        const { points, lies } = await failEachCall(app, operation, { reads, writing, writes });
        t.diagnostic(points.map(({ verb, when }) => `${verb} ${when}`).join(', '));
        injected += points.length;
        assert.deepEqual(lies, []);
      });
    }

    it("a fault is not a failed sign-in and does not count towards the source's limit", async () => {
      const one = await app.another({ 'limit.sign-in': '2/h', 'grant.password': 'on' });
      const client = await registerClient(one);
      const { email } = await makeUser(one, client.app_id);
      const { headers, form } = clientAuthentication(client);
      const members = { grant_type: 'password', username: email ?? '', password, scope: 'openid' };
      const send = () => one.send('POST', '/oauth2/token', { headers, form: { ...form, ...members } });
      for (const failing of ['users.findByName', 'users.countAttempt', 'users.clearAttempts']) {
        app.fail((verb) => (verb === failing ? new Failure('unavailable') : null));
        assert.equal((await send()).status, 503, failing);
        app.fail(null);
      }
      assert.equal((await send()).status, 200);
    });

    it('some calls failed', () => assert.ok(injected > operations.length, `${injected}`));

    it('leaves only complete changes', async () => {
      assert.deepEqual(await findDatabaseFaults(app.url), { halfApplied: [], doubled: [], damage: [] });
    });
  });
}
