/** Roles and apps. */

import { type Caller, manage, managed, pages } from './caller.ts';
import { onePolicy } from './requests-account.ts';
import { newUser, someApp, someRole, someUser } from './requests-users.ts';

async function newRole(caller: Caller, more: object = {}): Promise<number> {
  return (await caller.manage('POST', '/roles', { name: `Made ${caller.next()}`, ...more })).id;
}

async function newApp(caller: Caller): Promise<number> {
  return (await caller.manage('POST', '/apps', { name: `Made ${caller.next()}` })).id;
}

const configuration = { redirect_uri: 'https://app.example.com/callback' };

/** A few of each. */
const handful = (caller: Caller, some: (caller: Caller) => number) => Array.from({ length: 5 }, () => some(caller));

/** The members of roles of every size. */
const membersOf = (link: 'users' | 'admins') => ({
  '': manage((caller: Caller) => [`/roles/${someRole(caller)}/${link}`]),
  ...pages(({ grown }) => `/roles/${grown.largeRole}/${link}`, { query: 'include_unassigned=true' }),
});

const added = (link: 'users' | 'admins') => ({
  '': manage((caller: Caller) => [`/roles/${someRole(caller)}/${link}`, [someUser(caller)]]),
  'to the large role': async (caller: Caller) =>
    managed(caller, `/roles/${caller.grown.largeRole}/${link}`, [(await newUser(caller)).id]),
});

const removed = (link: 'users' | 'admins') => ({
  '': async (caller: Caller) => {
    const role = someRole(caller);
    const user = await newUser(caller);
    await caller.manage('POST', `/roles/${role}/${link}`, [user.id]);
    return managed(caller, `/roles/${role}/${link}`, [user.id]);
  },
  'from the large role': async (caller: Caller) => {
    const user = await newUser(caller);
    const path = `/roles/${caller.grown.largeRole}/${link}`;
    await caller.manage('POST', path, [user.id]);
    return managed(caller, path, [user.id]);
  },
});

const listsWhole = 'its answer lists all that the role is linked to';

export const accessRequests = {
  listRoles: {
    'a page': manage(() => ['/roles?limit=2']),
    ...pages(() => '/roles', { query: 'sort=name', limit: 2 }),
    app_id: { prepare: manage((caller) => [`/roles?app_id=${someApp(caller)}&limit=2`]), grows: listsWhole },
  },
  createRole: manage((caller) => [
    '/roles',
    { name: `Made ${caller.next()}`, apps: handful(caller, someApp), users: handful(caller, someUser) },
  ]),
  readRole: {
    '': async (caller: Caller) => managed(caller, `/roles/${await newRole(caller, { users: [someUser(caller)] })}`),
    'the large one': {
      prepare: manage(({ grown }: Caller) => [`/roles/${grown.largeRole}`]),
      grows: listsWhole,
    },
  },
  updateRole: {
    '': async (caller: Caller) =>
      managed(caller, `/roles/${await newRole(caller, { users: [someUser(caller)] })}`, { name: `R ${caller.next()}` }),
    'an app taken': async (caller: Caller) => {
      const id = await newRole(caller, { apps: [someApp(caller)], users: [someUser(caller)] });
      return managed(caller, `/roles/${id}`, { apps: [] });
    },
  },
  deleteRole: async (caller: Caller) => {
    const id = await newRole(caller, { apps: handful(caller, someApp), users: handful(caller, someUser) });
    return managed(caller, `/roles/${id}`);
  },
  listRoleUsers: {
    ...membersOf('users'),
    ...pages(({ grown }) => `/roles/${grown.largeRole}/users`),
  },
  addRoleUsers: added('users'),
  removeRoleUsers: removed('users'),
  listRoleAdmins: membersOf('admins'),
  addRoleAdmins: added('admins'),
  removeRoleAdmins: removed('admins'),
  listRoleApps: {
    '': manage((caller) => [`/roles/${someRole(caller)}/apps`]),
    ...pages(({ grown }) => `/roles/${grown.wideRole}/apps`, { query: 'sort=name' }),
  },
  setRoleApps: {
    '': async (caller: Caller) => {
      const id = await newRole(caller, { apps: handful(caller, someApp), users: handful(caller, someUser) });
      return managed(caller, `/roles/${id}/apps`, handful(caller, someApp));
    },
    'an app taken from the large role': async (caller: Caller) => {
      const path = `/roles/${caller.grown.largeRole}/apps`;
      const apps = await caller.once('apps of the large role', async () => {
        const items: readonly { readonly id: number }[] = await caller.manage('GET', path);
        return items.map(({ id }) => id);
      });
      await caller.manage('PUT', path, [...apps, await newApp(caller)]);
      return managed(caller, path, apps);
    },
  },
  readRolePolicy: manage((caller) => [`/roles/${someRole(caller)}/policy`]),
  setRolePolicy: {
    '': async (caller: Caller) =>
      managed(caller, `/roles/${await newRole(caller)}/policy`, { policy_id: await onePolicy(caller) }),
    'of the large role': async (caller: Caller) => {
      const path = `/roles/${caller.grown.largeRole}/policy`;
      await caller.manage('PUT', path, { policy_id: await onePolicy(caller) });
      return managed(caller, path, { policy_id: null });
    },
  },
  listApps: {
    ...pages(() => '/apps'),
    ...pages(() => '/apps', { query: 'sort=name' }),
    name: manage(() => ['/apps?name=App%207']),
  },
  createApp: manage((caller) => [
    '/apps',
    { name: `Made ${caller.next()}`, role_ids: [someRole(caller)], configuration },
  ]),
  readApp: {
    '': manage((caller) => [`/apps/${someApp(caller)}`]),
    'the large one': manage(({ grown }) => [`/apps/${grown.largeApp}`]),
  },
  updateApp: {
    '': manage((caller) => [`/apps/${someApp(caller)}`, { description: `Changed ${caller.next()}` }]),
    'a role taken': async (caller: Caller) => {
      const id = await newApp(caller);
      await caller.manage('PUT', `/apps/${id}`, { role_ids: [someRole(caller)] });
      return managed(caller, `/apps/${id}`, { role_ids: [] });
    },
    'the large role taken': async (caller: Caller) => {
      const id = await newApp(caller);
      await caller.manage('PUT', `/apps/${id}`, { role_ids: [caller.grown.largeRole] });
      return managed(caller, `/apps/${id}`, { role_ids: [] });
    },
  },
  deleteApp: async (caller: Caller) => managed(caller, `/apps/${await newApp(caller)}`),
  listAppUsers: {
    '': manage((caller) => [`/apps/${someApp(caller)}/users`]),
    ...pages(({ grown }) => `/apps/${grown.largeApp}/users`),
    ...pages(({ grown }) => `/apps/${grown.largeApp}/users`, { query: 'sort=lastname' }),
  },
  addAppUsers: {
    '': manage((caller) => [`/apps/${someApp(caller)}/users`, [someUser(caller)]]),
    'to the large app': async (caller: Caller) =>
      managed(caller, `/apps/${caller.grown.largeApp}/users`, [(await newUser(caller)).id]),
  },
  removeAppUsers: {
    '': async (caller: Caller) => {
      const path = `/apps/${someApp(caller)}/users`;
      const user = await newUser(caller);
      await caller.manage('POST', path, [user.id]);
      return managed(caller, path, [user.id]);
    },
    'from the large app': async (caller: Caller) => {
      const path = `/apps/${caller.grown.largeApp}/users`;
      const user = await newUser(caller);
      await caller.manage('POST', path, [user.id]);
      return managed(caller, path, [user.id]);
    },
  },
  rotateAppSecret: async (caller: Caller) =>
    managed(caller, `/apps/${await caller.once('app', () => newApp(caller))}/secret`, { overlap_minutes: 0 }),
};
