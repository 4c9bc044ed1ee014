import type { operations } from '../../../generated/auth-2.ts';
import { authenticatePair } from '../../domain/callers/authenticate-pair.ts';
import { issueCredentialToken as issue } from '../../domain/callers/credential-tokens.ts';
import { Failure } from '../../domain/failure.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

/** POST /auth/oauth2/v2/token: a token for a pair; earlier ones stay valid. */
export function issueCredentialToken(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'limits' | 'counts'>,
): Handler<operations['issueCredentialToken']> {
  return async ({ body, headers, origin: { account, source } }, respond) => {
    if (body.grant_type !== 'client_credentials') throw new Failure('grant_type_unsupported');
    const credential = await authenticatePair(services, account, {
      authorization: headers['authorization'],
      clientId: body.client_id,
      clientSecret: body.client_secret,
      source,
    });
    const token = await issue(services, account, credential);
    return respond(200, {
      access_token: token.accessToken,
      token_type: 'bearer',
      expires_in: token.expiresInSeconds,
      created_at: new Date(token.createdAt).toISOString(),
      account_id: account.id,
    });
  };
}
