import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Consumption, ConsumptionOutcome } from '../../src/store/consumption.ts';
import type { GrantRecord } from '../../src/store/grants.ts';
import type { UserRecord } from '../../src/store/users.ts';
import { type Cast, day, newAccount, newCast, newClient, newGrant, now, ofTokens, present, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('consumption of refresh tokens', (subject) => {
  async function consume(consumption: Consumption): Promise<ConsumptionOutcome> {
    const [outcome] = await subject.store.grants.consumeAll([consumption]);
    assert.ok(outcome);
    return outcome;
  }

  async function start(given: Partial<GrantRecord> = {}): Promise<{ cast: Cast; grant: GrantRecord }> {
    const cast = await newCast(subject.store);
    return { cast, grant: await newGrant(subject.store, cast, given) };
  }

  const stored = async ({ accountId, id }: GrantRecord): Promise<GrantRecord> => {
    const grant = await subject.store.grants.find(accountId, id);
    assert.ok(grant);
    return grant;
  };

  test('the current token rotates: grant, user and access token are written and returned', async () => {
    const { cast, grant } = await start();
    const consumption = present(grant);
    const outcome = await consume(consumption);
    const after = {
      ...grant,
      currentDigest: consumption.successorDigest,
      previousDigest: grant.currentDigest,
      successorSalt: consumption.successorSalt,
      rotatedAt: consumption.now,
      generation: 1,
      idleExpiresAt: consumption.idleExpiresAt,
    };
    const { users, clients } = subject.store;
    const { user } = ofTokens(
      await users.find(cast.accountId, cast.userId),
      await clients.findByApp(cast.accountId, cast.appId),
    );
    assert.equal(outcome.outcome, 'rotated');
    assert.deepEqual(outcome, { outcome: 'rotated', grant: after, user, accessTokenId: outcome.accessTokenId });
    assert.deepEqual(await stored(grant), after);
    const standing = await subject.store.grants.findAccessToken(cast.accountId, outcome.accessTokenId);
    const { digest, issuedAt, expiresAt } = consumption.accessToken;
    assert.deepEqual(standing?.token, {
      accountId: cast.accountId,
      id: outcome.accessTokenId,
      digest,
      grantId: grant.id,
      appId: cast.appId,
      userId: cast.userId,
      scope: grant.scope,
      issuedAt,
      expiresAt,
      revokedAt: null,
    });
  });

  test('a narrower scope applies to the access token only', async () => {
    const { grant } = await start();
    const outcome = await consume(present(grant, { scope: ['profile'] }));
    assert.ok(outcome.outcome === 'rotated');
    const standing = await subject.store.grants.findAccessToken(grant.accountId, outcome.accessTokenId);
    assert.deepEqual(standing?.token.scope, ['profile']);
    assert.deepEqual((await stored(grant)).scope, ['openid', 'profile']);
  });

  test('within the grace period the predecessor gets the same successor, a new access token, and changes nothing', async () => {
    const { grant } = await start();
    const first = present(grant);
    const rotated = await consume(first);
    const after = await stored(grant);
    const repeated = await consume(present(grant, { now: first.now + 9999, scope: ['openid'] }));
    assert.ok(rotated.outcome === 'rotated' && repeated.outcome === 'repeated');
    assert.deepEqual(repeated.grant, after);
    assert.equal(repeated.grant.successorSalt, first.successorSalt);
    assert.deepEqual(repeated.user, rotated.user);
    assert.notEqual(repeated.accessTokenId, rotated.accessTokenId);
    const standing = await subject.store.grants.findAccessToken(grant.accountId, repeated.accessTokenId);
    assert.deepEqual(standing?.token.scope, ['openid']);
    assert.deepEqual(await stored(grant), after);
  });

  async function assertReuse(grant: GrantRecord, consumption: Consumption): Promise<void> {
    const before = await stored(grant);
    assert.deepEqual(await consume(consumption), { outcome: 'reused', grantId: grant.id });
    const revoked = { ...before, revokedAt: consumption.now, revokedBecause: 'refresh_token_reused' };
    assert.deepEqual(await stored(grant), revoked);
    const next = { ...consumption, presentedDigest: before.currentDigest ?? '' };
    assert.deepEqual(await consume(next), { outcome: 'refused', reason: 'revoked' });
  }

  test('after the grace period, or without one, the predecessor revokes the family', async () => {
    const { grant } = await start();
    const first = present(grant);
    await consume(first);
    await assertReuse(grant, present(grant, { now: first.now + 10_000 }));
    const { grant: strict } = await start();
    await consume(present(strict));
    await assertReuse(strict, present(strict, { graceMilliseconds: 0 }));
  });

  test('the first use of the successor ends the grace period', async () => {
    const { grant } = await start();
    const first = present(grant);
    await consume(first);
    const second = await consume(present(grant, { presentedDigest: first.successorDigest }));
    assert.equal(second.outcome, 'rotated');
    await assertReuse(grant, present(grant));
  });

  test('an older token, or one that the family never had, revokes the family', async () => {
    const { grant } = await start();
    await assertReuse(grant, present(grant, { presentedDigest: unique('older') }));
  });

  async function assertRefused(grant: GrantRecord, reason: string, given: Partial<Consumption> = {}): Promise<void> {
    const before = await subject.store.grants.find(grant.accountId, grant.id);
    const consumption = present(grant, given);
    assert.deepEqual(await consume(consumption), { outcome: 'refused', reason });
    assert.deepEqual(await subject.store.grants.find(grant.accountId, grant.id), before);
  }

  test('every refusal says why and changes nothing; the token works again when the reason is gone', async () => {
    const { cast, grant } = await start();
    const { accountId, userId, appId } = cast;
    const { appId: otherApp } = await newClient(subject.store, accountId);
    const { id: otherAccount } = await newAccount(subject.store);
    await assertRefused(grant, 'unknown', { grantId: grant.id + 1000 });
    await assertRefused(grant, 'unknown', { accountId: otherAccount });
    await assertRefused(await newGrant(subject.store, cast, { currentDigest: null }), 'unknown');
    await assertRefused(grant, 'other_client', { appId: otherApp });
    await assertRefused(grant, 'other_client', { appId: otherApp, presentedDigest: unique('older') });
    await assertRefused(grant, 'expired', { now: grant.idleExpiresAt });
    await assertRefused(grant, 'expired', { now: grant.idleExpiresAt, presentedDigest: unique('older') });
    await assertRefused(await newGrant(subject.store, cast, { absoluteExpiresAt: now + 1000 }), 'expired');
    await assertRefused(grant, 'scope_exceeded', { scope: ['openid', 'email'] });
    const refusals: [UserRecord['status'], string][] = [
      [3, 'user_locked'],
      [2, 'user_suspended'],
      [0, 'user_inactive'],
      [4, 'user_inactive'],
      [5, 'user_inactive'],
      [7, 'user_inactive'],
    ];
    for (const [status, reason] of refusals) {
      await subject.store.users.update(accountId, userId, { status });
      await assertRefused(grant, reason);
    }
    await subject.store.users.update(accountId, userId, { status: 1 });
    await subject.store.access.revoke(accountId, appId, { userId });
    await assertRefused(grant, 'access_not_assigned');
    await subject.store.access.grant(accountId, appId, { userId }, now);
    assert.equal((await consume(present(grant))).outcome, 'rotated');
    await subject.store.users.update(accountId, userId, { status: 3 });
    await assertRefused(grant, 'user_locked');
  });

  test('a token that is not current is judged by the rule passed with it', async () => {
    const { grant } = await start();
    const seen: (string | undefined)[] = [];
    const older = present(grant, {
      presentedDigest: unique('older'),
      judge: (standing, consumption) => {
        seen.push(standing?.user.email ?? undefined, consumption.presentedDigest);
        return standing?.assigned ? 'user_inactive' : 'unknown';
      },
    });
    assert.deepEqual(await consume(older), { outcome: 'refused', reason: 'user_inactive' });
    const user = await subject.store.users.find(grant.accountId, grant.userId);
    assert.deepEqual(seen, [user?.email, older.presentedDigest]);
    assert.deepEqual(await stored(grant), grant);
  });

  test('the reasons are checked in their order', async () => {
    const { cast, grant } = await start({ revokedAt: now, revokedBecause: 'sign_out', idleExpiresAt: now });
    const { accountId, userId, appId } = cast;
    const { appId: otherApp } = await newClient(subject.store, accountId);
    await subject.store.users.update(accountId, userId, { status: 3 });
    await subject.store.access.revoke(accountId, appId, { userId });
    const wide = { scope: ['admin'] };
    await assertRefused(grant, 'other_client', { ...wide, appId: otherApp });
    await assertRefused(grant, 'revoked', { ...wide, presentedDigest: unique('older') });
    const expired = await newGrant(subject.store, cast, { idleExpiresAt: now });
    await assertRefused(expired, 'expired', { ...wide, presentedDigest: unique('older') });
    const live = await newGrant(subject.store, cast, { idleExpiresAt: now + day });
    await assertRefused(live, 'scope_exceeded', wide);
    await assertRefused(live, 'user_locked');
    await assertReuse(live, present(live, { ...wide, presentedDigest: unique('older') }));
  });
});
