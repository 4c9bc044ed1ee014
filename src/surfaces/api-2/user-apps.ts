import type { operations } from '../../../generated/api-2.ts';
import type { ListQuery } from '../../domain/listing.ts';
import { readFullUser } from '../../domain/users/full-user.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { representLinkedApp } from './represent-app.ts';

function visibleOnly(query: ListQuery): ListQuery {
  return { ...query, filters: [...query.filters, { field: 'visible', test: 'is', values: [1] }] };
}

/** GET /api/2/users/{id}/apps: those assigned to the user or to a role of the user. */
export function listUserApps(services: Pick<Services, 'store'>): Handler<operations['listUserApps']> {
  const { store } = services;
  return async ({ path, list, origin: { account } }, respond) => {
    const user = await readFullUser(store, account, Number(path.id));
    const isEach = list.filters['ignore_visibility'] === 'true';
    const read = (query: ListQuery) =>
      store.clients.pageOfUser(account.id, user.id, isEach ? query : visibleOnly(query));
    return respond(
      200,
      ...(await list.answer(read, (client) => ({
        ...representLinkedApp(client),
        extension: false as const,
        login_id: client.appId,
        provisioning_status: null,
        provisioning_state: null,
        provisioning_enabled: false as const,
      }))),
    );
  };
}
