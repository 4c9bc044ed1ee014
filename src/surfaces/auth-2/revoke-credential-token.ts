import type { operations } from '../../../generated/auth-2.ts';
import { authenticatePair } from '../../domain/callers/authenticate-pair.ts';
import { revokeCredentialToken as revoke } from '../../domain/callers/credential-tokens.ts';
import { Failure } from '../../domain/failure.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

/**
 * POST /auth/oauth2/revoke: ends a token of the pair; a token that is not the pair's is left alone, with the same
 * answer.
 */
export function revokeCredentialToken(
  services: Pick<Services, 'store' | 'clock' | 'limits' | 'vault'>,
): Handler<operations['revokeCredentialToken']> {
  return async ({ body, headers, origin: { account, source } }, respond) => {
    const credential = await authenticatePair(services, account, {
      authorization: headers['authorization'],
      clientId: body.client_id,
      clientSecret: body.client_secret,
      source,
    });
    if (!body.access_token) {
      throw new Failure('parameter_missing', { name: 'access_token', message: 'access_token is missing' });
    }
    await revoke(services, account, credential, body.access_token);
    const success = { error: false, code: 200, type: 'success', message: 'Success' } as const;
    // Older SDKs read the nested status, generated ones the members beside it.
    return respond(200, { status: success, ...success });
  };
}
