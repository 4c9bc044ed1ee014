import type { components, operations } from '../../../generated/api-2.ts';
import type { Caller } from '../../domain/callers/caller.ts';
import { Failure } from '../../domain/failure.ts';
import type { ListQuery } from '../../domain/listing.ts';
import type { Authority } from '../../domain/means/authority.ts';
import { listFullUsers, readFullUser } from '../../domain/users/full-user.ts';
import type { UserInput } from '../../domain/users/user-input.ts';
import { removeUser } from '../../domain/users/users.ts';
import { createUser, unlockUser, updateUser } from '../../domain/users/write-user.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { representUser } from './represent-user.ts';
import { readUserFilters } from './user-filters.ts';

type UserOperations = Pick<
  operations,
  'listUsers' | 'createUser' | 'readUser' | 'updateUser' | 'deleteUser' | 'unlockUser'
>;

type Body = components['schemas']['UserInput'];
type Query = NonNullable<operations['createUser']['parameters']['query']>;

function authorityOf(caller: Caller | null): Authority {
  return caller?.scopes.includes('manage_all') ? 'all' : 'users';
}

/** Member by member. Throws `scope_insufficient` for members that `manage_users` may not write. */
function readInput(body: Body, query: Query, caller: Caller | null): UserInput {
  const validatePolicy = query.validate_policy !== false;
  const reserved = body.password || body.role_ids !== undefined || !validatePolicy;
  const authority = authorityOf(caller);
  if (reserved && authority !== 'all') {
    throw new Failure('scope_insufficient', { scopes: ['manage_all'] });
  }
  return {
    email: body.email,
    username: body.username,
    firstname: body.firstname,
    lastname: body.lastname,
    title: body.title,
    department: body.department,
    company: body.company,
    phone: body.phone,
    comment: body.comment,
    externalId: body.external_id,
    preferredLocaleCode: body.preferred_locale_code,
    groupId: body.group_id,
    managerUserId: body.manager_user_id,
    policyId: body.policy_id,
    status: body.status,
    state: body.state,
    roleIds: body.role_ids,
    customAttributes: body.custom_attributes,
    password: body.password,
    passwordConfirmation: body.password_confirmation,
    passwordAlgorithm: body.password_algorithm,
    salt: body.salt,
    validatePolicy,
    authority,
  };
}

export function users(services: Services): Handlers<UserOperations> {
  const { store } = services;
  return {
    /** GET /api/2/users */
    listUsers: async ({ list, origin: { account } }, respond) => {
      const read = (asked: ListQuery) => {
        const { query, attributes } = readUserFilters(asked, list.filters);
        const parts = { roleIds: list.shows('role_ids'), customAttributes: list.shows('custom_attributes') };
        return listFullUsers(services, account, query, attributes, parts);
      };
      return respond(200, ...(await list.answer(read, representUser)));
    },

    /** POST /api/2/users */
    createUser: async ({ body, query, caller, origin: { account } }, respond) => {
      const input = readInput(body, query, caller);
      return respond(201, representUser(await createUser(services, account, input)));
    },

    /** GET /api/2/users/{id} */
    readUser: async ({ path, origin: { account } }, respond) =>
      respond(200, representUser(await readFullUser(store, account, Number(path.id)))),

    /** PUT /api/2/users/{id} */
    updateUser: async ({ path, body, query, caller, origin: { account } }, respond) => {
      const input = readInput(body, query, caller);
      return respond(200, representUser(await updateUser(services, account, Number(path.id), input)));
    },

    /** DELETE /api/2/users/{id} */
    deleteUser: async ({ path, caller, origin: { account } }, respond) => {
      await removeUser(services, account, Number(path.id), authorityOf(caller));
      return respond(204);
    },

    /** POST /api/2/users/{id}/unlock */
    unlockUser: async ({ path, caller, origin: { account } }, respond) => {
      await unlockUser(services, account, Number(path.id), authorityOf(caller));
      return respond(200, { message: 'User unlocked' });
    },
  };
}
