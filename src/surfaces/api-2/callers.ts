import type { components, operations } from '../../../generated/api-2.ts';
import { createApiKey, revokeApiKey } from '../../domain/callers/api-keys.ts';
import { createCredential, revokeCredentialById } from '../../domain/callers/credentials.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { time } from './represent-user.ts';

type CallerOperations = Pick<
  operations,
  'listCredentials' | 'createCredential' | 'deleteCredential' | 'listApiKeys' | 'createApiKey' | 'deleteApiKey'
>;

type Scope = components['schemas']['CreatedCredential']['scopes'][number];

/** Credentials and API keys: secrets are only shown in the response to their creation. */
export function callers(services: Services): Handlers<CallerOperations> {
  const { store } = services;
  return {
    /** GET /api/2/credentials */
    listCredentials: async ({ list, origin: { account } }, respond) =>
      respond(
        200,
        ...(await list.answer(
          (query) => store.callers.pageCredentials(account.id, query),
          (credential) => ({
            id: credential.id,
            client_id: credential.clientId,
            // Only known scopes are stored.
            scopes: credential.scopes as readonly Scope[],
            created_at: time(credential.createdAt),
          }),
        )),
      ),

    /** POST /api/2/credentials */
    createCredential: async ({ body, origin: { account } }, respond) => {
      const created = await createCredential(services, account, body.scopes);
      return respond(201, {
        id: created.id,
        client_id: created.clientId,
        scopes: created.scopes as readonly Scope[],
        created_at: time(created.createdAt),
        client_secret: created.clientSecret,
      });
    },

    /** DELETE /api/2/credentials/{id} */
    deleteCredential: async ({ path, origin: { account } }, respond) => {
      await revokeCredentialById(services, account, Number(path.id));
      return respond(204);
    },

    /** GET /api/2/api_keys */
    listApiKeys: async ({ list, origin: { account } }, respond) =>
      respond(
        200,
        ...(await list.answer(
          (query) => store.callers.pageApiKeys(account.id, query),
          ({ id, name, createdAt }) => ({
            id,
            name,
            created_at: time(createdAt),
          }),
        )),
      ),

    /** POST /api/2/api_keys */
    createApiKey: async ({ body, origin: { account } }, respond) => {
      const { id, name, createdAt, apiKey } = await createApiKey(services, account, body.name);
      return respond(201, { id, name, created_at: time(createdAt), api_key: apiKey });
    },

    /** DELETE /api/2/api_keys/{id} */
    deleteApiKey: async ({ path, origin: { account } }, respond) => {
      await revokeApiKey(services, account, Number(path.id));
      return respond(204);
    },
  };
}
