/** Unused clients of open registration (docs/registration.md). */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { expireClients } from '../../../src/domain/clients/expire-clients.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { toldBy } from '../audit/told.ts';

const day = 86_400_000;

interface Made {
  readonly app_id: number;
  readonly client_id: string;
  readonly client_secret: string;
}

for (const kind of sampledDatabases) {
  describe(`unused clients on ${kind}`, () => {
    let app: TestApp;
    before(async () => {
      app = await openTestApp(kind);
    });
    after(() => app.dispose());

    const settings = {
      registration: 'open',
      'limit.register-open': 'off',
      'open_registration.unused_days': '3',
      'open_registration.idle_days': '10',
    };

    async function make(one: TestApp, bearer?: string): Promise<Made> {
      const json = { redirect_uris: ['https://app.example.com/callback'] };
      const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
      return (await one.send('POST', '/oauth2/register', { json, headers })).body;
    }

    async function introspect(one: TestApp, { client_id, client_secret }: Made): Promise<Answer> {
      const answer = await one.send('POST', '/oauth2/introspect', { form: { token: 'x', client_id, client_secret } });
      await one.services.counts.flush();
      return answer;
    }

    const use = async (one: TestApp, made: Made) => (await introspect(one, made)).status;

    const sweep = ({ services, account }: TestApp) => expireClients(services, [account], null, 100);

    test('unused or idle for the set time: removed, recorded, and invalid_client; others stay', async () => {
      using _ = app.services.clock.hold();
      const one = await app.another(settings);
      const [unused, used] = [await make(one), await make(one)];
      const kept = await make(one, await one.bearer('manage_all'));
      one.services.clock.advance(3 * day - 1);
      assert.equal((await sweep(one)).removed, 0);
      assert.equal(await use(one, used), 200);
      one.services.clock.advance(1);
      const told = await toldBy(one, async () => assert.equal((await sweep(one)).removed, 1));
      assert.deepEqual(
        told.map(({ action, targetId, actorType, detail }) => [action, targetId, actorType, detail]),
        [['app.expired', unused.app_id, 'system', `{"reason":"unused","days":3,"client_id":"${unused.client_id}"}`]],
      );
      const refused = await introspect(one, unused);
      assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_client']);
      one.services.clock.advance(9 * day);
      assert.equal((await sweep(one)).removed, 0, 'ten days from the end of the day of its last use');
      one.services.clock.advance(2 * day);
      const [idle] = await toldBy(one, async () => assert.equal((await sweep(one)).removed, 1));
      assert.deepEqual(
        [idle?.targetId, idle?.detail],
        [used.app_id, `{"reason":"idle","days":10,"client_id":"${used.client_id}"}`],
      );
      assert.equal(await use(one, kept), 200, 'a credential registered it');
      one.services.clock.advance(365 * day);
      assert.equal((await sweep(one)).removed, 0);
    });

    test('0 switches it off; each account uses its own settings; a round is limited and the next continues', async () => {
      const one = await app.another({ ...settings, 'open_registration.unused_days': '0' });
      const two = await app.another(settings);
      const made = [await make(one), await make(two), await make(two), await make(two)];
      one.services.clock.advance(4 * day);
      const accounts = [one.account, two.account];
      let removed = 0;
      let reached: Awaited<ReturnType<typeof expireClients>>['reached'] = null;
      for (let round = 0; round < 10; round += 1) {
        const step = await expireClients(one.services, accounts, reached, 1);
        removed += step.removed;
        reached = step.reached;
        if (!reached) break;
      }
      assert.equal(removed, 3);
      assert.equal(await use(one, made[0] as Made), 200);
      const off = await setAccount(one.services, one.account.subdomain, { 'open_registration.idle_days': '0' });
      one.services.clock.advance(4000 * day);
      assert.equal((await expireClients(one.services, [off], null, 100)).removed, 0);
    });
  });
}
