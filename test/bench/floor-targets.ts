/** Where the floors on both databases answer the requests that no peer has in common with them. */

import type { PeerTargets } from './peer.ts';
import { basicAuthorization } from './servers.ts';

/** What callers of the floors know. */
interface Known {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Of refreshes that are not the usual ones, a set of tokens each. */
  readonly refreshTokens: readonly [es256: readonly string[], dpop: readonly string[], jwt: readonly string[]];
  /** Of the users who have consented to the client. */
  readonly sessions: readonly string[];
  /** Of the management API. */
  readonly bearer: string;
  readonly users: number;
  readonly apiKey: string;
  /** Of the users with a password. */
  readonly emails: readonly string[];
}

export function floorTargets(known: Known): PeerTargets {
  const { clientId, sessions, emails } = known;
  const [es256, dpop, jwt] = known.refreshTokens;
  const authorization = basicAuthorization(clientId, known.clientSecret);
  const bearer = `Bearer ${known.bearer}`;
  const ids = Array.from({ length: known.users }, (_, index) => String(index + 1));
  return {
    'refresh-es256': { path: '/refresh-es256', authorization, tokens: es256 },
    'refresh-dpop': { path: '/refresh-dpop', authorization, tokens: dpop },
    'refresh-jwt': { path: '/refresh-jwt', authorization, tokens: jwt },
    'client-credentials-jwt': { path: '/client-credentials-jwt', authorization },
    discovery: { path: '/discovery' },
    code: { path: '/code', clientId, tokens: sessions },
    'code-exchange': { path: '/code', exchangePath: '/exchange', authorization, clientId, tokens: sessions },
    user: { path: '/user', authorization: bearer, tokens: ids },
    'user-change': { path: '/user-change', authorization: bearer, tokens: ids },
    'user-list': { path: '/user-list', authorization: bearer },
    delegated: { path: '/delegated', authorization: known.apiKey, tokens: emails },
    'sign-in': { path: '/sign-in', clientId, tokens: emails },
  };
}
