import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { Account } from '../accounts/account.ts';
import { openImplicitGrant } from '../opening/open.ts';
import { chooseServerOfGrant, serversOf } from '../tokens/audience.ts';
import { makeIdToken } from '../tokens/token-set.ts';
import type { OpenRequest } from './authorization-request.ts';
import type { FinishServices, Giving } from './finish.ts';

/**
 * Issues tokens directly instead of a code (OpenID Connect Core §3.2.2.5): never a refresh token (RFC 6749 §4.2.2), and
 * an access token only if the type includes `token`; otherwise the claims go into the id token. There is still a grant
 * behind them: through it the client is notified when the session ends, and ending it ends the access token.
 */
export async function giveTokens(
  services: FinishServices,
  account: Account,
  { record, client }: OpenRequest,
  responseType: NonNullable<AuthorizationParameters['responseType']>,
): Promise<Giving> {
  const { scope, nonce, claims, serverId } = record.parameters;
  const terms = { serverId, scope, nonce, claims };
  const asked = { resource: null, scope };
  const linked = chooseServerOfGrant(await serversOf(services, client, { serverId }), serverId, asked);
  const withAccessToken = responseType === 'id_token token';
  return async (tx, admitted) => {
    const { user } = admitted;
    const opened = await openImplicitGrant(services, tx, account, admitted, terms, linked, withAccessToken);
    const { grant, first } = opened;
    return async () => {
      services.counts.add(account.id, 'implicit', client.appId);
      const accessToken = first && (await first.text(user));
      const asked = claims?.idToken;
      const idToken = await makeIdToken(services, account, client, grant, user, accessToken, nonce, asked);
      return {
        ...(first &&
          accessToken && {
            access_token: accessToken,
            token_type: first.tokenType,
            expires_in: String(first.expiresInSeconds),
            scope: first.scope.join(' '),
          }),
        ...(idToken && { id_token: idToken }),
      };
    };
  };
}
