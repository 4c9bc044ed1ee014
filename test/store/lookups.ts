/** Every verb of the store that finds, changes or removes something by a key. */

import type { StoreVerbs } from '../../src/store/store.ts';
import { now } from './samples.ts';

/** Runs each verb with keys that may not exist. */
export function lookups({
  accounts,
  authorizationServers: servers,
  keys,
  callers,
  users,
  roles,
  access,
  clients,
  sessions,
  ...rest
}: StoreVerbs) {
  const { packageBuilds, signInHistories, keptAnswers } = rest;
  const { deviceCodes, authorizations, grants, invites, events, counts, attributes, policies, secondFactors } = rest;
  const { hooks, hookVariables, hookExecutions, passwordResets, resetRequests, notices, changeNotices } = rest;
  const denied = {
    decision: 'deny',
    amr: null,
    authenticatedAt: null,
    sid: null,
    decidedAt: now,
    apiScopes: null,
  } as const;
  const newest = { sort: { field: 'created_at', descending: true }, filters: [], limit: 10, at: { page: 1 } } as const;
  const byId = { ...newest, sort: { field: 'id', descending: true } } as const;
  const byApp = { ...newest, sort: { field: 'app_id', descending: false } } as const;
  const ofApp = { ...byId, filters: [{ field: 'app_id', test: 'is', values: [1] }] } as const;
  const times = { authenticatedAt: now, lastSeenAt: now, idleMilliseconds: 1, expiresAt: now };
  const named = { accountId: 1, id: 1, digest: 'x', sid: 'x', userId: 1, amr: [], source: null, userAgent: null };
  const attempt = { accountId: 1, userId: 1, now, maximum: 10, lockedUntil: now };
  const claim = { accountId: 1, digest: 'x', claim: 'x' };
  return [
    ...[
      () => accounts.find(1),
      () => accounts.findBySubdomain('x'),
      () => accounts.findByHost('x'),
      () => accounts.touch(1),
    ],
    ...[() => deviceCodes.find(1, 'x'), () => deviceCodes.findByUserCode(1, 'x'), () => deviceCodes.poll(1, 'x', now)],
    ...[() => deviceCodes.consume(1, 'x', now), () => deviceCodes.decide(1, 'x', { ...denied, userId: 1 }, now)],
    ...[() => keys.list(1), () => keys.retire(1, 'x', now), () => keys.removeRetired(1, now)],
    ...[() => callers.findCredential(1, 'x'), () => callers.listCredentials(1), () => callers.findToken(1, 1)],
    ...[() => callers.revokeCredentialById(1, 1, now)],
    ...[() => callers.revokeCredential(1, 'x', now), () => callers.revokeToken(1, 1, now)],
    ...[() => callers.findApiKey('x'), () => callers.listApiKeys(1), () => callers.revokeApiKey(1, 1, now)],
    ...[
      () => users.find(1, 1),
      () => users.lock(1, 1),
      () => users.findByName(1, 'x'),
      () => users.findByEmail(1, 'x'),
      () =>
        users.idsByNames(1, [
          { emailKey: 'x', usernameKey: null },
          { emailKey: null, usernameKey: 'x' },
        ]),
      () => users.list(1),
    ],
    ...[() => users.countAttempt(attempt), () => users.countDecoyAttempt(1), () => users.clearAttempts(1, 1)],
    ...[() => users.update(1, 1, { status: 1 }), () => users.remove(1, 1, now)],
    ...[() => users.findDetailed(1, 1), () => users.replaceDigest(1, 1, 'x', 'y'), () => roles.idsOfUsers(1, [1])],
    ...[() => attributes.find(1, 1), () => attributes.list(1), () => attributes.update(1, 1, { position: 1 })],
    ...[
      () => attributes.valuesOf(1, [1]),
      () => attributes.remove(1, 1, now),
      () => attributes.setValues(1, [{ userId: 1, attributeId: 1, value: null }]),
    ],
    ...[() => roles.find(1, 1), () => roles.findByName(1, 'x'), () => roles.ofUser(1, 1)],
    ...[() => policies.find(1, 1), () => policies.list(1), () => policies.update(1, 1, { name: 'x' })],
    ...[
      () => policies.remove(1, 1),
      () => policies.followedBy(1, 1),
      () => policies.listFollowed(1, 1),
      () => policies.assign(1, { userId: 1 }, null),
    ],
    ...[() => roles.rename(1, 1, 'x'), () => roles.remove(1, 1, now), () => roles.linkedAt(1, 'admins', 1, [1])],
    ...(['apps', 'users', 'admins'] as const).flatMap((link) => [
      ...[() => roles.linked(1, link, [1]), () => roles.unlink(1, link, 1, [1]), () => roles.findUnknown(1, link, [1])],
    ]),
    () => access.isAssigned(1, 1, 1),
    ...[() => access.revoke(1, 1, { userId: 1 }), () => access.revoke(1, 1, { roleId: 1 })],
    ...[() => clients.find(1, 'x'), () => clients.findByApp(1, 1), () => clients.findByApps(1, [1, 2])],
    ...[() => clients.replaceSecret(1, 1, 'x'), () => grants.findLive(1, 1, 1, now)],
    ...[() => clients.findApp(1, 1), () => clients.update(1, 1, { visible: true }), () => access.rolesOf(1, [1])],
    ...[
      () => clients.remove(1, 1, now),
      () => sessions.find(1, 'x'),
      () => sessions.isUsedFor(1, 'x', 1),
      () => sessions.forgetUses(1, 'x'),
      () => sessions.touch(1, 1, now),
    ],
    ...[
      () => sessions.end(1, 1, 'x'),
      () => sessions.renew({ ...named, ...times }),
      () => sessions.endOfUser(1, 1),
      () => sessions.endOfUser(1, 1, 'x'),
    ],
    ...[() => sessions.findOfUser(1, 1, 1), () => sessions.pageOfUser(1, 1, now, byId)],
    ...[() => sessions.listUses(1, 1, ['x', 'y']), () => authorizations.pageConsents(1, 1, byApp)],
    ...[() => grants.pageLive(1, 1, now, byId), () => grants.pageLive(1, 1, now, ofApp)],
    ...[() => sessions.listOfUser(1, 1, 10), () => authorizations.listConsents(1, 1)],
    ...[() => authorizations.removeConsent(1, 1, 1), () => grants.listLive(1, 1, now)],
    ...[() => grants.findForApis(1, 1), () => grants.hasOfSession(1, 1, 'x', now)],
    ...[() => grants.revokeOfUserApp(1, 1, 1, now, 'x'), () => grants.revokeOfUserElsewhere(1, 1, 'x', now, 'y')],
    ...[() => authorizations.findRequest(1, 'x'), () => authorizations.hasEnded(1, 'x')],
    ...[() => authorizations.findCode(1, 'x'), () => authorizations.consumeCode(1, 'x', now)],
    ...[() => authorizations.linkCode(1, 'x', 1), () => authorizations.findConsent(1, 1, 1)],
    ...[() => invites.find(1, 'x'), () => invites.use(1, 'x', now)],
    ...[() => passwordResets.find(1, 'x'), () => passwordResets.use(1, 'x', now), () => resetRequests.countOpen(1)],
    ...[() => resetRequests.claim(now, now, 1), () => resetRequests.postpone(1, 1, now)],
    ...[() => resetRequests.remove(1, 1), () => changeNotices.claim(now, now, 1)],
    ...[
      () => notices.addForSessions(1, { userId: 1, sid: 'x' }, () => 'x', now),
      () => notices.addForSessions(1, { userId: 1, except: 'x' }, () => 'x', now),
    ],
    ...[() => changeNotices.postpone(1, 1, now), () => changeNotices.remove(1, 1, now), () => users.lock(1, 1)],
    ...[() => changeNotices.findHeld(1, 'a@b', now), () => changeNotices.setPace(1, 'x', now)],
    ...[() => grants.find(1, 1), () => grants.setFirstToken(1, 1, 'x'), () => grants.revoke(1, 1, now, 'x')],
    ...[() => grants.revokeOfUser(1, 1, now, 'x'), () => grants.revokeUnassigned(1, { userIds: [1, 2] }, now)],
    ...[() => grants.revokeUnassigned(1, { appId: 1 }, now), () => grants.findAccessToken(1, 1)],
    ...[() => grants.findClaims(1, 1), () => grants.findClaimsOf(1, [1]), () => authorizations.findPushed(1, 1, 'x')],
    ...[() => grants.revokeAccessToken(1, 1, now), () => servers.find(1, 1), () => servers.remove(1, 1, now)],
    ...[() => servers.update(1, 1, { name: 'x' }), () => servers.listScopes(1, 1), () => servers.listClaims(1, 1)],
    ...[() => servers.updateScope(1, 1, 1, { value: 'x' }), () => servers.removeScope(1, 1, 1)],
    ...[() => servers.updateClaim(1, 1, 1, { label: 'x' }), () => servers.removeClaim(1, 1, 1)],
    ...[() => servers.findLink(1, 1, 1), () => servers.updateLink(1, 1, 1, []), () => servers.unlink(1, 1, 1, now)],
    ...[() => servers.holdLink(1, 1, 1), () => servers.ofClient(1, 1)],
    ...[() => hooks.find(1, 'x'), () => hooks.findUuid(1, 1), () => hooks.count(1)],
    ...[
      () => hooks.findVersion(1, 1, 1),
      () => hooks.findByBuild(1, 1),
      () => hooks.findVersionBefore(1, 1, 2),
      () => hooks.setShadow(1, 1, null),
      () => hooks.listVersions(1, 1),
      () => hooks.countComparisons(1, 1, now),
    ],
    ...[() => hooks.remove(1, 1), () => hooks.listLive(1), () => hooks.page(1, newest)],
    ...[() => hookVariables.find(1, 'x'), () => hookVariables.list(1), () => hookVariables.remove(1, 1)],
    ...[() => hookVariables.update(1, 1, { sealedValue: 'x', updatedAt: now }), () => hookVariables.page(1, newest)],
    ...[() => hookExecutions.page(1, 1, newest), () => hookExecutions.find(1, 'x')],
    ...[() => hookExecutions.listNewest(1, 1, 10), () => hookExecutions.read(1, [1, 2])],
    ...[() => hookExecutions.listDifferences(1, 1, now, 20), () => hookExecutions.makeRoom(1, 2, 1)],
    ...[() => counts.list(1, '2026-11-21')],
    ...[() => events.listAfter(1, 1, 10), () => events.listBefore(1, null, 10), () => events.listBefore(1, 5, 10)],
    ...[() => packageBuilds.listReady(1), () => packageBuilds.list(1, [1]), () => packageBuilds.countOpen(1)],
    ...[
      () => packageBuilds.claim(now, now, []),
      () => packageBuilds.remove(1, 1),
      () => packageBuilds.useBundle('x', now),
    ],
    ...[() => packageBuilds.finish({ accountId: 1, id: 1, attempts: 1 }, { state: 'failed' }, now)],
    ...[() => packageBuilds.findBundle('x'), () => signInHistories.find(1, 1)],
    ...[() => events.findEnd(1)],
    ...[() => keptAnswers.find(1, 'x', now), () => keptAnswers.trim(1, 'x', 10)],
    ...[() => keptAnswers.markDone(claim), () => keptAnswers.keep(claim, 'x'), () => keptAnswers.release(claim)],
    ...[() => secondFactors.findEnrolment(1, 1, 'x'), () => secondFactors.listDevices(1, 1)],
    ...[() => secondFactors.countDevices(1, 1, now), () => secondFactors.acceptDevice(1, 1, 1, now)],
    ...[() => secondFactors.useStep(1, 1, 1, now), () => secondFactors.removeDevice(1, 1, 1)],
    ...[() => secondFactors.clearAttempts(1, 1), () => secondFactors.replaceRecoveryCodes(1, 1, [])],
    ...[() => secondFactors.useRecoveryCode(1, 1, 'x', now), () => secondFactors.countRecoveryCodes(1, 1)],
    ...[() => secondFactors.findVerification(1, 1, 'x'), () => secondFactors.acceptVerification(1, 'x', now)],
    ...[() => secondFactors.findClosedUntil(1, 1)],
  ];
}
