import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { unlockUser } from '../../../src/domain/users/write-user.ts';
import { findEvents, tellEvent, tellReference } from '../../../src/domain/why/story.ts';
import { tellUser } from '../../../src/domain/why/user.ts';
import { userStatuses } from '../../../src/store/users.ts';
import { unique } from '../../store/samples.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { chosen, newInvite } from '../../support/invites.ts';
import { askForLink } from '../../support/resets.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { fail, scriptedHooks } from '../../support/scripted-hooks.ts';
import { giveDevice } from '../../support/second-factor.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  readForm,
  redirectUri,
  refresh,
  registerClient,
  signedIn,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { settle } from '../../surfaces/pages/browsing.ts';
import { makeHook } from '../hooks/doors.ts';

/** The reference that a page shows to its reader, who passes it on. */
function referenceOn({ text }: Answer): string {
  const [, reference] = /([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/.exec(text) ?? [];
  assert.ok(reference, text);
  return reference;
}

for (const kind of sampledDatabases) {
  describe(`why somebody was refused, on ${kind}`, () => {
    const hooks = scriptedHooks();
    let app: TestApp;
    before(async () => {
      const settings = { 'limit.sign-in': 'off', 'limit.register': 'off' };
      app = await openTestApp(kind, { settings, services: { hooks } });
    });
    after(() => app.dispose());

    const at = async (path: string) => (await walk(app, new CookieJar(), path)).answer;
    const asked = (parameters: Record<string, string>, metadata: object = {}) =>
      registerClient(app, metadata).then((client) => at(authorizePath(client, parameters)));
    async function withStatus(status: 'locked' | 'suspended'): Promise<Answer> {
      const { user, signIn } = await settle(app);
      await setUser(app.services, app.account, user.id, { status });
      return (await signIn()).answer;
    }
    async function afterHook(answer: unknown): Promise<Answer> {
      hooks.answer = () => answer;
      const { signIn } = await settle(app);
      return (await signIn()).answer;
    }

    /** What refuses somebody, the status of the page, and what its reference must tell. */
    const planted: Readonly<Record<string, readonly [() => Promise<Answer>, number, cause: RegExp, remedy: RegExp]>> = {
      'a redirect URI that differs': [
        () => asked({ redirect_uri: 'https://app.example.com/callback/' }),
        400,
        /sent the redirect URI https:\/\/app\.example\.com\/callback\/, which is not registered/,
        /Register exactly this URI.*https:\/\/app\.example\.com\/callback\./,
      ],
      'no redirect URI': [() => asked({ redirect_uri: '' }), 400, /sent no redirect_uri/, /callback/],
      'an unknown client': [
        () => at(authorizePath({ client_id: 'nobody' })),
        400,
        /No app of the account .* has the client_id nobody/,
        /Correct the client_id/,
      ],
      'no client': [() => at('/oauth2/authorize'), 400, /had no client_id/, /client_id/],
      'a bad request object': [
        () => asked({ request: 'eyJhbGciOiJub25lIn0.e30.', redirect_uri: '' }),
        400,
        /sent a request object, but has registered no keys/,
        /Register jwks/,
      ],
      'a pushed request that is used up': [
        () => asked({ request_uri: `urn:ietf:params:oauth:request_uri:${'a'.repeat(43)}` }),
        400,
        /was used before, has expired/,
        /start the sign-in again/,
      ],
      'a sign-in that has ended': [
        () => at('/sign-in?request=nothing'),
        400,
        /had ended, had expired, or was begun in another browser/,
        /start the sign-in again/,
      ],
      'a form of another browser': [
        async () => {
          const { begin } = await settle(app);
          const { jar, answer } = await begin();
          const { action, fields } = readForm(answer.text);
          const form = { ...fields, csrf: 'x', username: 'a', password: 'b' };
          return app.send('POST', action, { headers: jar.header, form });
        },
        403,
        /not the newest of this browser/,
        /start the sign-in again/,
      ],
      'a link that was used': [
        async () => {
          const link = await newInvite(app, (await makeUser(app)).email);
          await submit(app, await walk(app, new CookieJar(), link), chosen);
          return at(link);
        },
        410,
        /had been used/,
        /ask for another link/,
      ],
      'a locked user': [() => withStatus('locked'), 403, /@.* is locked/, /status=active/],
      'a suspended user': [() => withStatus('suspended'), 403, /@.* is suspended/, /status=active/],
      'a user without access': [
        async () => {
          const { begin } = await settle(app, { client_name: 'Desk' });
          const stranger = await makeUser(app);
          return (await submit(app, await begin(), { username: stranger.email ?? '', password })).answer;
        },
        403,
        /Desk \(app \d+\) is assigned to .*@.* neither directly nor by a role/,
        /access grant/,
      ],
      'an address of nothing': [() => at('/account/nowhere'), 404, /no page at this address/, /link/],
      'a rule of a hook': [
        async () => {
          await makeHook({ app, hooks, demanding: new Map() });
          return afterHook({ success: false });
        },
        403,
        /The rule of the hook [\da-f-]{36} refused the sign-in of .*@/,
        /hook logs/,
      ],
      'a hook that fails': [
        () => afterHook(fail),
        403,
        /The program of the hook [\da-f-]{36} failed.*no rule refused/,
        /hook_failure=continue/,
      ],
    };
    for (const [what, [refuse, status, cause, remedy]] of Object.entries(planted)) {
      test(`the reference tells of ${what}`, async () => {
        const answer = await refuse();
        assert.equal(answer.status, status, answer.text);
        await app.services.refusals.flush();
        const told = await tellReference(app.services, app.account, referenceOn(answer));
        assert.ok(told);
        assert.match(told.story.cause, cause);
        assert.match(told.story.remedy, remedy);
        assert.equal(told.story.source, '127.0.0.1');
        // Nobody else's reference.
        const other = await app.another();
        assert.equal(await tellReference(app.services, other.account, referenceOn(answer)), null);
      });
    }

    test('strangers do not write the trail, and what is kept of them ends after a day', async () => {
      const before = await app.services.store.events.findEnd(app.account.id);
      const reference = referenceOn(await at(authorizePath({ client_id: 'nobody' })));
      await app.services.refusals.flush();
      assert.deepEqual(await app.services.store.events.findEnd(app.account.id), before);
      const now = app.services.clock.now();
      const { refusals } = app.services.store;
      assert.equal((await refusals.find(app.account.id, reference, now))?.requestId, reference);
      assert.equal(await refusals.find(app.account.id, reference, now + 86_400_000), null);
    });

    test('the reference of a refused refresh tells what became of the token', async () => {
      hooks.answer = () => null;
      const { client, tokens } = await signedIn(app);
      await refresh(app, client, tokens.refresh_token);
      app.services.clock.advance(11_000);
      const again = async (door: '/oidc/2/token' | '/oauth2/token') => {
        const { status, headers } = await refresh(app, client, tokens.refresh_token, door);
        const told = await tellReference(app.services, app.account, String(headers['x-request-id']));
        return [status, told?.story.cause, told?.story.remedy] as const;
      };
      const [status, cause, remedy = ''] = await again('/oauth2/token');
      assert.deepEqual([status, cause?.startsWith('The refresh token had been used before')], [400, true]);
      assert.match(remedy, /^The user signs in again\..* keep the newest refresh token/);
      const [other, ended] = await again('/oidc/2/token');
      assert.deepEqual([other, ended?.startsWith('The refresh token had ended')], [401, true]);
    });

    test('more refusals than a statement takes are stored at once, and again without harm', async () => {
      const { refusals } = app.services.store;
      const more = Array.from({ length: 1001 }, (_, index) => ({
        accountId: app.account.id,
        requestId: `many-${index}`,
        at: 1,
        source: '192.0.2.1',
        detail: '{}',
        expiresAt: 9,
      }));
      for (let turn = 0; turn < 2; turn += 1) await refusals.add(more);
      assert.equal((await refusals.find(app.account.id, 'many-1000', 2))?.requestId, 'many-1000');
    });

    test('ten refusals of a client for a reason are events, the others are counted by day', async () => {
      const client = await registerClient(app);
      const about = async () => {
        const sort = { field: 'created_at', descending: true };
        const filters = [{ field: 'app_id', test: 'is', values: [client.app_id] } as const];
        const query = { sort, filters, limit: 50, at: { page: 1 } };
        const { items } = await app.services.store.events.page(app.account.id, query);
        return items.filter(({ action }) => action === 'authorization.refused').map(({ detail }) => JSON.parse(detail));
      };
      const address = `https://app.example.com/${'a'.repeat(600)}`;
      for (let count = 0; count < 12; count += 1) await at(authorizePath(client, { redirect_uri: address }));
      const told = { reason: 'redirect_uri_differs', told: 'user', address: address.slice(0, 512) };
      assert.deepEqual(await about(), Array(10).fill(told));
      await app.services.counts.flush();
      const counted = await app.services.store.counts.list(app.account.id, '2000-01-01');
      const refused = counted.filter(({ kind: what }) => what === 'authorization_refused');
      const [own, ...others] = refused.filter(({ subjectId }) => subjectId === client.app_id);
      assert.deepEqual([own?.count, others], [2, []]);
      // What the client hears at its redirect URI has a reason of its own.
      const answer = await app.send('GET', authorizePath(client, { scope: 'none_of_these' }));
      assert.equal(answer.status, 303);
      assert.deepEqual((await about())[0], { ...told, reason: 'invalid_scope', told: 'client', address: redirectUri });
    });

    test('of a user it tells what would refuse now, and what refused before', async () => {
      hooks.answer = () => null;
      const { user, client, begin } = await settle(app);
      const asking = await app.services.store.clients.findByApp(app.account.id, client.app_id);
      const read = async () => {
        const found = await app.services.store.users.find(app.account.id, user.id);
        assert.ok(found);
        return tellUser(app.services, app.account, found, asking);
      };
      assert.deepEqual(await read(), { status: 'active', now: [], before: [] });
      await submit(app, await begin(), { username: user.email ?? '', password: 'wrong password' });
      await setUser(app.services, app.account, user.id, { status: 'locked' });
      const told = await read();
      assert.deepEqual([told.status, told.now.length, told.before.length], ['locked', 1, 1]);
      assert.match(told.now[0]?.cause ?? '', /is locked/);
      const options = `--email ${user.email} --account ${app.account.subdomain}`;
      assert.equal(told.now[0]?.remedy, `Set the status: gatehouse user set status=active ${options}.`);
      assert.match(told.before[0]?.cause ?? '', /password for .* was wrong/);
      assert.match(told.before[0]?.reference ?? '', /^[\da-f-]{36}$/);
    });

    test('a second factor that is closed refuses now, with its end and the command that opens it', async () => {
      using _ = app.services.clock.hold();
      const { user, signIn } = await settle(app);
      const device = await giveDevice(app, user);
      let at = await signIn();
      for (let tries = 0; tries < 11; tries += 1) at = await submit(app, at, { otp: device.wrong() });
      const told = await tellUser(app.services, app.account, user, null);
      const until = new Date(app.services.clock.now() + 15 * 60_000).toISOString();
      const unlock = `gatehouse user unlock --email ${user.email} --account ${app.account.subdomain}`;
      const remedy = `To open it at once: ${unlock}.`;
      const cause = `No code of the second factor of ${user.email} is checked until ${until}. There were too many wrong ones.`;
      assert.deepEqual(told.now, [{ cause, remedy }]);
      const closed = told.before.find((one) => /was closed for some time after too many wrong codes/.test(one.cause));
      assert.equal(closed?.remedy, remedy);
      await unlockUser(app.services, app.account, user.id, 'all');
      assert.deepEqual((await tellUser(app.services, app.account, user, null)).now, []);
    });

    test('it tells why no link to a forgotten password was sent, with what helps', async () => {
      using _ = app.services.clock.hold();
      const own = await app.another({ 'limit.reset-user': '1/h', 'limit.reset': 'off' });
      const { services, account } = own;
      const { users } = services.store;
      const options = (email: string) => `--email ${email} --account ${account.subdomain}`;
      const tellOf = async (name: string, id: number) => {
        await askForLink(own, name);
        await services.resetMails.run();
        const found = await users.find(account.id, id);
        assert.ok(found);
        const [story] = (await tellUser(services, account, found, null)).before;
        return [story?.cause, story?.remedy];
      };
      const { id, email: address } = await makeUser(own);
      const email = address ?? '';
      const link = `Make a link at once and give it to the user: gatehouse user invite ${options(email)}.`;
      const until = services.clock.now() + 3_600_000;
      await users.update(account.id, id, { emailHeldUntil: until });
      assert.deepEqual(await tellOf(email, id), [
        `No link was sent: a caller without manage_all wrote the address of ${email}, and none goes there for 24 hours, until ${new Date(until).toISOString()}.`,
        `${link} Another address that is written with manage_all can be used at once.`,
      ]);
      await users.update(account.id, id, { emailHeldUntil: null });
      assert.match((await tellOf(email, id))[0] ?? '', /wrote the address of .*, and none goes there for 24 hours\.$/);
      services.clock.advance(1);
      assert.deepEqual(await tellOf(email, id), [
        `No link was sent: ${email} had already been sent as many as limit.reset-user of the account allows.`,
        `Use one of the links that were sent, or ask again when the time of the limit is over: gatehouse account show ${account.subdomain} shows it. ${link}`,
      ]);
      services.clock.advance(1);
      await users.update(account.id, id, { status: userStatuses.locked });
      assert.deepEqual(await tellOf(email, id), [
        `No link was sent: ${email} was unactivated, suspended or locked.`,
        `If the user is suspended or locked, set the status: gatehouse user set status=active ${options(email)}. ` +
          'One who is unactivated gets an invite link (gatehouse user invite).',
      ]);
      const username = unique('bare');
      const bare = await makeUser(own, undefined, { email: undefined, username });
      assert.deepEqual(await tellOf(username, bare.id), [
        `No link was sent: ${username} has no e-mail address.`,
        `Make a link at once and give it to the user: gatehouse user invite --username ${username} --account ${account.subdomain}.`,
      ]);
      await askForLink(own, 'nobody@example.com');
      await services.resetMails.run();
      const events = await findEvents(services, account, [
        { field: 'action', test: 'is', values: ['password_reset.refused'] },
      ]);
      const stranger = events.find(({ detail }) => (detail as { reason: string }).reason === 'unknown_user');
      assert.ok(stranger);
      const told = await tellEvent(services, account, stranger);
      assert.equal(told?.cause, 'No link was sent: nobody has the name that was typed.');
    });

    test('it tells of each obstacle by itself, with commands in which nothing is left to fill in', async () => {
      const { user, client } = await settle(app, { client_name: 'Desk' });
      const asking = await app.services.store.clients.findByApp(app.account.id, client.app_id);
      const name = "o'$(id)`@example.com";
      await app.services.store.users.update(app.account.id, user.id, { email: name, status: userStatuses.suspended });
      await app.services.store.access.revoke(app.account.id, client.app_id, { userId: user.id });
      const found = await app.services.store.users.find(app.account.id, user.id);
      assert.ok(found);
      const { now } = await tellUser(app.services, app.account, found, asking);
      assert.deepEqual(
        now.map(({ cause }) => cause),
        [`${name} is suspended.`, `Desk (app ${client.app_id}) is assigned to ${name} neither directly nor by a role.`],
      );
      const quoted = `'o'\\''$(id)\`@example.com' --account ${app.account.subdomain}`;
      assert.equal(now[0]?.remedy, `Set the status: gatehouse user set status=active --email ${quoted}.`);
      const grant = `gatehouse access grant --app ${client.app_id} --user ${quoted}`;
      assert.equal(now[1]?.remedy, `Assign it: ${grant}. Or assign it to one of their roles, by --role.`);
    });

    test('a password that expired refuses nobody, and no refusals of an app hide those of the user', async () => {
      const { user, client, begin } = await settle(app);
      const asking = await app.services.store.clients.findByApp(app.account.id, client.app_id);
      await submit(app, await begin(), { username: user.email ?? '', password: 'wrong password' });
      await app.services.store.users.update(app.account.id, user.id, { status: userStatuses.passwordExpired });
      const other = 'https://app.example.com/other';
      for (let count = 0; count < 10; count += 1) await at(authorizePath(client, { redirect_uri: other }));
      const found = await app.services.store.users.find(app.account.id, user.id);
      assert.ok(found);
      const { now, before: told } = await tellUser(app.services, app.account, found, asking);
      assert.deepEqual([now, told.length], [[], 4]);
      assert.match(told.at(-1)?.cause ?? '', /password for .* was wrong/);
    });
  });
}
