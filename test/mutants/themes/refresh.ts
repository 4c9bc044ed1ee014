/** What a presented refresh token is worth: the rule that both databases share. */

import type { Mutant } from '../mutant.ts';

const file = 'domain/tokens/judge-refresh.ts';

export const refresh: readonly Mutant[] = [
  {
    id: 'judge-client',
    rule: 'a refresh token can be used only by the client that it was issued to',
    file,
    text: "if (grant.appId !== consumption.appId) return 'other_client';",
    becomes: '',
    killedBy: 'surfaces/oidc-2/refresh-token-standing.ts',
  },
  {
    id: 'judge-revoked',
    rule: 'a revoked grant gives nothing',
    file,
    text: "if (grant.revokedAt !== null) return 'revoked';",
    becomes: '',
    killedBy: 'surfaces/oidc-2/refresh-token-lifetime.ts',
  },
  {
    id: 'judge-idle',
    rule: 'an unused grant expires',
    file,
    text: 'grant.idleExpiresAt <= consumption.now ||',
    becomes: '',
    killedBy: 'surfaces/oauth2/refresh.ts',
  },
  {
    id: 'judge-absolute',
    rule: 'a grant expires however often it is used',
    file,
    text: '|| grant.absoluteExpiresAt <= consumption.now',
    becomes: '',
    killedBy: 'surfaces/oauth2/refresh.ts',
  },
  {
    id: 'judge-reuse',
    rule: 'reuse of a refresh token ends the grant',
    file,
    text: '&& inGrace ?',
    becomes: '?',
    killedBy: 'surfaces/oauth2/refresh.ts',
  },
  {
    id: 'judge-older',
    rule: 'the grace period applies only to the immediate predecessor',
    file,
    text: 'presentedDigest === grant.previousDigest && inGrace',
    becomes: 'inGrace',
    killedBy: 'surfaces/oauth2/refresh.ts',
  },
  {
    id: 'judge-scope',
    rule: 'no refresh widens the scope',
    file,
    text: "if (consumption.scope?.some((scope) => !grant.scope.includes(scope))) return 'scope_exceeded';",
    becomes: '',
    killedBy: 'surfaces/oauth2/refresh.ts',
  },
  {
    id: 'judge-standing',
    rule: 'a user who is not active cannot refresh',
    file,
    text: 'return userRefusal(standing) ?? verdict;',
    becomes: 'return verdict;',
    killedBy: 'surfaces/oidc-2/refresh-token-standing.ts',
  },
  {
    id: 'judge-access',
    rule: 'a user who lost the app cannot refresh',
    file,
    text: "(assigned ? null : 'access_not_assigned')",
    becomes: 'null',
    killedBy: 'store/consume.test.ts',
  },
  {
    id: 'judge-proof',
    rule: 'a used proof cannot refresh',
    file,
    text: 'return isTaken && !takeProof(consumption) ?',
    becomes: 'return isTaken && takeProof(consumption) && false ?',
    killedBy: 'surfaces/oauth2/bounded.ts',
  },
];
