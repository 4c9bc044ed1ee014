import type { components, operations } from '../../../generated/api-2.ts';
import {
  changeServer,
  createServer,
  pageServers,
  removeServer,
  requireServer,
  type ServerValues,
} from '../../domain/authorization-servers/servers.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

type ServerOperations = Pick<
  operations,
  | 'listApiAuthorizations'
  | 'createApiAuthorization'
  | 'readApiAuthorization'
  | 'updateApiAuthorization'
  | 'deleteApiAuthorization'
>;

type Server = components['schemas']['ApiAuthorization'];
type Given = components['schemas']['ApiAuthorizationCreate'] | components['schemas']['ApiAuthorizationUpdate'];
type ServerRecord = Awaited<ReturnType<typeof requireServer>>;

function represent({ id, name, description, ...server }: ServerRecord): Server {
  return {
    id,
    name,
    description,
    configuration: {
      resource_identifier: server.resourceIdentifier,
      audiences: [...server.audiences],
      access_token_expiration_minutes: server.accessTokenMinutes,
      refresh_token_expiration_minutes: server.refreshTokenMinutes,
      client_access: server.clientAccess,
      resource_metadata: server.resourceMetadata,
    },
  };
}

function valuesOf({ name, description, configuration = {} }: Given): ServerValues {
  return {
    name,
    description,
    resourceIdentifier: configuration.resource_identifier,
    audiences: configuration.audiences,
    accessTokenMinutes: configuration.access_token_expiration_minutes,
    refreshTokenMinutes: configuration.refresh_token_expiration_minutes,
    clientAccess: configuration.client_access,
    resourceMetadata: configuration.resource_metadata,
  };
}

/** API authorization servers. */
export function apiAuthorizations(services: Services): Handlers<ServerOperations> {
  return {
    /** GET /api/2/api_authorizations */
    listApiAuthorizations: async ({ list, origin: { account } }, respond) =>
      respond(200, ...(await list.answer((query) => pageServers(services, account, query), represent))),

    /** POST /api/2/api_authorizations */
    createApiAuthorization: async ({ body, origin: { account } }, respond) =>
      respond(200, represent(await createServer(services, account, valuesOf(body)))),

    /** GET /api/2/api_authorizations/{id} */
    readApiAuthorization: async ({ path, origin: { account } }, respond) =>
      respond(200, represent(await requireServer(services.store, account, Number(path.id)))),

    /** PUT /api/2/api_authorizations/{id} */
    updateApiAuthorization: async ({ path, body, origin: { account } }, respond) =>
      respond(200, represent(await changeServer(services, account, Number(path.id), valuesOf(body)))),

    /** DELETE /api/2/api_authorizations/{id} */
    deleteApiAuthorization: async ({ path, origin: { account } }, respond) => {
      await removeServer(services, account, Number(path.id));
      return respond(204);
    },
  };
}
