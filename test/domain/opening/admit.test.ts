/** Each thing that `admit` looks at again, by itself: at the doors several of them are in the way at once. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { removeApp } from '../../../src/domain/clients/managed-apps.ts';
import { admit } from '../../../src/domain/opening/admit.ts';
import type { Evidence } from '../../../src/domain/opening/evidence.ts';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import { revokeAccess } from '../../../src/domain/users/access.ts';
import type { UserUpdate } from '../../../src/store/users.ts';
import { day, hour, newClient, newGrant, newUser, unique } from '../../store/samples.ts';
import { createTestAccount } from '../../support/services.ts';
import { setUser } from '../../support/users.ts';
import { onServices } from '../subject.ts';

onServices('the last look before anything opens', (subject) => {
  /** A user with access to an app, and the ways in which they may have authenticated. */
  async function stage() {
    const { services } = subject;
    const { store, clock } = services;
    const account = await createTestAccount(services);
    const accountId = account.id;
    const user = await newUser(store, accountId, { passwordChangedAt: clock.now(), createdAt: clock.now() });
    const client = await newClient(store, accountId);
    await store.access.grant(accountId, client.appId, { userId: user.id }, clock.now());
    const checkedAt = clock.now();
    const name = unique('session');
    const session = await store.sessions.create({
      ...{ accountId, userId: user.id, digest: name, sid: name, amr: ['pwd'], source: null, userAgent: null },
      ...{ authenticatedAt: checkedAt, lastSeenAt: checkedAt, idleMilliseconds: hour, expiresAt: checkedAt + day },
    });
    const grant = await newGrant(store, { accountId, userId: user.id, appId: client.appId });
    const token = await store.grants.addAccessToken({
      ...{ accountId, digest: unique('token'), grantId: grant.id, appId: client.appId, userId: user.id },
      ...{ scope: ['openid'], issuedAt: checkedAt, expiresAt: checkedAt + hour, revokedAt: null },
    });
    const shown = {
      password: { by: 'password', user, checkedAt },
      'second factor': { by: 'second_factor', user, checkedAt, methods: ['pwd', 'otp', 'mfa'], session: null },
      'a session that is raised': { by: 'second_factor', user, checkedAt, methods: ['pwd', 'otp', 'mfa'], session },
      session: { by: 'session', user, session },
      token: { by: 'token', user, tokenId: token.id },
    } as const satisfies Record<string, Evidence>;
    const look = async (evidence: Evidence) => {
      const way = { client, hookPolicyId: null, wantsSecondFactor: false };
      const verdict = await store.transaction((tx) => admit(services, tx, account, evidence, way));
      return verdict.at === 'refused' ? verdict.failure.code : verdict.at;
    };
    /** The outcome of each, by its name. */
    const lookAtAll = async () => {
      const found: Record<string, string> = {};
      for (const [by, evidence] of Object.entries(shown)) found[by] = await look(evidence);
      return found;
    };
    const change = (update: UserUpdate) => store.users.update(accountId, user.id, update);
    return { account, user, client, session, token, shown, look, lookAtAll, change };
  }

  const everything = (at: string) => ({
    password: at,
    'second factor': at,
    'a session that is raised': at,
    session: at,
    token: at,
  });

  it('admits a user with valid proof, as long as all of it still holds', async () => {
    const { lookAtAll } = await stage();
    assert.deepEqual(await lookAtAll(), everything('end'));
  });

  it('a new password invalidates what the former one showed', async () => {
    const { lookAtAll, change } = await stage();
    await change({ passwordDigest: 'another' });
    const outdated = { password: 'outdated', 'second factor': 'outdated', 'a session that is raised': 'outdated' };
    assert.deepEqual(await lookAtAll(), { ...everything('end'), ...outdated });
  });

  it('a sign-out everywhere invalidates what was shown before it, and the tokens', async () => {
    const { lookAtAll, change } = await stage();
    await change({ signedOutAt: subject.services.clock.now() });
    assert.deepEqual(await lookAtAll(), { ...everything('outdated'), session: 'end' });
  });

  it('a session that ended, expired or belongs to another user shows nothing', async () => {
    const { services } = subject;
    const { account, user, session, shown, look } = await stage();
    const both = async () => [await look(shown.session), await look(shown['a session that is raised'])];
    const other = await newUser(services.store, account.id);
    assert.equal(await look({ ...shown.session, user: other }), 'outdated');
    services.clock.advance(2 * hour);
    assert.deepEqual(await both(), ['outdated', 'outdated']);
    services.clock.advance(-2 * hour);
    assert.deepEqual(await both(), ['end', 'end']);
    await services.store.sessions.end(account.id, user.id, session.sid);
    assert.deepEqual(await both(), ['outdated', 'outdated']);
  });

  it('a revoked or expired token shows nothing', async () => {
    const { services } = subject;
    const { account, token, shown, look } = await stage();
    await services.store.grants.revokeAccessToken(account.id, token.id, services.clock.now());
    assert.equal(await look(shown.token), 'outdated');
  });

  it('a passkey that the user no longer has shows nothing', async () => {
    const { user, shown, look } = await stage();
    const { checkedAt } = shown.password;
    assert.equal(await look({ by: 'passkey', user, checkedAt, deviceId: 1, backupEligible: false }), 'outdated');
  });

  it('a deleted app gets nothing', async () => {
    const { account, client, lookAtAll } = await stage();
    await removeApp(subject.services, account, client.appId);
    assert.deepEqual(await lookAtAll(), everything('outdated'));
  });

  it("the user's current status and access count", async () => {
    const { services } = subject;
    const { account, user, client, lookAtAll } = await stage();
    await setUser(services, account, user.id, { status: 'locked' });
    assert.deepEqual(await lookAtAll(), { ...everything('user_locked'), token: 'outdated' });
    await setUser(services, account, user.id, { status: 'active' });
    await revokeAccess(services, account, client.appId, { user: user.email ?? '' });
    assert.deepEqual(await lookAtAll(), { ...everything('access_not_assigned'), token: 'outdated' });
  });

  it('a policy that now demands a second factor asks for it after a password, and ends a session without one', async () => {
    const { services } = subject;
    const { account, user, lookAtAll } = await stage();
    const { id } = await createPolicy(services, account, { name: 'Demanding', otpRequired: true });
    await services.store.policies.assign(account.id, { userId: user.id }, id);
    assert.deepEqual(await lookAtAll(), { ...everything('end'), password: 'enrolment', session: 'outdated' });
  });
});
