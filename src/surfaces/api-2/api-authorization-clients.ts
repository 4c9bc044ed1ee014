import type { components, operations } from '../../../generated/api-2.ts';
import {
  changeLink,
  type LinkedClient,
  linkClient,
  pageLinkedClients,
  unlinkClient,
} from '../../domain/authorization-servers/links.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { representScope } from './api-authorization-parts.ts';

type LinkOperations = Pick<
  operations,
  | 'listApiAuthorizationClients'
  | 'createApiAuthorizationClient'
  | 'updateApiAuthorizationClient'
  | 'deleteApiAuthorizationClient'
>;

/** Clients that are linked to API authorization servers (the document's §4.7, last line). */
export function apiAuthorizationClients(services: Services): Handlers<LinkOperations> {
  return {
    /** GET /api/2/api_authorizations/{id}/clients */
    listApiAuthorizationClients: async ({ path, list, origin: { account } }, respond) => {
      const serverId = Number(path.id);
      const represent = ({ appId, name, scopes }: LinkedClient): components['schemas']['LinkedClient'] => ({
        app_id: appId,
        api_auth_id: serverId,
        name,
        scopes: scopes.map(representScope),
      });
      return respond(
        200,
        ...(await list.answer((query) => pageLinkedClients(services, account, serverId, query), represent)),
      );
    },

    /** POST /api/2/api_authorizations/{id}/clients */
    createApiAuthorizationClient: async ({ path, body, origin: { account } }, respond) => {
      const { appId, serverId } = await linkClient(services, account, Number(path.id), body.app_id, body.scopes);
      return respond(201, { app_id: appId, api_auth_id: serverId });
    },

    /** PUT /api/2/api_authorizations/{id}/clients/{app_id} */
    updateApiAuthorizationClient: async ({ path, body, origin: { account } }, respond) => {
      const [serverId, appId] = [Number(path.id), Number(path.app_id)];
      await changeLink(services, account, serverId, appId, body.scopes);
      return respond(200, { app_id: appId, api_auth_id: serverId });
    },

    /** DELETE /api/2/api_authorizations/{id}/clients/{app_id} */
    deleteApiAuthorizationClient: async ({ path, origin: { account } }, respond) => {
      await unlinkClient(services, account, Number(path.id), Number(path.app_id));
      return respond(204);
    },
  };
}
