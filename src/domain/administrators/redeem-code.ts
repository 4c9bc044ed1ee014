import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { consoleEndOf } from '../clients/console-client.ts';
import { requireGrantType } from '../clients/grant-types.ts';
import { Failure } from '../failure.ts';
import { askedOfRegistration } from '../login/still-registered.ts';
import { admit } from '../opening/admit.ts';
import { openConsoleToken } from '../opening/open.ts';
import { digestOf, newSecret, secretPrefixes } from '../secrets.ts';
import { type CodeRedemption, requireSameTerms } from '../tokens/redeem-code.ts';
import { accessTokenSeconds, type TokenSet } from '../tokens/token-set.ts';

/**
 * Redeems a code of the console for a token of the management API, which is bound to the key of the proof. The token has
 * no scopes of its own: at each call the administrator's own count. A code that is used again ends its token. Throws
 * `client_not_authorized`, `grant_invalid`, and the refusals of the user's standing.
 */
export async function redeemConsoleCode(
  services: Pick<Services, 'store' | 'clock' | 'random'>,
  account: Account,
  client: ClientRecord,
  redemption: Omit<CodeRedemption, 'resource'>,
): Promise<TokenSet> {
  requireGrantType(client, 'authorization_code');
  const { proof } = redemption.sender;
  if (!proof) throw refused('no proof of a key');
  const digest = digestOf(redemption.code);
  const code = await services.store.administrators.findGrant(account.id, digest);
  if (!code) throw refused('unknown code');
  requireSameTerms(code, redemption);
  const now = services.clock.now();
  const expiresAt = Math.min(now + accessTokenSeconds * 1000, consoleEndOf(code));
  if (expiresAt <= now) throw refused('the sign-in is too old');
  const approval = {
    sid: code.sid,
    approvedAt: code.createdAt,
    asked: askedOfRegistration(code.parameters),
    apiScopes: [],
  };
  const evidence = { by: 'code', user: { id: code.userId }, approval } as const;
  const way = { client, hookPolicyId: null, wantsSecondFactor: false };
  const accessToken = newSecret(services.random, secretPrefixes.consoleToken);
  const opening = { tokenDigest: digestOf(accessToken), expiresAt, proof };
  const scope = await services.store.transaction(async (tx) => {
    const admitted = await admit(services, tx, account, evidence, way);
    if (admitted.at === 'refused') throw admitted.failure;
    if (admitted.at !== 'end') throw refused('what it rests on has ended');
    // What a replay ends must be committed, so nothing is thrown here.
    if (!(await openConsoleToken(tx, account, admitted, digest, opening, now))) {
      await tx.administrators.removeGrant(account.id, digest);
      return null;
    }
    return (await tx.administrators.find(account.id, code.userId))?.scopes ?? [];
  });
  if (!scope) throw refused('code expired or used before');
  const expiresInSeconds = Math.floor((expiresAt - now) / 1000);
  return { accessToken, tokenType: 'DPoP', expiresInSeconds, scope, idToken: null, refreshToken: null };
}

function refused(reason: string): Failure {
  return new Failure('grant_invalid', { reason });
}
