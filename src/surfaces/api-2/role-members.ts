import type { components, operations } from '../../../generated/api-2.ts';
import { addRoleMembers, removeRoleMembers } from '../../domain/roles/managed-roles.ts';
import { listRoleMembers, type MemberFilter, type RoleMember } from '../../domain/roles/role-members.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { time } from './represent-user.ts';

type MemberOperations = Pick<
  operations,
  'listRoleUsers' | 'addRoleUsers' | 'removeRoleUsers' | 'listRoleAdmins' | 'addRoleAdmins' | 'removeRoleAdmins'
>;

function represent({ user, addedAt }: RoleMember): components['schemas']['RoleMember'] {
  return {
    id: user.id,
    name: [user.firstname, user.lastname].filter((part) => part !== null).join(' '),
    username: user.username,
    email: user.email,
    assigned: addedAt !== null,
    added_at: addedAt === null ? null : time(addedAt),
    added_by: null,
  };
}

function readFilter(sent: Readonly<Record<string, string>>): MemberFilter {
  const { name, assigned, include_unassigned: includeUnassigned } = sent;
  return {
    name,
    includeUnassigned: includeUnassigned === 'true',
    assigned: assigned === undefined ? undefined : assigned === 'true',
  };
}

/** Users and administrators of a role: the same, but that administrators get nothing by it. */
export function roleMembers(services: Services): Handlers<MemberOperations> {
  return {
    /** GET /api/2/roles/{id}/users */
    listRoleUsers: async ({ path, list, origin: { account } }, respond) => {
      const filter = readFilter(list.filters);
      const page = await listRoleMembers(services, account, Number(path.id), 'users', list.query, filter);
      return respond(200, ...list.answer(page, represent));
    },

    /** POST /api/2/roles/{id}/users */
    addRoleUsers: async ({ path, body, origin: { account } }, respond) => {
      await addRoleMembers(services, account, Number(path.id), 'users', body);
      return respond(
        200,
        body.map((id) => ({ id })),
      );
    },

    /** DELETE /api/2/roles/{id}/users */
    removeRoleUsers: async ({ path, body, origin: { account } }, respond) => {
      await removeRoleMembers(services, account, Number(path.id), 'users', body);
      return respond(204);
    },

    /** GET /api/2/roles/{id}/admins */
    listRoleAdmins: async ({ path, list, origin: { account } }, respond) => {
      const filter = readFilter(list.filters);
      const page = await listRoleMembers(services, account, Number(path.id), 'admins', list.query, filter);
      return respond(200, ...list.answer(page, represent));
    },

    /** POST /api/2/roles/{id}/admins */
    addRoleAdmins: async ({ path, body, origin: { account } }, respond) => {
      await addRoleMembers(services, account, Number(path.id), 'admins', body);
      return respond(
        200,
        body.map((id) => ({ id })),
      );
    },

    /** DELETE /api/2/roles/{id}/admins */
    removeRoleAdmins: async ({ path, body, origin: { account } }, respond) => {
      await removeRoleMembers(services, account, Number(path.id), 'admins', body);
      return respond(204);
    },
  };
}
