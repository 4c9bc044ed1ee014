import type { components, operations } from '../../../generated/api-2.ts';
import { type ListFilter, type ListQuery, matching } from '../../domain/listing.ts';
import { type FullRole, listFullRoles, readFullRole, requireRoleId } from '../../domain/roles/full-role.ts';
import { createRole, removeRole, setRolePolicy, updateRole } from '../../domain/roles/write-role.ts';
import type { Handlers, List } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { readIds } from './ids.ts';
import { representLinkedApp } from './represent-app.ts';

type RoleOperations = Pick<
  operations,
  | 'listRoles'
  | 'createRole'
  | 'readRole'
  | 'updateRole'
  | 'deleteRole'
  | 'listRoleApps'
  | 'setRoleApps'
  | 'readRolePolicy'
  | 'setRolePolicy'
>;

function represent({ id, name, apps, users, admins }: FullRole): components['schemas']['Role'] {
  return { id, name, apps, users, admins };
}

/** The query for `RoleStore.page`. Throws `request_invalid`. */
function readFilters({ query, filters: sent }: Pick<List, 'query' | 'filters'>): ListQuery {
  const filters: ListFilter[] = [...query.filters];
  const { role_name: roleName, app_id: appId, app_name: appName } = sent;
  if (roleName !== undefined) filters.push(matching('name', roleName));
  if (appId !== undefined) filters.push({ field: 'app', test: 'in', values: readIds('app_id', appId) });
  if (appName !== undefined) filters.push(matching('app_name', appName));
  return { ...query, filters };
}

export function roles(services: Services): Handlers<RoleOperations> {
  const { store } = services;
  return {
    /** GET /api/2/roles */
    listRoles: async ({ list, origin: { account } }, respond) => {
      const read = (query: ListQuery) => listFullRoles(services, account, readFilters({ ...list, query }), list.shows);
      return respond(200, ...(await list.answer(read, represent)));
    },

    /** POST /api/2/roles */
    createRole: async ({ body, origin: { account } }, respond) => {
      const { name, apps, users, admins } = body;
      const { id } = await createRole(services, account, { name, apps, users, admins });
      return respond(201, { id });
    },

    /** GET /api/2/roles/{id} */
    readRole: async ({ path, origin: { account } }, respond) =>
      respond(200, represent(await readFullRole(services, account, Number(path.id)))),

    /** PUT /api/2/roles/{id} */
    updateRole: async ({ path, body, origin: { account } }, respond) => {
      const { name, apps, users, admins } = body;
      await updateRole(services, account, Number(path.id), { name, apps, users, admins });
      return respond(200, { id: Number(path.id) });
    },

    /** DELETE /api/2/roles/{id} */
    deleteRole: async ({ path, origin: { account } }, respond) => {
      await removeRole(services, account, Number(path.id));
      return respond(204);
    },

    /** GET /api/2/roles/{id}/apps */
    listRoleApps: async ({ path, list, origin: { account } }, respond) => {
      const { id } = await requireRoleId(store, account, Number(path.id));
      return respond(
        200,
        ...(await list.answer((query) => store.clients.pageOfRole(account.id, id, query), representLinkedApp)),
      );
    },

    /** PUT /api/2/roles/{id}/apps */
    setRoleApps: async ({ path, body, origin: { account } }, respond) => {
      await updateRole(services, account, Number(path.id), { apps: body });
      return respond(
        200,
        body.map((id) => ({ id })),
      );
    },

    /** GET /api/2/roles/{id}/policy */
    readRolePolicy: async ({ path, origin: { account } }, respond) => {
      const { policyId } = await requireRoleId(store, account, Number(path.id));
      return respond(200, { policy_id: policyId });
    },

    /** PUT /api/2/roles/{id}/policy */
    setRolePolicy: async ({ path, body, origin: { account } }, respond) => {
      await setRolePolicy(services, account, Number(path.id), body.policy_id);
      return respond(200, { policy_id: body.policy_id });
    },
  };
}
