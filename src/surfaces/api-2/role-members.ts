import type { components, operations } from '../../../generated/api-2.ts';
import { listRoleMembers, type MemberFilter, type RoleMember } from '../../domain/roles/role-members.ts';
import { addRoleMembers, removeRoleMembers } from '../../domain/roles/write-role.ts';
import { fullName } from '../../domain/users/names.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { time } from './represent-user.ts';

type MemberLink = 'users' | 'admins';

type MemberOperations = Pick<
  operations,
  'listRoleUsers' | 'addRoleUsers' | 'removeRoleUsers' | 'listRoleAdmins' | 'addRoleAdmins' | 'removeRoleAdmins'
>;

function represent({ user, addedAt }: RoleMember): components['schemas']['RoleMember'] {
  return {
    id: user.id,
    name: fullName(user),
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

type ListMembers = Handler<operations['listRoleUsers' | 'listRoleAdmins']>;
type AddMembers = Handler<operations['addRoleUsers' | 'addRoleAdmins']>;
type RemoveMembers = Handler<operations['removeRoleUsers' | 'removeRoleAdmins']>;

/** GET /api/2/roles/{id}/users, /api/2/roles/{id}/admins */
function list(services: Services, link: MemberLink): ListMembers {
  return async ({ path, list, origin: { account } }, respond) => {
    const filter = readFilter(list.filters);
    return respond(
      200,
      ...(await list.answer(
        (query) => listRoleMembers(services, account, Number(path.id), link, query, filter),
        represent,
      )),
    );
  };
}

/** POST /api/2/roles/{id}/users, /api/2/roles/{id}/admins */
function add(services: Services, link: MemberLink): AddMembers {
  return async ({ path, body, origin: { account } }, respond) => {
    await addRoleMembers(services, account, Number(path.id), link, body);
    return respond(
      200,
      body.map((id) => ({ id })),
    );
  };
}

/** DELETE /api/2/roles/{id}/users, /api/2/roles/{id}/admins */
function remove(services: Services, link: MemberLink): RemoveMembers {
  return async ({ path, body, origin: { account } }, respond) => {
    await removeRoleMembers(services, account, Number(path.id), link, body);
    return respond(204);
  };
}

/** Users and administrators of a role: the same, except that administrators get nothing by it. */
export function roleMembers(services: Services): Handlers<MemberOperations> {
  return {
    listRoleUsers: list(services, 'users'),
    addRoleUsers: add(services, 'users'),
    removeRoleUsers: remove(services, 'users'),
    listRoleAdmins: list(services, 'admins'),
    addRoleAdmins: add(services, 'admins'),
    removeRoleAdmins: remove(services, 'admins'),
  };
}
