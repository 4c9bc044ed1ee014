import contract from '../../../generated/oidc-2.json' with { type: 'json' };
import type { operations } from '../../../generated/oidc-2.ts';
import { addressesOf } from '../../domain/accounts/addresses.ts';
import { authenticateClient } from '../../domain/clients/authenticate-client.ts';
import { nextNonce } from '../../domain/dpop/check-proof.ts';
import { Failure } from '../../domain/failure.ts';
import { type RefreshServices, refreshTokens } from '../../domain/tokens/refresh.ts';
import { senderOf } from '../../domain/tokens/sender.ts';
import { pathOf } from '../../http/contract.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

type Operation = operations['refreshToken'];

const path = pathOf(contract, 'refreshToken');

/** POST /oidc/2/token (the document's §4.2): a new token set for a refresh token, and nothing else. */
export function refreshToken(
  services: RefreshServices & Pick<Services, 'clientKeys' | 'clientDocuments'>,
): Handler<Operation> {
  return async ({ body, headers, origin }, respond) => {
    if (body.grant_type !== 'refresh_token') {
      throw new Failure('grant_type_unsupported', { value: body.grant_type ?? '' });
    }
    const client = await authenticateClient(services, origin.account, {
      authorization: headers['authorization'],
      clientId: body.client_id,
      clientSecret: body.client_secret,
      certificate: origin.certificate,
      source: origin.source,
    });
    if (!body.refresh_token) {
      throw new Failure('parameter_missing', { name: 'refresh_token', message: 'refresh_token is missing' });
    }
    // Parameters that the document does not name are ignored: scopes and audience are those of the grant.
    const asked = { scope: null, resource: null };
    const { account, certificate } = origin;
    const shown = { proof: headers['dpop'], certificate, urls: addressesOf(account, path) };
    const sender = await senderOf(services, account, client, shown);
    const tokens = await refreshTokens(services, account, client, body.refresh_token, asked, sender);
    const answer = {
      access_token: tokens.accessToken,
      expires_in: tokens.expiresInSeconds,
      ...(tokens.idToken !== null && { id_token: tokens.idToken }),
      refresh_token: tokens.refreshToken ?? '',
      token_type: tokens.tokenType,
    };
    return respond(200, answer, sender.proof === null ? {} : nextNonce(services, account));
  };
}
