import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import { assertTold, toldBy } from '../../domain/audit/told.ts';
import type { TestApp } from '../../support/app.ts';
import { giveDevice } from '../../support/second-factor.ts';
import { addUser } from '../../support/users.ts';
import { delegated, messageOf, newUser, password } from './delegated.ts';

export function refusals(app: () => TestApp): void {
  it('X8: unknown, repeated, empty and malformed parameters are never an error', async () => {
    const { ask, key } = await delegated(app());
    const { email } = await newUser(app());
    const right = { api_key: key.key, email: email ?? '', password };
    const given = String(new URLSearchParams(right));
    const without = (name: keyof typeof right) => {
      const { [name]: _, ...rest } = right;
      return String(new URLSearchParams(rest));
    };
    const rows: [query: string, message: string][] = [
      [`${given}&x=1&x=2&__proto__=1&constructor=2`, 'Success'],
      [`${given}&email[]=other@example.com&%=%FF`, 'Success'],
      [`&&${given}&`, 'Success'],
      [`${given}&email=${right.email}`, 'User not found'],
      [`${given}&password=${right.password}`, 'Invalid password'],
      [`${given}&api_key=${right.api_key}`, 'Account not found'],
      [`${without('email')}&email[]=${right.email}`, 'User not found'],
      [`${without('email')}&email=%FF`, 'User not found'],
      [`${without('email')}&email=%`, 'User not found'],
      [`${without('email')}&email=`, 'User not found'],
      [`${without('email')}&email=a%00b`, 'User not found'],
      [`${without('email')}&email=${'a'.repeat(5_000)}`, 'User not found'],
      [`${without('password')}&password=%C3%28`, 'Invalid password'],
      [`${without('password')}&password=${'a'.repeat(8_000)}`, 'Invalid password'],
      [`${without('password')}&password`, 'Invalid password'],
      [`${without('api_key')}&api_key=${'a'.repeat(10_000)}`, 'Account not found'],
      [`${without('api_key')}&api_key=${key.key}%00`, 'Account not found'],
      [`${without('api_key')}&API_KEY=${key.key}`, 'Account not found'],
    ];
    for (const [query, message] of rows) assert.equal(messageOf(await ask(query)), message, query.slice(0, 200));
  });

  it('a user name is not accepted as an e-mail address', async () => {
    const { services, account } = app();
    const { say } = await delegated(app());
    await addUser(services, account, { username: 'delegate', password });
    assert.equal(await say('delegate'), 'User not found');
  });

  it('wrong passwords count towards the lockout, with those of the hosted sign-in', async () => {
    const { say } = await delegated(app());
    const { email, id } = await newUser(app());
    const { services, account } = app();
    for (let count = 1; count <= 9; count += 1) assert.equal(await say(email, 'wrong'), 'Invalid password');
    assert.equal((await services.store.users.find(account.id, id))?.invalidLoginAttempts, 9);
    assert.equal(await say(email), 'Success');
    for (let count = 1; count <= 10; count += 1) await say(email, 'wrong');
    assert.equal(await say(email), 'Invalid password', 'a lockout applies here as well');
    services.clock.advance(15 * 60_000);
    assert.equal(await say(email), 'Success');
  });

  it('a missing password counts as a wrong one', async () => {
    const { ask, key } = await delegated(app());
    const { email, id } = await newUser(app());
    await ask({ api_key: key.key, email: email ?? '' });
    const user = await app().services.store.users.find(app().account.id, id);
    assert.equal(user?.invalidLoginAttempts, 1);
  });

  it('every call is in the trail, with the actor API and the real reason', async () => {
    using _ = app().services.clock.hold();
    const own = await app().another();
    const { services, account } = own;
    const { say, key } = await delegated(own);
    const actor = `API ${key.id}` as const;
    const user = await newUser(own);
    const target = `user ${user.id}` as const;
    const told = { method: 'delegated', methods: ['pwd'] };
    await assertTold(own, () => say(user.email), [['sign_in.succeeded', actor, target, told]]);
    assert.equal((await services.store.users.find(account.id, user.id))?.lastLogin, services.clock.now());
    await assertTold(own, () => say(user.email, 'wrong'), [
      ['sign_in.failed', actor, target, { reason: 'wrong_password' }],
    ]);
    await assertTold(own, () => say('nobody@example.com'), [
      ['sign_in.failed', actor, 'user', { reason: 'unknown_user' }],
    ]);
    const refused = async (reason: string) => {
      await assertTold(own, () => say(user.email), [
        ['sign_in.refused', actor, target, { reason, method: 'delegated', methods: ['pwd'] }],
      ]);
    };
    for (const [status, reason] of [
      [2, 'user_suspended'],
      [3, 'user_locked'],
      [4, 'password_expired'],
      [5, 'user_inactive'],
    ] as const) {
      await services.store.users.update(account.id, user.id, { status });
      await refused(reason);
    }
    await services.store.users.update(account.id, user.id, { status: 1 });
    const { id: policyId } = await createPolicy(services, account, { name: 'Months', passwordExpirationDays: 30 });
    await services.store.policies.assign(account.id, { userId: user.id }, policyId);
    services.clock.advance(31 * 86_400_000);
    await refused('password_expired');
    for (const event of await toldBy(own, () => say(user.email))) {
      assert.ok(!JSON.stringify(event).includes(password) && !JSON.stringify(event).includes(String(user.email)));
    }
  });

  it('a second factor that the policy asks for is not skipped here', async () => {
    const own = await app().another();
    const { services, account } = own;
    const { say } = await delegated(own);
    const user = await newUser(own);
    const [policy] = await services.store.policies.list(account.id);
    await services.store.policies.update(account.id, policy?.id ?? 0, { otpRequired: true });
    assert.equal(await say(user.email), 'Invalid password');
  });

  it('nor one that the user has', async () => {
    const own = await app().another();
    const { say } = await delegated(own);
    const user = await newUser(own);
    assert.equal(await say(user.email), 'Success');
    await giveDevice(own, user);
    assert.equal(await say(user.email), 'Invalid password');
    const [event] = await toldBy(own, () => say(user.email));
    assert.deepEqual(JSON.parse(event?.detail ?? ''), {
      reason: 'second_factor_required',
      method: 'delegated',
      methods: ['pwd'],
    });
  });

  it('GET /api/2/events lists the calls of a key', async () => {
    const own = await app().another();
    const { say, key } = await delegated(own);
    await say('nobody@example.com');
    const headers = { authorization: `Bearer ${await own.bearer('read_all')}` };
    const { body } = await own.send('GET', `/api/2/events?actor=API:${key.id}`, { headers });
    assert.deepEqual(
      body.map(({ action, actor }: { action: string; actor: object }) => [action, actor]),
      [['sign_in.failed', { type: 'API', id: key.id }]],
    );
    for (const actor of ['api', 'APIS:1', 'Api:1']) {
      assert.notDeepEqual((await own.send('GET', `/api/2/events?actor=${actor}`, { headers })).body.length, 1);
    }
  });

  it('405 with Allow for any other method, 400 for an unreadable request', async () => {
    const path = '/api/v1/delegated_auth';
    for (const method of ['POST', 'PUT', 'DELETE']) assert.equal((await app().send(method, path)).status, 405);
    const answer = await app().send('GET', path, { headers: { 'content-type': 'text/plain' }, raw: 'x' });
    assert.equal(answer.status, 400);
    const head = await app().send('HEAD', path);
    assert.deepEqual([head.status, head.text], [200, '']);
  });
}
