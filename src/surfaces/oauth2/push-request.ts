import type { operations } from '../../../generated/oauth2.ts';
import { authenticateClient } from '../../domain/clients/authenticate-client.ts';
import { asDescription } from '../../domain/describe.ts';
import { pushRequest as push } from '../../domain/login/pushed-request.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { presentedClient } from './presented-client.ts';

/** POST /oauth2/par (RFC 9126 §2). */
export function pushRequest(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'signer' | 'limits' | 'clientKeys'>,
): Handler<operations['pushRequest']> {
  return async ({ body, headers, origin }, respond) => {
    const { account, source } = origin;
    const client = await authenticateClient(services, account, presentedClient(origin, headers, body, 'pushRequest'));
    const pushed = await push(services, account, client, body, source);
    if (pushed.outcome === 'pushed') {
      return respond(201, { request_uri: pushed.requestUri, expires_in: pushed.expiresInSeconds });
    }
    const { error, description } = pushed.error;
    return respond(400, { error, error_description: asDescription(description) });
  };
}
