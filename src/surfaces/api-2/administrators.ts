import type { components, operations } from '../../../generated/api-2.ts';
import {
  type Administrator,
  readAdministrator,
  removeAdministrator,
  setAdministrator,
} from '../../domain/administrators/administrators.ts';
import { Failure } from '../../domain/failure.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { time } from './represent-user.ts';

type AdministratorOperations = Pick<
  operations,
  'listAdministrators' | 'readAdministrator' | 'setAdministrator' | 'deleteAdministrator' | 'readCaller'
>;
type Shown = components['schemas']['Administrator'];

function represent({ userId, scopes, createdAt }: Administrator): Shown {
  // Only known scopes are stored.
  return { user_id: userId, scopes: scopes as Shown['scopes'], created_at: time(createdAt) };
}

export function administrators(services: Services): Handlers<AdministratorOperations> {
  const { store } = services;
  return {
    /** GET /api/2/administrators */
    listAdministrators: async ({ list, origin: { account } }, respond) =>
      respond(200, ...(await list.answer((query) => store.administrators.page(account.id, query), represent))),

    /** GET /api/2/administrators/{user_id} */
    readAdministrator: async ({ path, origin: { account } }, respond) =>
      respond(200, represent(await readAdministrator(store, account, Number(path.user_id)))),

    /** PUT /api/2/administrators/{user_id} */
    setAdministrator: async ({ path, body, origin: { account } }, respond) =>
      respond(200, represent(await setAdministrator(services, account, Number(path.user_id), body.scopes))),

    /** DELETE /api/2/administrators/{user_id} */
    deleteAdministrator: async ({ path, origin: { account } }, respond) => {
      await removeAdministrator(services, account, Number(path.user_id));
      return respond(204);
    },

    /** GET /api/2/caller */
    readCaller: async ({ caller }, respond) => {
      if (!caller) throw new Failure('caller_unauthenticated');
      const { actor, scopes } = caller;
      return respond(200, {
        type: actor.type,
        id: actor.id,
        scopes: scopes as components['schemas']['Caller']['scopes'],
      });
    },
  };
}
