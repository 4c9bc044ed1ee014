/** What a presented refresh token is worth: the rule that the store applies while the grant's row is locked. */

import type { Consumption, ConsumptionRefusal, GrantStanding, Judge, Verdict } from '../../store/consumption.ts';
import type { GrantRecord } from '../../store/grants.ts';
import { refusalByStatus } from '../users/user-status.ts';

/** Maximum difference between the clocks of two servers. */
const mostSkewMilliseconds = 30_000;

/** Which of the family's tokens was presented: compares its digest with the current and the previous one. */
function place(grant: GrantRecord, { presentedDigest, now, graceMilliseconds }: Consumption): Verdict {
  if (presentedDigest === grant.currentDigest) return 'rotate';
  const age = grant.rotatedAt === null ? Number.POSITIVE_INFINITY : now - grant.rotatedAt;
  // If the clock was set back, the grace must not become longer by as much.
  const inGrace = age < graceMilliseconds && age > -graceMilliseconds - mostSkewMilliseconds;
  return presentedDigest === grant.previousDigest && inGrace ? 'repeat' : 'reuse';
}

/** Why the user may not continue; null if nothing prevents it. */
function userRefusal({ user, assigned }: GrantStanding): ConsumptionRefusal | null {
  return refusalByStatus(user.status) ?? (assigned ? null : 'access_not_assigned');
}

/** What the token is worth, regardless of a proof. */
function judgeToken(standing: GrantStanding | null, consumption: Consumption): Verdict {
  if (!standing || standing.grant.currentDigest === null) return 'unknown';
  const { grant } = standing;
  // RFC 6749 §6: the token must have been issued to this client. Another client cannot revoke the family by presenting
  // it.
  if (grant.appId !== consumption.appId) return 'other_client';
  if (grant.revokedAt !== null) return 'revoked';
  if (grant.idleExpiresAt <= consumption.now || grant.absoluteExpiresAt <= consumption.now) return 'expired';
  const verdict = place(grant, consumption);
  if (verdict === 'reuse') return verdict;
  // RFC 6749 §6: no scope beyond those originally granted.
  if (consumption.scope?.some((scope) => !grant.scope.includes(scope))) return 'scope_exceeded';
  return userRefusal(standing) ?? verdict;
}

/**
 * The proof is used up only if the consumption changes something. Replaying a whole request does not revoke the family
 * either.
 */
export const judgeRefresh: Judge = (standing, consumption, takeProof) => {
  const verdict = judgeToken(standing, consumption);
  const isTaken = verdict === 'rotate' || verdict === 'repeat' || verdict === 'reuse';
  return isTaken && !takeProof(consumption) ? 'proof_used' : verdict;
};
