import type { operations } from '../../../generated/api-2.ts';
import { requireAppId } from '../../domain/clients/managed-apps.ts';
import type { ListFilter, ListQuery } from '../../domain/listing.ts';
import { grantAccessToUsers, revokeAccessOfUsers } from '../../domain/users/access.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

type AppUserOperations = Pick<operations, 'listAppUsers' | 'addAppUsers' | 'removeAppUsers'>;

export function appUsers(services: Services): Handlers<AppUserOperations> {
  const { store } = services;
  return {
    /** GET /api/2/apps/{id}/users */
    listAppUsers: async ({ path, list, origin: { account } }, respond) => {
      const { appId } = await requireAppId(store, account, Number(path.id));
      const ofApp: ListFilter = { field: 'app', test: 'in', values: [appId] };
      const read = (query: ListQuery) => store.users.page(account.id, { ...query, filters: [...query.filters, ofApp] });
      return respond(
        200,
        ...(await list.answer(read, ({ id, firstname, lastname, username, email }) => ({
          id,
          firstname,
          lastname,
          username,
          email,
        }))),
      );
    },

    /** POST /api/2/apps/{id}/users */
    addAppUsers: async ({ path, body, origin: { account } }, respond) => {
      await grantAccessToUsers(services, account, Number(path.id), body);
      return respond(
        200,
        body.map((id) => ({ id })),
      );
    },

    /** DELETE /api/2/apps/{id}/users */
    removeAppUsers: async ({ path, body, origin: { account } }, respond) => {
      await revokeAccessOfUsers(services, account, Number(path.id), body);
      return respond(204);
    },
  };
}
