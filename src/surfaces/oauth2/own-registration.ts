import type { operations } from '../../../generated/oauth2.ts';
import { bearerToken } from '../../domain/callers/bearer.ts';
import {
  type RegistrationOwner,
  readOwnRegistration,
  removeOwnRegistration,
  replaceOwnRegistration,
} from '../../domain/clients/own-registration.ts';
import type { Handler, Request } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { representClient, rules } from './represent-client.ts';

function ownerOf({
  path,
  headers,
  origin,
}: Pick<Request<operations['readClient']>, 'path' | 'headers' | 'origin'>): RegistrationOwner {
  return { clientId: path.client_id, token: bearerToken(headers['authorization']), source: origin.source };
}

/** GET /oauth2/register/{client_id} (RFC 7592 §2.1). */
export function readClient(services: Pick<Services, 'store' | 'limits'>): Handler<operations['readClient']> {
  return async (request, respond) => {
    const { account } = request.origin;
    return respond(200, representClient(account, await readOwnRegistration(services, account, ownerOf(request))));
  };
}

/** PUT /oauth2/register/{client_id} (RFC 7592 §2.2). */
export function replaceClient(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'limits' | 'vault' | 'egress'>,
): Handler<operations['replaceClient']> {
  return async (request, respond) => {
    const { account } = request.origin;
    const replaced = await replaceOwnRegistration(services, account, ownerOf(request), request.body, rules);
    return respond(200, representClient(account, replaced));
  };
}

/** DELETE /oauth2/register/{client_id} (RFC 7592 §2.3). */
export function deleteClient(
  services: Pick<Services, 'store' | 'clock' | 'limits' | 'vault'>,
): Handler<operations['deleteClient']> {
  return async (request, respond) => {
    await removeOwnRegistration(services, request.origin.account, ownerOf(request));
    return respond(204);
  };
}
