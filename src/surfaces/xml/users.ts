import type { components, operations } from '../../../generated/xml.ts';
import { legacyAppUrl } from '../../domain/accounts/hosts.ts';
import { type FullUser, readFullUser } from '../../domain/users/full-user.ts';
import type { UserInput } from '../../domain/users/user-input.ts';
import { removeUser } from '../../domain/users/users.ts';
import { listUsersFrom, readUserAudited } from '../../domain/users/users-in-order.ts';
import { createUser, updateUser } from '../../domain/users/write-user.ts';
import type { Handlers, InParts } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { representUser } from './represent.ts';

type Changes = components['schemas']['UserUpdate'];
type ShownUser = components['schemas']['User'];

/** Default page length if a page is requested. */
const defaultLimit = 50;

/** Element by element, without those that cannot be changed. */
function readInput(body: Changes): UserInput {
  return {
    email: body.email,
    firstname: body.firstname,
    groupId: body['group-id'],
    lastname: body.lastname,
    comment: body.notes,
    username: body['openid-name'],
    phone: body.phone,
    validatePolicy: true,
    // An API key may set passwords: for new users here, for all by an invite link.
    authority: 'all',
  };
}

async function* representAll(parts: AsyncGenerator<readonly FullUser[], void, undefined>): InParts<ShownUser>['parts'] {
  for await (const part of parts) yield part.map(representUser);
}

export function users(services: Services): Handlers<operations> {
  return {
    /** GET /users.xml */
    listUsers: async ({ query, origin: { account } }, respond) => {
      const { from_id: fromId, limit } = query ?? {};
      const paged = fromId !== undefined || limit !== undefined;
      const found = listUsersFrom(services, account, {
        fromId: Number(fromId ?? 0),
        limit: paged ? Number(limit ?? defaultLimit) : undefined,
      });
      return respond(200, { ...found, parts: representAll(found.parts) });
    },

    /** POST /users.xml */
    createUser: async ({ body, origin: { account } }, respond) => {
      const roleId = body['role-id'];
      const input = { ...readInput(body), password: body.password, ...(roleId && { roleIds: [roleId] }) };
      const user = await createUser(services, account, input);
      return respond(201, representUser(user), {
        location: `${legacyAppUrl(services.addresses)}/users/${user.id}.xml`,
      });
    },

    /** GET /users/{id}.xml */
    readUser: async ({ path, origin: { account } }, respond) =>
      respond(200, representUser(await readUserAudited(services, account, Number(path.id)))),

    /** PUT /users/{id}.xml */
    updateUser: async ({ path, body, origin: { account } }, respond) => {
      const input = { ...readInput(body), roleId: body['role-id'] };
      return respond(200, representUser(await updateUser(services, account, Number(path.id), input)));
    },

    /** DELETE /users/{id}.xml: answers the user who is gone. */
    deleteUser: async ({ path, origin: { account } }, respond) => {
      const user = await readFullUser(services.store, account, Number(path.id));
      await removeUser(services, account, user.id);
      return respond(200, representUser(user));
    },
  };
}
