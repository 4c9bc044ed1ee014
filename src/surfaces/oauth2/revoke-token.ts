import type { operations } from '../../../generated/oauth2.ts';
import { authenticateClient } from '../../domain/clients/authenticate-client.ts';
import { Failure } from '../../domain/failure.ts';
import { revokeToken as revoke } from '../../domain/tokens/revoke.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { presentedClient } from './presented-client.ts';

/** POST /oauth2/revoke (RFC 7009 §2). */
export function revokeToken(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'signer' | 'limits' | 'clientKeys' | 'clientDocuments'>,
): Handler<operations['revokeToken']> {
  return async ({ body, headers, origin }, respond) => {
    const client = await authenticateClient(services, origin.account, presentedClient(origin, headers, body));
    if (!body.token) throw new Failure('parameter_missing', { name: 'token', message: 'token is missing' });
    await revoke(services, origin.account, client, body.token);
    return respond(200);
  };
}
