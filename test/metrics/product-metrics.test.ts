/** Metrics before and after each outcome, seen through the application. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listAccounts } from '../../src/domain/accounts/accounts.ts';
import { beginVerification, noteVerification } from '../../src/domain/audit/verified.ts';
import { verifyTrail } from '../../src/domain/audit/verify.ts';
import { generateKeyPair } from '../../src/domain/keys/key-pairs.ts';
import { createTending, lookAtMessages } from '../../src/housekeeping-round.ts';
import { createMetrics } from '../../src/metrics/registry.ts';
import { roundReport } from '../../src/metrics/reports.ts';
import { handlerOf, type Stage, stage } from '../domain/hooks/stage.ts';
import { day } from '../store/samples.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { chosen, newInvite } from '../support/invites.ts';
import { apiHost, newApiKey } from '../support/legacy.ts';
import { givePasskey, showPasskey } from '../support/passkeys.ts';
import { askForLink } from '../support/resets.ts';
import { sampledDatabases } from '../support/sample.ts';
import { fail, type ScriptedHooks, scriptedHooks } from '../support/scripted-hooks.ts';
import { giveDevice } from '../support/second-factor.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  refresh,
  registerClient,
  signedIn,
  submit,
  walk,
} from '../support/sign-in.ts';
import { setUser } from '../support/users.ts';
import { answerFor } from '../surfaces/pages/passkey-ready.ts';
import { addedBy, samplesOf } from './samples.ts';

for (const kind of sampledDatabases) {
  describe(`metrics of the product on ${kind}`, () => {
    const metrics = createMetrics();
    const hooks: ScriptedHooks = scriptedHooks();
    let fails = false;
    let app: TestApp;
    before(async () => {
      const send = async () => {
        if (fails) throw new Error('the mail server is away');
      };
      app = await openTestApp(kind, {
        app: { metrics },
        services: { meters: metrics, hooks, mailer: { send } },
      });
    });
    after(() => app.dispose());

    const added = (name: string, work: () => Promise<unknown>) => addedBy(metrics, `gatehouse_${name}`, work);

    it('accounts by the step of the rotation of their keys, and the trail that nobody verifies', async () => {
      await app.another();
      // The other tests need no keys of their own, which take long to make, so that this one is the first.
      const services = { ...app.services, generateKeyPair };
      const tend = createTending(services, roundReport(metrics));
      const round = async () => {
        await tend(await listAccounts(services));
        const samples = await samplesOf(metrics);
        const steps = ['signing', 'published', 'replaced', 'overdue', 'missing'].filter(
          (step) => samples.get(`gatehouse_signing_keys{algorithm="ES256",step="${step}"}`) !== 0,
        );
        return [steps, Math.floor((samples.get('gatehouse_audit_unverified_seconds') ?? 0) / 86_400)];
      };
      const accounts = (await listAccounts(services)).length;
      assert.deepEqual(await round(), [['signing'], 0]);
      assert.equal(
        (await samplesOf(metrics)).get('gatehouse_signing_keys{algorithm="RS256",step="signing"}'),
        accounts,
      );
      services.clock.advance(89 * day);
      assert.deepEqual(await round(), [['published'], 89]);
      services.clock.advance(day);
      assert.deepEqual(await round(), [['replaced'], 90]);
      for (const account of await listAccounts(services)) {
        const begun = await beginVerification(services, account);
        await noteVerification(services, account, begun, await verifyTrail(services, account));
      }
      services.clock.advance(3 * day);
      assert.deepEqual(await round(), [['signing'], 3]);
    });

    it('refreshes by outcome, at both doors', async () => {
      const own = await app.another({ 'refresh.grace_seconds': '10' });
      const { client, user, tokens } = await signedIn(own);
      const other = await registerClient(own);
      const first = tokens.refresh_token;
      const refreshes = (work: () => Promise<unknown>) => added('refreshes_total', work);
      assert.deepEqual(await refreshes(() => refresh(own, client, first, '/oidc/2/token')), {
        '{outcome="rotated"}': 1,
      });
      assert.deepEqual(await refreshes(() => refresh(own, client, first)), { '{outcome="repeated"}': 1 });
      assert.deepEqual(await refreshes(() => refresh(own, other, first)), { '{outcome="other_client"}': 1 });
      await setUser(own.services, own.account, user.id, { status: 'suspended' });
      assert.deepEqual(await refreshes(() => refresh(own, client, first)), { '{outcome="user_suspended"}': 1 });
      await setUser(own.services, own.account, user.id, { status: 'active' });
      own.services.clock.advance(60_000);
      assert.deepEqual(await refreshes(() => refresh(own, client, first)), { '{outcome="reused"}': 1 });
      assert.deepEqual(await refreshes(() => refresh(own, client, first)), { '{outcome="revoked"}': 1 });
      assert.deepEqual(await refreshes(() => refresh(own, client, 'rt_invented')), {}, 'nothing to judge');
    });

    it('sign-ins by outcome and method, and runs of hooks by outcome', async () => {
      const on: Stage = await stage(app, { 'grant.password': 'on' });
      const signIns = (work: () => Promise<unknown>) => added('sign_ins_total', work);
      const expect = (outcome: string, method: string) => ({ [`{outcome="${outcome}",method="${method}"}`]: 1 });
      assert.deepEqual(await signIns(() => on.signIn()), expect('succeeded', 'password'));
      assert.deepEqual(await signIns(() => on.passwordGrant()), expect('succeeded', 'password'));
      assert.deepEqual(await signIns(() => on.signIn('nobody@example.com')), expect('unknown_user', 'password'));
      assert.deepEqual(await signIns(() => on.signIn(undefined, 'wrong')), expect('wrong_password', 'password'));
      await setUser(on.app.services, on.app.account, on.user.id, { status: 'suspended' });
      assert.deepEqual(await signIns(() => on.signIn()), expect('refused', 'password'));
      await setUser(on.app.services, on.app.account, on.user.id, { status: 'active' });

      await on.hook(handlerOf('return null;'));
      const both = (work: () => Promise<unknown>) =>
        addedBy(metrics, 'gatehouse_', work).then((all) =>
          Object.fromEntries(Object.entries(all).filter(([name]) => /^(sign_ins|hook_run)/.test(name))),
        );
      const runs = (outcome: string) => ({ [`hook_run_seconds_count{outcome="${outcome}"}`]: 1 });
      const signIn = (outcome: string, method: string) => ({
        [`sign_ins_total{outcome="${outcome}",method="${method}"}`]: 1,
      });
      assert.deepEqual(await both(() => on.signIn()), { ...signIn('succeeded', 'password'), ...runs('success') });
      hooks.answer = () => ({ success: false });
      assert.deepEqual(await both(() => on.signIn()), { ...signIn('hook_refused', 'unknown'), ...runs('refused') });
      hooks.answer = () => fail;
      assert.deepEqual(await both(() => on.signIn()), { ...signIn('hook_failed', 'unknown'), ...runs('error') });
      hooks.answer = () => ({ success: 'perhaps' });
      assert.deepEqual(await both(() => on.signIn()), {
        ...signIn('hook_failed', 'unknown'),
        ...runs('invalid_result'),
      });
      hooks.answer = () => null;
    });

    it('sign-ins with a second factor, a passkey, and a link', async () => {
      const own = await app.another({ 'limit.sign-in': 'off' });
      const client = await registerClient(own);
      const user = await makeUser(own, client.app_id);
      const device = await giveDevice(own, user);
      const begin = () =>
        walk(own, new CookieJar(), authorizePath(client, { acr_values: 'urn:gatehouse:acr:multi-factor' }));
      const signIns = (work: () => Promise<unknown>) => added('sign_ins_total', work);
      const expect = (outcome: string, method: string) => ({ [`{outcome="${outcome}",method="${method}"}`]: 1 });
      const typed = { username: user.email ?? '', password };
      let at = await begin();
      assert.deepEqual(
        await signIns(async () => {
          at = await submit(own, at, typed);
        }),
        {},
        'halfway is no sign-in',
      );
      assert.deepEqual(
        await signIns(async () => {
          at = await submit(own, at, { otp: device.wrong() });
        }),
        expect('wrong_second_factor', 'unknown'),
      );
      assert.deepEqual(
        await signIns(() => submit(own, at, { otp: device.code() })),
        expect('succeeded', 'password_second_factor'),
      );
      const other = await makeUser(own, client.app_id);
      const given = await givePasskey(own, other);
      const page = await begin();
      assert.deepEqual(
        await signIns(() => showPasskey(own, page, answerFor(page, given))),
        expect('succeeded', 'passkey'),
      );
      const again = await begin();
      assert.deepEqual(await signIns(() => showPasskey(own, again, '{}')), expect('wrong_passkey', 'passkey'));
      const invited = await makeUser(own, client.app_id, { password: undefined });
      const link = await walk(own, new CookieJar(), await newInvite(own, invited.email));
      assert.deepEqual(await signIns(() => submit(own, link, chosen)), expect('succeeded', 'link'));
    });

    it('passwords, from the queue to the digest', async () => {
      const own = await app.another({ 'limit.sign-in': 'off' });
      const client = await registerClient(own);
      const at = await walk(own, new CookieJar(), authorizePath(client));
      const tried = () => submit(own, at, { username: 'nobody@example.com', password });
      assert.deepEqual(await added('password', tried), { _queue_seconds_count: 1, _hash_seconds_count: 1 });
      assert.equal((await samplesOf(metrics)).get('gatehouse_password_queue_waiting'), 0);
    });

    it('refusals by limit: by what a limit counts, and by what it only asks', async () => {
      const own = await app.another({ 'limit.sign-in': '1/h', 'limit.client-auth': '1/h' });
      const client = await registerClient(own);
      const at = await walk(own, new CookieJar(), authorizePath(client));
      const tried = () => submit(own, at, { username: 'nobody@example.com', password });
      assert.deepEqual(await added('limit_refusals_total', tried), {});
      assert.deepEqual(await added('limit_refusals_total', tried), { '{limit="sign-in"}': 1 });
      const wrong = { ...client, client_secret: 'wrong' };
      const asked = () => refresh(own, wrong, 'rt_x');
      assert.deepEqual(await added('limit_refusals_total', asked), {});
      assert.deepEqual(await added('limit_refusals_total', asked), { '{limit="client-auth"}': 1 });
    });

    it('messages: sent, failed, waiting, and overdue', async () => {
      const own = await app.another();
      const user = await makeUser(own);
      const look = async () => {
        await lookAtMessages(own.services, roundReport(metrics));
        const samples = await samplesOf(metrics);
        return ['waiting', 'overdue_seconds'].map((what) =>
          Math.floor(samples.get(`gatehouse_messages_${what}{queue="reset_link"}`) ?? Number.NaN),
        );
      };
      fails = true;
      assert.deepEqual(
        await added('mail', async () => {
          await askForLink(own, user.email ?? '');
          await own.services.resetMails.run();
        }),
        { '_seconds_count{outcome="failed"}': 1 },
      );
      using _ = own.services.clock.hold();
      assert.deepEqual(await look(), [1, 0], 'it is due in ten seconds');
      own.services.clock.advance(60_000);
      const [waiting, overdue = 0] = await look();
      assert.deepEqual([waiting, overdue >= 50 && overdue <= 60], [1, true], String(overdue));
      fails = false;
      const run = () => own.services.resetMails.run();
      assert.deepEqual(await added('mail', run), { '_seconds_count{outcome="sent"}': 1 });
      assert.deepEqual(await look(), [0, 0]);
    });

    it('calls of deprecated surfaces, of callers with a key', async () => {
      const { key } = await newApiKey(app);
      const call = (apiKey: string) => () =>
        app.send(
          'GET',
          `/api/v1/delegated_auth?${new URLSearchParams({ api_key: apiKey, email: 'a@example.com', password: 'x' })}`,
          {
            host: apiHost,
          },
        );
      assert.deepEqual(await added('deprecated_calls_total', call('unknown')), {});
      assert.deepEqual(await added('deprecated_calls_total', call(key)), { '{surface="api-v1"}': 1 });
    });
  });
}
