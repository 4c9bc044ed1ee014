import type { operations } from '../../../generated/api-2.ts';
import {
  createApp,
  type FullApp,
  listFullApps,
  readFullApp,
  removeApp,
  rotateSecret,
  updateApp,
} from '../../domain/clients/managed-apps.ts';
import type { ListFilter, ListQuery } from '../../domain/listing.ts';
import type { Handlers, List } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { readApp, representApp } from './represent-app.ts';
import { time } from './represent-user.ts';

type AppOperations = Pick<
  operations,
  'listApps' | 'createApp' | 'readApp' | 'updateApp' | 'deleteApp' | 'rotateAppSecret'
>;

const overlapMinutes = 60;

/** The query for `ClientStore.pageApps`. */
function readFilters({ query, filters: sent }: Pick<List, 'query' | 'filters'>): ListQuery {
  const filters: ListFilter[] = [...query.filters];
  const { client_id: clientId, auth_method: authMethod } = sent;
  if (clientId !== undefined) filters.push({ field: 'client_id', test: 'is', values: [clientId] });
  // All apps use OpenID Connect.
  if (authMethod !== undefined && Number(authMethod) !== 8) filters.push({ field: 'id', test: 'is', values: [0] });
  return { ...query, filters };
}

export function apps(services: Services): Handlers<AppOperations> {
  const { store } = services;
  return {
    /** GET /api/2/apps */
    listApps: async ({ list, origin: { account } }, respond) => {
      const read = (query: ListQuery) => listFullApps(services, account, readFilters({ ...list, query }));
      return respond(200, ...(await list.answer(read, (app: FullApp) => representApp(app, account))));
    },

    /** POST /api/2/apps */
    createApp: async ({ body, origin: { account } }, respond) => {
      const { app, clientSecret } = await createApp(services, account, readApp(body));
      return respond(200, representApp(app, account, clientSecret));
    },

    /** GET /api/2/apps/{id} */
    readApp: async ({ path, origin: { account } }, respond) =>
      respond(200, representApp(await readFullApp(store, account, Number(path.id)), account)),

    /** PUT /api/2/apps/{id} */
    updateApp: async ({ path, body, origin: { account } }, respond) =>
      respond(200, representApp(await updateApp(services, account, Number(path.id), readApp(body)), account)),

    /** DELETE /api/2/apps/{id} */
    deleteApp: async ({ path, origin: { account } }, respond) => {
      await removeApp(services, account, Number(path.id));
      return respond(204);
    },

    /** POST /api/2/apps/{id}/secret */
    rotateAppSecret: async ({ path, body, origin: { account } }, respond) => {
      const minutes = body?.overlap_minutes ?? overlapMinutes;
      const rotated = await rotateSecret(services, account, Number(path.id), minutes);
      return respond(200, {
        client_id: rotated.clientId,
        client_secret: rotated.clientSecret,
        previous_secret_expires_at: rotated.previousExpiresAt === null ? null : time(rotated.previousExpiresAt),
      });
    },
  };
}
