/** Explanations over the API, beside real sign-ins: thirteen causes, no effect, the same outcomes. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { givePasskey } from '../../support/passkeys.ts';
import { readRows } from '../../support/rows.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { closeCodes, giveDevice } from '../../support/second-factor.ts';
import { authorizePath, CookieJar, password, signInForCode, submit, walk } from '../../support/sign-in.ts';
import { delegated } from '../../surfaces/api-v1/delegated.ts';
import { type Cast, gatherCast, hookOf, planted, resetHooks, runner, scripted, set, strict } from './planted.ts';

interface Told {
  readonly outcome: string;
  readonly cause: string | null;
  readonly steps: readonly {
    readonly step: string;
    readonly outcome: string;
    readonly cause: string;
    readonly message: string;
    readonly remedy: { readonly method: string; readonly path: string; readonly body: unknown } | null;
  }[];
}

for (const kind of sampledDatabases) {
  describe(`explanations on ${kind}`, () => {
    let opened: TestApp;
    before(async () => {
      opened = await openTestApp(kind, { services: { hooks: runner } });
    });
    after(() => opened.dispose());

    const cast = () => gatherCast(opened);

    async function explain({ api, client, user }: Cast, asked: object = {}): Promise<Told> {
      const body = { method: 'password', client_id: client.client_id, ip_address: '192.0.2.1', ...asked };
      return api.done(200, 'POST', `/users/${user.id}/explain`, body);
    }

    for (const [name, [step, cause, plant]] of Object.entries(planted)) {
      it(`${name} is named, with its remedy, and no table changes`, async () => {
        const on = await cast();
        const { asked, path, outcome = 'refuses' } = await plant(on);
        const rows = await readRows(on.app.url);
        const told = await explain(on, asked);
        assert.deepEqual(await readRows(on.app.url), rows);
        const found = told.steps.find((one) => one.step === step);
        assert.equal(found?.cause, cause, JSON.stringify(told));
        assert.equal(told.outcome, outcome, JSON.stringify(told));
        assert.equal(found?.remedy?.path ?? null, path === undefined ? null : `/api/2${path}`);
        if (outcome === 'refuses') assert.equal(told.cause, cause);
        if (step === 'hooks') assert.equal(scripted.seen.at(-1)?.['is_test'], true);
      });
    }

    it('the remedy that it names is the call that helps', async () => {
      const mendable = ['locked', 'suspended', 'no access', 'hook refuses', 'redirect URI differs', 'wrong policy'];
      for (const name of [...mendable, 'second factor closed']) {
        const on = await cast();
        const [step, cause, plant] = planted[name] ?? [];
        const { asked } = (await plant?.(on)) ?? {};
        const remedy = (await explain(on, asked)).steps.find((one) => one.step === step)?.remedy;
        assert.ok(remedy, name);
        const answer = await on.api.call(remedy.method, remedy.path.replace('/api/2', ''), remedy.body);
        assert.ok(answer.status < 300, `${name}: ${answer.text}`);
        const after = (await explain(on, asked)).steps.find((one) => one.step === step);
        assert.notEqual(after?.cause, cause, name);
        assert.equal(after?.outcome, name === 'second factor closed' ? 'asks' : 'passes', name);
      }
    });

    it('comes to what a sign-in by password comes to, at the page and at the form of another program', async () => {
      const states: Readonly<Record<string, (on: Cast) => Promise<unknown>>> = {
        active: async () => {},
        allowed: (on) => signInForCode(on.app, on.client, on.user),
        locked: (on) => set(on, { status: 3 }),
        suspended: (on) => set(on, { status: 2 }),
        'password expired': ({ app, user }) => app.services.store.users.update(app.account.id, user.id, { status: 4 }),
        'with a device': ({ app, user }) => giveDevice(app, user),
        'factor demanded': async (on) => set(on, { policy_id: (await strict(on)).id }),
        'no access': ({ api, client, user }) => api.done(204, 'DELETE', `/apps/${client.app_id}/users`, [user.id]),
        paused: ({ app, user }) =>
          app.services.store.users.update(app.account.id, user.id, { lockedUntil: app.services.clock.now() + 60_000 }),
        'hook refuses': async (on) => {
          await hookOf(on);
          scripted.answer = () => ({ success: false });
        },
        'hook fails': async (on) => {
          await hookOf(on);
          resetHooks('timeout');
        },
      };
      for (const [name, plant] of Object.entries(states)) {
        const on = await cast();
        await plant(on);
        const page = await explain(on);
        const form = await explain(on, { method: 'delegated', client_id: undefined });
        assert.equal(page.outcome, await signInAtPage(on), `${name}: ${JSON.stringify(page)}`);
        const said = await (await delegated(on.app)).say(on.user.email);
        assert.equal(form.outcome === 'passes', said === 'Success', `${name}: ${said} ${JSON.stringify(form)}`);
      }
    });

    it('a second factor that is closed refuses the right code, until it is opened', async () => {
      const on = await cast();
      using _ = on.app.services.clock.hold();
      const device = await giveDevice(on.app, on.user);
      const { user } = on;
      const give = async (): Promise<number> => {
        const begun = await walk(on.app, new CookieJar(), authorizePath(on.client, { scope: 'openid' }));
        const asked = await submit(on.app, begun, { username: user.email ?? '', password });
        return (await submit(on.app, asked, { otp: device.code() })).answer.status;
      };
      const step = async (asked: object = {}) =>
        (await explain(on, asked)).steps.find(({ step: name }) => name === 'second_factor');
      await closeCodes(on.app, user, device);
      const until = new Date(on.app.services.clock.now() + 15 * 60_000).toISOString();
      const message = `After too many wrong codes no code of ${user.email} is checked until ${until}.`;
      const remedy = { method: 'POST', path: `/api/2/users/${user.id}/unlock`, body: {} };
      const told = { step: 'second_factor', outcome: 'refuses', cause: 'second_factor_closed', message, remedy };
      assert.deepEqual([await give(), await step()], [401, told]);
      assert.equal((await explain(on)).cause, 'second_factor_closed');
      // At a door that asks for no code it is not what refuses.
      assert.equal((await step({ method: 'delegated' }))?.cause, 'second_factor_due');
      // A passkey is none of the codes.
      await givePasskey(on.app, user);
      const passkeyToo = { ...told, outcome: 'asks', message: message.replace(/\.$/, '; a passkey still works.') };
      assert.deepEqual(await step(), passkeyToo);
      await on.api.done(200, 'POST', `/users/${user.id}/unlock`);
      assert.deepEqual([(await step())?.cause, (await give()) < 400], ['second_factor_due', true]);
      await closeCodes(on.app, user, device);
      on.app.services.clock.advance(15 * 60_000);
      assert.equal((await step())?.cause, 'second_factor_due');
    });

    it('a session that needs a second factor which is closed is told', async () => {
      const on = await cast();
      await signInForCode(on.app, on.client, on.user, { scope: 'openid' });
      await closeCodes(on.app, on.user, await giveDevice(on.app, on.user));
      await set(on, { policy_id: (await strict(on)).id });
      const told = await explain(on, { method: 'sso' });
      const causes = told.steps.map(({ cause }) => cause);
      assert.ok(causes.includes('session_not_enough'), String(causes));
      assert.deepEqual([told.outcome, told.cause], ['refuses', 'second_factor_closed']);
    });

    it('proposes no redirect URI that could not be registered, and no app for an unknown client', async () => {
      const on = await cast();
      const stepFor = async (asked: object) => {
        const { steps } = await explain(on, asked);
        return steps.find(({ step }) => step === (Object.hasOwn(asked, 'client_id') ? 'client' : 'request'));
      };
      for (const uri of ['http://app.example.com/callback', 'https://app.example.com/#x', 'callback', 'https://a b/']) {
        const told = await stepFor({ redirect_uri: uri });
        assert.deepEqual([told?.cause, told?.remedy], ['redirect_uri_differs', null], uri);
        assert.match(told?.message ?? '', /character for character, and cannot be: .+\. Registered: https:/, uri);
        const body = { configuration: { redirect_uri: `https://app.example.com/callback\n${uri}` } };
        assert.equal((await on.api.call('PUT', `/apps/${on.client.app_id}`, body)).status, 422, uri);
      }
      const spaced = await stepFor({ redirect_uri: ' https://app.example.com/other' });
      assert.deepEqual([spaced?.cause, spaced?.remedy], ['redirect_uri_differs', null]);
      const missing = await stepFor({ client_id: 'nothing' });
      assert.deepEqual([missing?.cause, missing?.remedy], ['client_unknown', null]);
    });

    it('takes an address of IPv4 or IPv6, and no other text', async () => {
      const { api, client, user } = await cast();
      const ask = (address: string) =>
        api.call('POST', `/users/${user.id}/explain`, {
          method: 'password',
          client_id: client.client_id,
          ip_address: address,
        });
      for (const address of ['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1']) {
        assert.equal((await ask(address)).status, 200, address);
      }
      for (const address of ['localhost', '192.0.2', '192.0.2.256', '2001:db8::g', '192.0.2.1/24', ' ']) {
        const { status, body } = await ask(address);
        assert.deepEqual([status, body.message], [422, 'ip_address must be an IPv4 or IPv6 address'], address);
      }
    });

    it('tells a session, a grant, a passkey and a grant type from none', async () => {
      const on = await cast();
      const causeOf = async (asked: object) => (await explain(on, asked)).cause;
      assert.equal(await causeOf({ method: 'sso' }), 'no_session');
      assert.equal(await causeOf({ method: 'refresh' }), 'no_grant');
      assert.equal(await causeOf({ method: 'passkey' }), 'no_passkey');
      assert.equal(await causeOf({ method: 'password_grant' }), 'grant_type_not_allowed');
      assert.equal(await causeOf({ method: 'device' }), 'grant_type_not_allowed');
      assert.equal(await causeOf({ client_id: 'nothing' }), 'client_unknown');
      await signInForCode(on.app, on.client, on.user, { scope: 'openid' });
      assert.equal(await causeOf({ method: 'sso' }), null);
      assert.equal((await explain(on, { client_id: undefined })).outcome, 'passes');
    });
  });
}

/** What the page comes to: the app or the consent of one that was never asked, another page, or a refusal. */
async function signInAtPage({ app, client, user }: Cast): Promise<string> {
  const begun = await walk(app, new CookieJar(), authorizePath(client, { scope: 'openid' }));
  const { answer } = await submit(app, begun, { username: user.email ?? '', password });
  if (answer.status === 303) return 'passes';
  return answer.status === 200 ? 'asks' : 'refuses';
}
