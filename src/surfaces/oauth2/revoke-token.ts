import type { operations } from '../../../generated/oauth2.ts';
import { revokeConsoleToken } from '../../domain/callers/console-tokens.ts';
import { authenticateClient } from '../../domain/clients/authenticate-client.ts';
import { findConsole, isConsole } from '../../domain/clients/console-client.ts';
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
    const { account } = origin;
    const presented = presentedClient(origin, headers, body);
    const client = findConsole(account, presented) ?? (await authenticateClient(services, account, presented));
    if (!body.token) throw new Failure('parameter_missing', { name: 'token', message: 'token is missing' });
    if (isConsole(client)) await revokeConsoleToken(services, account, body.token);
    else await revoke(services, account, client, body.token);
    return respond(200);
  };
}
