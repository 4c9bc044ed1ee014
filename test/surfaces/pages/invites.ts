/** What an invite link leads to: docs/deprecated.md#what-to-know, L1, L2, L3, L7. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { UserRecord } from '../../../src/store/users.ts';
import { assertTold } from '../../domain/audit/told.ts';
import type { TestApp } from '../../support/app.ts';
import { chosen, newInvite } from '../../support/invites.ts';
import {
  CookieJar,
  makeUser,
  password,
  readForm,
  redeem,
  refresh,
  signInForCode,
  submit,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, heading, settle } from './browsing.ts';

const hour = 3_600_000;

export function invites(app: AppOf): void {
  const read = async (one: TestApp, { id }: UserRecord) => {
    const found = await one.services.store.users.find(one.account.id, id);
    assert.ok(found);
    return found;
  };
  const unactivated = () => makeUser(app(), undefined, { password: undefined });
  const open = async (user: UserRecord, jar = new CookieJar()): Promise<Walk> =>
    walk(app(), jar, await newInvite(app(), user.email));
  const shown = ({ answer }: Walk) => [answer.status, heading(answer)];

  it('a user chooses a password, is activated and signed in, and arrives in the account', async () => {
    using _ = app().services.clock.hold();
    const user = await unactivated();
    const at = await open(user);
    assert.deepEqual(shown(at), [200, 'Choose a password']);
    assert.match(at.answer.text, new RegExp(`value="${user.email}"`));
    app().services.clock.advance(1000);
    const end = await submit(app(), at, chosen);
    assert.deepEqual(shown(end), [200, 'You are signed in']);
    assert.match(end.answer.text, /Ada Lovelace/);
    const now = app().services.clock.now();
    const { status, activatedAt, lastLogin, passwordChangedAt } = await read(app(), user);
    assert.deepEqual([status, activatedAt, lastLogin, passwordChangedAt], [1, now, now, now]);
    const again = await walk(app(), end.jar, '/signed-in');
    assert.deepEqual(shown(again), [200, 'You are signed in']);
    assert.deepEqual(shown(await walk(app(), new CookieJar(), '/signed-in')), [400, 'This request cannot be used']);
  });

  it('the session signs in to an application without another password', async () => {
    const setting = await settle(app(), {}, { password: undefined });
    const { jar } = await submit(app(), await open(setting.user), chosen);
    const next = await setting.begin({}, jar);
    assert.doesNotMatch(next.answer.text, /name="username"/);
  });

  it('works once, for 72 hours, until a newer one is created; each is recorded', async () => {
    using _ = app().services.clock.hold();
    const user = await unactivated();
    const link = await newInvite(app(), user.email);
    const used = await walk(app(), new CookieJar(), link);
    const second = await walk(app(), new CookieJar(), link);
    await submit(app(), used, chosen);
    const told = [410, 'This link has been used'];
    assert.deepEqual(shown(await walk(app(), new CookieJar(), link)), told);
    assert.deepEqual(shown(await submit(app(), second, chosen)), told);
    const old = await newInvite(app(), user.email);
    const newer = await newInvite(app(), user.email);
    assert.deepEqual(shown(await walk(app(), new CookieJar(), old)), [410, 'This link does not work']);
    app().services.clock.advance(72 * hour - 1);
    const late = await walk(app(), new CookieJar(), newer);
    assert.deepEqual(shown(late), [200, 'Choose a password']);
    app().services.clock.advance(1);
    assert.deepEqual(shown(await submit(app(), late, chosen)), [410, 'This link has expired']);
    assert.deepEqual(shown(await walk(app(), new CookieJar(), newer)), [410, 'This link has expired']);
  });

  it('one of ten simultaneous uses of a link succeeds', async () => {
    const user = await unactivated();
    const link = await newInvite(app(), user.email);
    const forms = await Promise.all(Array.from({ length: 10 }, () => walk(app(), new CookieJar(), link)));
    const ends = await Promise.all(
      forms.map((at, index) => {
        const typed = `${chosen.new_password} ${index}`;
        return submit(app(), at, { new_password: typed, new_password_confirmation: typed });
      }),
    );
    const statuses = ends.map(({ answer }) => answer.status).sort();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 410)]);
  });

  it('unknown and malformed links and those of another account are refused alike', async () => {
    const other = await app().another();
    const foreign = await newInvite(other, (await makeUser(other)).email);
    for (const path of [foreign, '/password/reset', '/password/reset?token=', '/password/reset?token=il_x%20y']) {
      assert.deepEqual(shown(await walk(app(), new CookieJar(), path)), [410, 'This link does not work'], path);
    }
    const tooLong = await app().send('GET', `/password/reset?token=${'x'.repeat(200)}`);
    assert.equal(tooLong.status, 400);
    assert.equal((await app().send('POST', '/password/reset', { form: { token: 'x'.repeat(200) } })).status, 400);
  });

  it('a password that breaks a rule is 422 with the form again, and the link still works', async () => {
    const user = await unactivated();
    let at = await open(user);
    for (const [typed, again, said] of [
      ['', '', 'Something is missing'],
      ['short', 'short', 'must have 8 to 256 characters'],
      ['sunshine1', 'sunshine1', 'most common ones'],
      ['lovelace 1', 'lovelace 1', 'names or e-mail address'],
      [chosen.new_password, 'another', 'differ'],
    ] as const) {
      at = await submit(app(), at, { new_password: typed, new_password_confirmation: again });
      assert.deepEqual(shown(at), [422, 'Choose a password']);
      assert.ok(at.answer.text.includes(said), said);
    }
    assert.equal((await read(app(), user)).status, 0);
    assert.deepEqual(shown(await submit(app(), at, chosen)), [200, 'You are signed in']);
  });

  it("an active user's password is replaced; what it opened ends when the link is used, not before", async () => {
    const setting = await settle(app());
    const query = await signInForCode(app(), setting.client, setting.user);
    const first = await redeem(app(), setting.client, query.get('code') ?? '');
    const at = await open(setting.user);
    const tokens = (await refresh(app(), setting.client, first.refresh_token)).body;
    const same = { new_password: password, new_password_confirmation: password };
    const refused = await submit(app(), at, same);
    assert.deepEqual(shown(refused), [422, 'Choose a password']);
    await submit(app(), refused, chosen);
    assert.notEqual((await refresh(app(), setting.client, tokens.refresh_token)).status, 200);
    assert.equal((await setting.signIn()).answer.status, 401, 'the former password');
  });

  it('a link for a locked or suspended user opens nothing, and does not outlive the lock', async () => {
    for (const [status, title] of [
      ['locked', 'Your account is locked'],
      ['suspended', 'Your account is suspended'],
    ] as const) {
      const { services, account } = app();
      const user = await makeUser(app());
      await setUser(services, account, user.id, { status });
      const link = await newInvite(app(), user.email);
      assert.deepEqual(shown(await walk(app(), new CookieJar(), link)), [403, title]);
      await setUser(services, account, user.id, { status: 'active' });
      assert.deepEqual(shown(await walk(app(), new CookieJar(), link)), [410, 'This link does not work']);
      assert.deepEqual(shown(await submit(app(), await open(user), chosen)), [200, 'You are signed in']);
    }
  });

  it('L2: a form without the token of its browser changes nothing', async () => {
    const user = await unactivated();
    const at = await open(user);
    const { fields } = readForm(at.answer.text);
    const other = await open(await unactivated());
    const send = (form: Record<string, string>, headers: Record<string, string>) =>
      app().send('POST', '/password/reset', { form: { ...form, ...chosen }, headers });
    const { csrf = '', token = '' } = fields;
    for (const answer of [
      await send({ token, csrf }, {}),
      await send({ token, csrf: 'forged' }, at.jar.header),
      await send({ token }, at.jar.header),
      await send({ token, csrf }, other.jar.header),
      await send({ token, csrf: readForm(other.answer.text).fields['csrf'] ?? '' }, other.jar.header),
    ]) {
      assert.equal(answer.status, 403);
    }
    assert.equal((await read(app(), user)).status, 0);
  });

  it('L1, L3: no cache keeps the page, nobody frames it, and every secret of the browser is new after it', async () => {
    const at = await open(await unactivated());
    const { headers } = at.answer;
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/);
    const before = new Map(at.jar.cookies);
    const end = await submit(app(), at, chosen);
    assert.ok(end.jar.cookies.has('__Host-sid'));
    assert.notEqual(end.jar.cookies.get('__Host-tx'), before.get('__Host-tx'));
  });

  it('where a second factor is required nobody is signed in', async () => {
    const one = await app().another();
    const { services, account } = one;
    const user = await makeUser(one, undefined, { password: undefined });
    const [policy] = await services.store.policies.list(account.id);
    await services.store.policies.update(account.id, policy?.id ?? 0, { otpRequired: true });
    const at = await walk(one, new CookieJar(), await newInvite(one, user.email));
    const end = await submit(one, at, chosen);
    assert.deepEqual(shown(end), [200, 'Your password is saved']);
    assert.ok(!end.jar.cookies.has('__Host-sid'));
    assert.equal((await read(one, user)).status, 1);
  });

  it('is recorded in the trail', async () => {
    const user = await unactivated();
    const at = await open(user);
    const who = `user ${user.id}` as const;
    const events = await assertTold(app(), () => submit(app(), at, chosen), [
      ['invite.used', who, who, {}],
      ['user.changed', who, who, { fields: ['password'], grants_revoked: 0 }],
      ['sign_in.succeeded', who, who, { method: 'invite', methods: ['urn:gatehouse:amr:mailbox'] }],
    ]);
    assert.ok(!JSON.stringify(events).includes(chosen.new_password));
  });

  it('the database contains no link in plain text', async () => {
    const link = await newInvite(app(), (await unactivated()).email);
    const token = link.slice(link.indexOf('=') + 1);
    const { services, account } = app();
    assert.equal(await services.store.invites.find(account.id, token), null);
  });
}
