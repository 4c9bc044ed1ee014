import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthorizationRequestRecord } from '../../src/store/authorizations.ts';
import { purgeAll } from '../support/purge.ts';
import { failureOf, hour, minute, newAccount, newCast, newCode, newGrant, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('sessions, authorization requests, codes and consents', (subject) => {
  test('a session is found by its digest until it ends', async () => {
    const { sessions } = subject.store;
    const { accountId, userId } = await newCast(subject.store);
    const { id: otherId } = await newAccount(subject.store);
    const given = { accountId, digest: unique(), sid: unique(), userId, amr: ['pwd'], authenticatedAt: now };
    const session = await sessions.create({
      ...given,
      lastSeenAt: now,
      idleMilliseconds: minute,
      expiresAt: now + hour,
    });
    assert.deepEqual(await sessions.find(accountId, session.digest), session);
    assert.equal(await sessions.find(otherId, session.digest), null);
    await sessions.touch(otherId, session.id, now + 5);
    await sessions.end(otherId, userId, session.sid);
    await sessions.endOfUser(otherId, userId);
    assert.deepEqual(await sessions.find(accountId, session.digest), session);
    await sessions.touch(accountId, session.id, now + 5);
    assert.equal((await sessions.find(accountId, session.digest))?.lastSeenAt, now + 5);
    assert.equal(await sessions.end(accountId, userId + 1, session.sid), false);
    assert.equal(await sessions.end(accountId, userId, session.sid), true);
    assert.equal(await sessions.end(accountId, userId, session.sid), false);
    assert.equal(await sessions.find(accountId, session.digest), null);
    const later = await sessions.create({ ...given, lastSeenAt: now, idleMilliseconds: minute, expiresAt: now + hour });
    await sessions.endOfUser(accountId, userId);
    assert.equal(await sessions.find(accountId, later.digest), null);
  });

  test('a session is renewed in place, but not once it has ended', async () => {
    const { sessions } = subject.store;
    const { accountId, userId } = await newCast(subject.store);
    const { id: otherId } = await newAccount(subject.store);
    const times = { authenticatedAt: now, lastSeenAt: now, idleMilliseconds: minute, expiresAt: now + hour };
    const session = await sessions.create({
      ...{ accountId, digest: unique(), sid: unique(), userId, amr: ['pwd'] },
      ...times,
    });
    const renewed = { ...session, digest: unique(), amr: ['pwd', 'otp'], lastSeenAt: now + 1 };
    assert.equal(await sessions.renew({ ...renewed, accountId: otherId }), false);
    assert.deepEqual(await sessions.find(accountId, session.digest), session);
    assert.equal(await sessions.renew(renewed), true);
    assert.equal(await sessions.find(accountId, session.digest), null);
    assert.deepEqual(await sessions.find(accountId, renewed.digest), renewed);
    await sessions.end(accountId, userId, session.sid);
    assert.equal(await sessions.renew(session), false);
    assert.deepEqual(await sessions.listOfUser(accountId, userId, 10), []);
  });

  test('a session is used for apps until that is forgotten, it expires, or the app is removed', async () => {
    const { sessions, clients } = subject.store;
    const { accountId, appId } = await newCast(subject.store);
    const { accountId: otherId, appId: otherAppId } = await newCast(subject.store);
    const session = { accountId, sid: unique(), expiresAt: now + hour };
    assert.equal(await sessions.isUsedFor(accountId, session.sid, appId), false);
    await Promise.all([sessions.noteUse(session, appId), sessions.noteUse(session, appId)]);
    assert.equal(await sessions.isUsedFor(accountId, session.sid, appId), true);
    assert.equal(await sessions.isUsedFor(accountId, unique(), appId), false);
    assert.equal(await sessions.isUsedFor(otherId, session.sid, otherAppId), false);
    await purgeAll(subject.store, now + hour - 1);
    assert.equal(await sessions.isUsedFor(accountId, session.sid, appId), true);
    await purgeAll(subject.store, now + hour);
    assert.equal(await sessions.isUsedFor(accountId, session.sid, appId), false);
    await sessions.noteUse(session, appId);
    await sessions.forgetUses(otherId, session.sid);
    assert.equal(await sessions.isUsedFor(accountId, session.sid, appId), true);
    await sessions.forgetUses(accountId, session.sid);
    assert.equal(await sessions.isUsedFor(accountId, session.sid, appId), false);
    await sessions.noteUse(session, appId);
    await clients.remove(accountId, appId, now);
    assert.equal(await sessions.isUsedFor(accountId, session.sid, appId), false);
  });

  test('the sessions of a user: most recently used first, and all but one ended', async () => {
    const { sessions } = subject.store;
    const { accountId, userId } = await newCast(subject.store);
    const stranger = await newCast(subject.store);
    const begin = (at: number, of = { accountId, userId }) =>
      sessions.create({
        ...{ accountId: of.accountId, userId: of.userId, digest: unique(), sid: unique(), amr: ['pwd'] },
        ...{ authenticatedAt: now, lastSeenAt: at, idleMilliseconds: minute, expiresAt: now + hour },
        ...{ source: '192.0.2.17', userAgent: 'Browser/1' },
      });
    const [old, young] = [await begin(now), await begin(now + 2)];
    const other = await begin(now, stranger);
    assert.deepEqual(await sessions.listOfUser(accountId, userId, 10), [young, old]);
    assert.deepEqual(await sessions.listOfUser(accountId, userId, 1), [young]);
    await sessions.endOfUser(accountId, userId, old.sid);
    assert.deepEqual(await sessions.listOfUser(accountId, userId, 10), [old]);
    assert.deepEqual(await sessions.listOfUser(stranger.accountId, stranger.userId, 10), [other]);
  });

  test('a sign-in to no app', async () => {
    const { authorizations } = subject.store;
    const request = { ...(await newRequest()), digest: unique(), appId: null };
    await authorizations.createRequest(request);
    assert.deepEqual(await authorizations.findRequest(request.accountId, request.digest), request);
  });

  test('consents are listed and withdrawn', async () => {
    const { authorizations } = subject.store;
    const { accountId, userId, appId } = await newCast(subject.store);
    await authorizations.saveConsent(accountId, userId, appId, ['openid'], now);
    assert.deepEqual(await authorizations.listConsents(accountId, userId), [
      { appId, scope: ['openid'], allowedAt: now },
    ]);
    assert.deepEqual(await authorizations.listConsents(accountId, userId + 1), []);
    assert.equal(await authorizations.removeConsent(accountId, userId + 1, appId), false);
    assert.equal(await authorizations.removeConsent(accountId, userId, appId), true);
    assert.equal(await authorizations.removeConsent(accountId, userId, appId), false);
    assert.deepEqual(await authorizations.listConsents(accountId, userId), []);
  });

  async function newRequest(): Promise<AuthorizationRequestRecord> {
    const cast = await newCast(subject.store);
    const { accountId, appId } = cast;
    const request: AuthorizationRequestRecord = {
      accountId,
      digest: unique(),
      browserDigest: 'browser',
      appId,
      parameters: { ...newCode(cast).parameters, prompt: ['login'], maxAgeSeconds: 0, nonce: 'é"' },
      authenticatedAt: null,
      sid: null,
      decision: null,
      decidedBy: null,
      passwordUserId: null,
      passwordCheckedAt: null,
      hookPolicyId: null,
      hookPolicyUserId: null,
      hookTraits: null,
      methods: null,
      createdAt: now,
      expiresAt: now + 10 * minute,
    };
    await subject.store.authorizations.createRequest(request);
    return request;
  }

  test('a request is signed in and decided, and the next sign-in clears the decision', async () => {
    const { authorizations } = subject.store;
    const request = await newRequest();
    const { accountId, digest } = request;
    const { id: otherId } = await newAccount(subject.store);
    assert.deepEqual(await authorizations.findRequest(accountId, digest), request);
    assert.equal(await authorizations.findRequest(otherId, digest), null);
    const foreign = { ...request, accountId: otherId, appId: null };
    await authorizations.signIn(foreign, { sid: 'foreign', authenticatedAt: now }, 'foreign');
    await authorizations.decide(foreign, 'allow', 1, []);
    assert.deepEqual(await authorizations.findRequest(accountId, digest), request);
    await authorizations.signIn(request, { sid: 'first', authenticatedAt: now + 1 }, 'signed in');
    await authorizations.decide(request, 'allow', 7, ['write 1']);
    const signedIn = { ...request, sid: 'first', authenticatedAt: now + 1, browserDigest: 'signed in' };
    const parameters = { ...request.parameters, apiScopes: ['write 1'] };
    const decided = { ...signedIn, decision: 'allow', decidedBy: 7, parameters };
    assert.deepEqual(await authorizations.findRequest(accountId, digest), decided);
    await authorizations.signIn(request, null, 'worth more');
    const raised = { ...signedIn, browserDigest: 'worth more', parameters };
    assert.deepEqual(await authorizations.findRequest(accountId, digest), raised);
    const second = { sid: 'second', authenticatedAt: now + 2 };
    await authorizations.signIn(request, second, 'again');
    assert.deepEqual(await authorizations.findRequest(accountId, digest), {
      ...raised,
      ...second,
      browserDigest: 'again',
    });
  });

  test('one of 100 callers finishes a request', async () => {
    const { authorizations } = subject.store;
    const request = await newRequest();
    const { accountId, digest } = request;
    const { id: otherId } = await newAccount(subject.store);
    const finished = await Promise.all(Array.from({ length: 100 }, () => authorizations.finishRequest(request)));
    assert.equal(finished.filter(Boolean).length, 1);
    assert.equal(await authorizations.findRequest(accountId, digest), null);
    assert.equal(await authorizations.hasEnded(accountId, digest), true);
    assert.equal(await authorizations.hasEnded(otherId, digest), false);
  });

  test('an unstored request is stored with what becomes known of it, and ends once', async () => {
    const { authorizations } = subject.store;
    const request = { ...(await newRequest()), digest: unique() };
    const { accountId, digest } = request;
    const find = () => authorizations.findRequest(accountId, digest);
    assert.equal(await find(), null);
    const fired = { hookPolicyId: 3, hookPolicyUserId: 7, hookTraits: null };
    await authorizations.keepFiring(request, fired);
    assert.deepEqual(await find(), { ...request, ...fired });
    const first = { userId: 7, checkedAt: now, methods: ['pwd'] };
    await authorizations.keepFirstFactor(request, first, 'halfway');
    const halfway = { passwordUserId: 7, passwordCheckedAt: now, methods: ['pwd'], browserDigest: 'halfway' };
    assert.deepEqual(await find(), { ...request, ...fired, ...halfway });
    assert.equal(await authorizations.finishRequest(request), true);
    assert.equal(await find(), null);
    // A form that was on its way meanwhile brings nothing back.
    await authorizations.decide(request, 'allow', 7, []);
    assert.equal(await find(), null);
    assert.equal(await authorizations.finishRequest(request), false);
    const never = { ...request, digest: unique() };
    assert.equal(await authorizations.finishRequest(never), true);
    assert.equal(await authorizations.finishRequest(never), false);
  });

  test('one of 100 callers uses a code, before it expires', async () => {
    const { authorizations } = subject.store;
    const cast = await newCast(subject.store);
    const { accountId } = cast;
    const code = newCode(cast);
    await authorizations.createCode(code);
    assert.deepEqual(await authorizations.findCode(accountId, code.digest), code);
    assert.equal(await authorizations.consumeCode(accountId, code.digest, code.expiresAt), false);
    const { id: otherId } = await newAccount(subject.store);
    assert.equal(await authorizations.consumeCode(otherId, code.digest, now), false);
    assert.equal(await authorizations.findCode(otherId, code.digest), null);
    const used = await Promise.all(
      Array.from({ length: 100 }, () => authorizations.consumeCode(accountId, code.digest, now + 1)),
    );
    assert.equal(used.filter(Boolean).length, 1);
    const grant = await newGrant(subject.store, cast);
    await authorizations.linkCode(accountId, code.digest, grant.id);
    assert.deepEqual(await authorizations.findCode(accountId, code.digest), {
      ...code,
      usedAt: now + 1,
      grantId: grant.id,
    });
  });

  test('a code can be linked only to a grant of its account', async () => {
    const { authorizations } = subject.store;
    const [cast, other] = [await newCast(subject.store), await newCast(subject.store)];
    const code = newCode(cast);
    await authorizations.createCode(code);
    const foreign = await newGrant(subject.store, other);
    assert.equal(await failureOf(authorizations.linkCode(cast.accountId, code.digest, foreign.id)), 'not_found');
    assert.equal(
      await failureOf(authorizations.createCode({ ...code, digest: unique(), userId: other.userId })),
      'not_found',
    );
  });

  test('a consent contains what was allowed last', async () => {
    const { authorizations } = subject.store;
    const { accountId, userId, appId } = await newCast(subject.store);
    assert.equal(await authorizations.findConsent(accountId, userId, appId), null);
    await authorizations.saveConsent(accountId, userId, appId, ['openid'], now);
    await authorizations.saveConsent(accountId, userId, appId, ['openid', 'email'], now + 1);
    assert.deepEqual(await authorizations.findConsent(accountId, userId, appId), ['openid', 'email']);
    assert.equal(await authorizations.findConsent((await newAccount(subject.store)).id, userId, appId), null);
  });
});
