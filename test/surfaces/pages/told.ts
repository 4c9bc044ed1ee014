import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createApiKey } from '../../../src/domain/callers/api-keys.ts';
import { unique } from '../../store/samples.ts';
import { basic } from '../../support/app.ts';
import { chosen, goodPassword, newInvite } from '../../support/invites.ts';
import { mailsTo, newLink, titlesTo } from '../../support/resets.ts';
import { dump } from '../../support/rows.ts';
import { codeAt, giveDevice, keyOf, recoveryCodesOf } from '../../support/second-factor.ts';
import { CookieJar, makeUser, submit, walk } from '../../support/sign-in.ts';
import { proveAddress, setUser } from '../../support/users.ts';
import { managing } from '../api-2/managing.ts';
import { type AppOf, heading, settle } from './browsing.ts';

const multiFactor = 'urn:gatehouse:acr:multi-factor';
const passwordTitle = 'Your password was changed';
const emailTitle = 'Your e-mail address was changed';
const usernameTitle = 'Your user name was changed';

/** Every change of how a user signs in is mailed to them, however it was made. */
export function told(app: AppOf): void {
  const titles = (email: string | null) => titlesTo(app(), email);
  const api = () => managing(app());
  const proven = ({ id }: { readonly id: number }) => proveAddress(app().services, app().account, id);
  const newEmail = () => `${unique('new')}@example.com`;

  it('an app set up at sign-in, and its recovery codes; neither key nor codes are in the message', async () => {
    const setting = await settle(app());
    const at = await setting.signIn({ acr_values: multiFactor });
    const key = keyOf(at.answer.text);
    const shown = await submit(app(), at, { otp: codeAt(key, app().services.clock.now()) });
    const codes = recoveryCodesOf(shown.answer.text);
    assert.equal(codes.length, 10);
    assert.deepEqual(await titles(setting.user.email), ['An authenticator app was added']);
    const sent = JSON.stringify(await mailsTo(app(), setting.user.email));
    for (const secret of [key, ...codes]) assert.ok(!sent.includes(secret));
  });

  it('a password that replaces an expired one, and one that a link sets', async () => {
    const expired = await settle(app());
    await setUser(app().services, app().account, expired.user.id, { status: 'active' });
    await (await api()).done(200, 'PUT', `/users/${expired.user.id}`, { status: 4 });
    const due = await submit(app(), await expired.signIn(), chosen);
    assert.notEqual(heading(due.answer), 'Choose a new password');
    assert.deepEqual(await titles(expired.user.email), [passwordTitle]);
    const invited = await makeUser(app(), undefined, { password: undefined });
    await submit(app(), await walk(app(), new CookieJar(), await newInvite(app(), invited.email)), chosen);
    assert.deepEqual(await titles(invited.email), [passwordTitle]);
    const forgotten = await makeUser(app());
    await submit(app(), await walk(app(), new CookieJar(), await newLink(app(), forgotten.email)), chosen);
    assert.deepEqual(await titles(forgotten.email), ['Choose a new password', passwordTitle]);
    assert.ok(!JSON.stringify(app().services.mails).includes(goodPassword));
  });

  it('changes by the management API, once for each request; the former address is notified too', async () => {
    const user = await makeUser(app());
    await proven(user);
    const put = async (members: object) => (await api()).done(200, 'PUT', `/users/${user.id}`, members);
    await put({ firstname: 'Grace', email: user.email, status: 3 });
    await put({ status: 1, comment: 'new' });
    assert.deepEqual(await titles(user.email), [], 'these are not means of signing in');
    await put({ password: goodPassword });
    assert.deepEqual(await titles(user.email), [passwordTitle]);
    const username = unique('named');
    await put({ username });
    assert.deepEqual((await titles(user.email)).slice(1), [usernameTitle]);
    const next = newEmail();
    await put({ email: next, username: null, password: `${goodPassword} again` });
    const several = 'How you sign in was changed';
    assert.deepEqual(await titles(next), [several]);
    assert.deepEqual((await titles(user.email)).slice(2), [several]);
    const [mail] = await mailsTo(app(), next);
    for (const title of [emailTitle, usernameTitle, passwordTitle]) assert.ok(mail?.text.includes(title), title);
    const [, , former] = await mailsTo(app(), user.email);
    assert.ok(!former?.text.includes(next), 'the former address does not learn the new one');
    assert.ok(!JSON.stringify([mail, former]).includes(goodPassword));
    await proven(user);
    await put({ email: null, username });
    assert.deepEqual((await titles(next)).slice(1), [several], 'the former address is notified of its removal');
  });

  it('factors that the management API adds and removes; an unconfirmed one does not count yet', async () => {
    const user = await makeUser(app());
    await proven(user);
    const made = { factor_id: 1, display_name: 'Phone' };
    const path = `/mfa/users/${user.id}`;
    const manage = await api();
    const { id, factor_data: data } = await manage.done(201, 'POST', `${path}/registrations`, made);
    assert.deepEqual(await titles(user.email), []);
    const otp = codeAt(data.verification_token, app().services.clock.now());
    await manage.done(200, 'PUT', `${path}/registrations/${id}`, { otp });
    assert.deepEqual(await titles(user.email), ['An authenticator app was added']);
    const { device_id: device } = await manage.done(201, 'POST', `${path}/registrations`, { ...made, verified: true });
    await manage.done(204, 'DELETE', `${path}/devices/${device}`);
    const [, ...later] = await titles(user.email);
    assert.deepEqual(later, ['An authenticator app was added', 'An authenticator app was removed']);
    for (const mail of await mailsTo(app(), user.email)) assert.ok(!mail.text.includes(data.verification_token));
  });

  it('what an API key changes in XML, and the command line', async () => {
    const user = await makeUser(app());
    const { apiKey } = await createApiKey(app().services, app().account, 'old program');
    const next = newEmail();
    const sent = await app().send('PUT', `/users/${user.id}.xml`, {
      headers: { ...basic(apiKey, 'x'), 'content-type': 'application/xml' },
      raw: `<user><email>${next}</email></user>`,
    });
    assert.equal(sent.status, 200, sent.text);
    assert.deepEqual(await titles(user.email), [emailTitle]);
    assert.deepEqual(await titles(next), [emailTitle]);
    await proven(user);
    await setUser(app().services, app().account, user.id, { password: goodPassword, firstname: 'Grace' });
    assert.deepEqual(await titles(next), [emailTitle, passwordTitle]);
  });

  it('nothing for a refused change, and nothing to a user without an address', async () => {
    const [user, other] = [await makeUser(app()), await makeUser(app())];
    const manage = await api();
    for (const members of [{ email: other.email }, { password: goodPassword, role_ids: [2_147_483_000] }]) {
      assert.equal((await manage.call('PUT', `/users/${user.id}`, members)).status, 422);
    }
    assert.deepEqual(await titles(user.email), []);
    const bare = await makeUser(app(), undefined, { email: undefined, username: unique('bare') });
    const before = app().services.mails.length;
    await manage.done(200, 'PUT', `/users/${bare.id}`, { password: goodPassword });
    await giveDevice(app(), bare);
    await mailsTo(app(), null);
    assert.equal(app().services.mails.length, before);
  });

  it('an unsent message is stored without a secret', async () => {
    const user = await makeUser(app());
    await setUser(app().services, app().account, user.id, { password: goodPassword });
    const everything = await dump(app().url);
    assert.ok(everything.includes(user.email ?? ''));
    assert.ok(!everything.includes(goodPassword));
  });
}
