import contract from '../../../generated/oauth2.json' with { type: 'json' };
import type { operations } from '../../../generated/oauth2.ts';
import { addressesOf } from '../../domain/accounts/addresses.ts';
import { authenticateClient } from '../../domain/clients/authenticate-client.ts';
import { asDescription } from '../../domain/describe.ts';
import { nextNonce } from '../../domain/dpop/check-proof.ts';
import { pushRequest as push } from '../../domain/login/pushed-request.ts';
import { pathOf } from '../../http/contract.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { presentedClient } from './presented-client.ts';

const path = pathOf(contract, 'pushAuthorizationRequest');

/** POST /oauth2/par (RFC 9126 §2). */
export function pushAuthorizationRequest(
  services: Pick<
    Services,
    'store' | 'clock' | 'random' | 'signer' | 'limits' | 'clientKeys' | 'vault' | 'clientDocuments'
  >,
): Handler<operations['pushAuthorizationRequest']> {
  return async ({ body, headers, origin }, respond) => {
    const { account, source } = origin;
    const proof = headers['dpop'];
    const presented = presentedClient(origin, headers, body, 'pushAuthorizationRequest');
    const client = await authenticateClient(services, account, { ...presented, begins: true });
    const pushed = await push(services, account, client, body, { source, proof, urls: addressesOf(account, path) });
    if (pushed.outcome === 'pushed') {
      const reference = { request_uri: pushed.requestUri, expires_in: pushed.expiresInSeconds };
      return respond(201, reference, proof === undefined ? {} : nextNonce(services, account));
    }
    const { error, description } = pushed.error;
    return respond(400, { error, error_description: asDescription(description) });
  };
}
