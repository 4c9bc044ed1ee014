/** Users and their attributes. */

import type { Answer } from '../../support/conforms.ts';
import { type Caller, manage, managed, type Prepare, pages } from './caller.ts';

/** A new user without roles and apps. */
export async function newUser(
  caller: Caller,
  more: object = {},
): Promise<{ readonly id: number; readonly email: string }> {
  const email = `made${caller.next()}@example.com`;
  return caller.manage('POST', '/users', { email, firstname: 'Grace', lastname: 'Hopper', status: 1, ...more });
}

/** One user after the other of those that were there from the beginning. */
export const someUser = ({ grown, next }: Caller): number => grown.userIds[next() % grown.userIds.length] as number;

export const someRole = ({ grown, next }: Caller): number => grown.roleIds[next() % grown.roleIds.length] as number;

export const someApp = ({ grown, next }: Caller): number => grown.appIds[next() % grown.appIds.length] as number;

async function newAttribute(caller: Caller): Promise<number> {
  const number = caller.next();
  const field = { name: `Attribute ${number}`, shortname: `attribute${number}` };
  return (await caller.manage('POST', '/users/custom_attributes', { user_field: field })).id;
}

/** An account may have 200 attributes: each of these is taken away again. */
const withAttribute =
  (write: (id: number) => readonly [path: string, json?: unknown]): Prepare =>
  async (caller) => {
    const id = await caller.once('attribute', () => newAttribute(caller));
    return managed(caller, ...write(id));
  };

const since = () => new Date(Date.now() - 60_000).toISOString();

export const userRequests = {
  listUsers: {
    ...pages(() => '/users'),
    ...pages(() => '/users', { query: 'sort=-last_login' }),
    ...pages(() => '/users', { query: 'sort=lastname' }),
    ...pages(() => '/users', { query: 'department=department%207', limit: 1 }),
    updated_since: manage(() => [`/users?updated_since=${since()}&limit=50`]),
    app_id: manage((caller) => [`/users?app_id=${someApp(caller)}&limit=50`]),
    role_ids: manage((caller) => [`/users?role_ids=${someRole(caller)}&limit=50`]),
    'one e-mail address': manage(() => ['/users?email=user7@example.com']),
    'one badge': manage(() => ['/users?custom_attributes.badge=badge%207']),
  },
  createUser: {
    alone: manage(({ next }) => ['/users', { email: `created${next()}@example.com`, firstname: 'Grace' }]),
    'with a role': manage((caller) => [
      '/users',
      { email: `created${caller.next()}@example.com`, role_ids: [someRole(caller)] },
    ]),
  },
  importUsers: manage(({ next }) => [
    '/users/import',
    { format: 'csv', content: `email,firstname\nimported${next()}@example.com,Grace\n` },
  ]),
  exportUsers: { '': { prepare: manage(() => ['/users/export']), grows: 'its answer lists every user' } },
  readUser: {
    '': manage((caller) => [`/users/${someUser(caller)}`]),
    'with every app': manage(({ grown }) => [`/users/${grown.wideUser}`]),
  },
  updateUser: {
    '': manage((caller) => [`/users/${someUser(caller)}`, { title: `Title ${caller.next()}` }]),
    'another value': manage((caller) => [
      `/users/${someUser(caller)}`,
      { custom_attributes: { badge: `badge ${caller.next()}` } },
    ]),
    suspended: async (caller: Caller) => managed(caller, `/users/${(await newUser(caller)).id}`, { status: 2 }),
    'a role taken': async (caller: Caller) => {
      const { id } = await newUser(caller, { role_ids: [someRole(caller)] });
      return managed(caller, `/users/${id}`, { role_ids: [] });
    },
  },
  deleteUser: async (caller: Caller) => managed(caller, `/users/${(await newUser(caller)).id}`),
  unlockUser: manage((caller) => [`/users/${someUser(caller)}/unlock`, {}]),
  inviteUser: manage((caller) => [`/users/${someUser(caller)}/invite`, {}]),
  listUserApps: {
    '': manage((caller) => [`/users/${someUser(caller)}/apps`]),
    ...pages(({ grown }) => `/users/${grown.wideUser}/apps`, { query: 'sort=name' }),
  },
  listCustomAttributes: manage(() => ['/users/custom_attributes']),
  createCustomAttribute: {
    prepare: manage(({ next }) => {
      const shortname = `attribute${next()}`;
      return ['/users/custom_attributes', { user_field: { name: shortname, shortname } }];
    }),
    undo: (caller: Caller, { body }: Answer) => caller.manage('DELETE', `/users/custom_attributes/${body.id}`),
  },
  readCustomAttribute: withAttribute((id) => [`/users/custom_attributes/${id}`]),
  updateCustomAttribute: withAttribute((id) => [`/users/custom_attributes/${id}`, { name: 'Changed' }]),
  deleteCustomAttribute: async (caller: Caller) =>
    managed(caller, `/users/custom_attributes/${await newAttribute(caller)}`),
};
