/** What a presented refresh token is worth: the rule that both databases share. */

import type { Mutant } from '../mutant.ts';

const file = 'domain/tokens/judge-refresh.ts';

export const refresh: readonly Mutant[] = [
  {
    id: 'judge-client',
    rule: 'a refresh token is used by the client that it was issued to',
    file,
    text: "if (grant.appId !== consumption.appId) return 'other_client';",
    becomes: '',
    killedBy: 'surfaces/oidc-2/refresh-token-standing.ts',
  },
  {
    id: 'judge-revoked',
    rule: 'a grant that was revoked gives nothing',
    file,
    text: "if (grant.revokedAt !== null) return 'revoked';",
    becomes: '',
    killedBy: 'surfaces/oidc-2/refresh-token-lifetime.ts',
  },
  {
    id: 'judge-idle',
    rule: 'a grant ends when it is not used',
    file,
    text: 'grant.idleExpiresAt <= consumption.now ||',
    becomes: '',
    killedBy: 'surfaces/oauth2/refresh.ts',
  },
  {
    id: 'judge-absolute',
    rule: 'a grant ends however often it is used',
    file,
    text: '|| grant.absoluteExpiresAt <= consumption.now',
    becomes: '',
    killedBy: 'surfaces/oauth2/refresh.ts',
  },
  {
    id: 'judge-reuse',
    rule: 'a token that was used before ends the grant',
    file,
    text: '&& inGrace ?',
    becomes: '?',
    killedBy: 'surfaces/oauth2/refresh.ts',
  },
  {
    id: 'judge-older',
    rule: 'the grace is for the token before the current one alone',
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
    rule: 'who is not active refreshes nothing',
    file,
    text: 'return userRefusal(standing) ?? verdict;',
    becomes: 'return verdict;',
    killedBy: 'surfaces/oidc-2/refresh-token-standing.ts',
  },
  {
    id: 'judge-access',
    rule: 'who lost the app refreshes nothing',
    file,
    text: "(assigned ? null : 'access_not_assigned')",
    becomes: 'null',
    killedBy: 'store/consume.test.ts',
  },
  {
    id: 'judge-proof',
    rule: 'a proof that was used before refreshes nothing',
    file,
    text: 'return isTaken && !takeProof(consumption) ?',
    becomes: 'return isTaken && takeProof(consumption) && false ?',
    killedBy: 'surfaces/oauth2/bounded.ts',
  },
];
