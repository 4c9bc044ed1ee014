import { it } from 'node:test';
import { createRole, removeRole } from '../../../src/domain/roles/write-role.ts';
import { removeUser } from '../../../src/domain/users/users.ts';
import type { TestApp } from '../../support/app.ts';
import { makeUser } from '../../support/sign-in.ts';
import { addUser, setUser } from '../../support/users.ts';
import { managing } from '../../surfaces/api-2/managing.ts';
import { assertRolesTold, assertTold } from './told.ts';

/** Each way in which users get and lose roles. */
export function membershipsTold(app: () => TestApp): void {
  async function settle() {
    const { services, account } = app();
    const api = await managing(app());
    const [one, two] = [await makeUser(app()), await makeUser(app())];
    const name = `role of ${one.id}`;
    const role = await createRole(services, account, { name });
    const other = await createRole(services, account, { name: `other role of ${one.id}` });
    return { services, account, api, users: [one.id, two.id] as const, name, role: role.id, other: other.id };
  }

  it('roles of a user that is created or changed: by name, and by id over HTTP', async () => {
    const { services, account, api, users, name, role, other } = await settle();
    const [id] = users;
    const made = { username: `named-${id}`, roles: [name] };
    await assertRolesTold(app(), () => addUser(services, account, made), { assigned: 1, withdrawn: 0 });
    await assertRolesTold(app(), () => setUser(services, account, id, { roles: [name] }), {
      assigned: 1,
      withdrawn: 0,
    });
    const json = { username: `numbered-${id}`, role_ids: [role, other] };
    await assertRolesTold(app(), () => api.done(201, 'POST', '/users', json), { assigned: 2, withdrawn: 0 });
    const set = (roleIds: readonly number[] | null) => () =>
      api.done(200, 'PUT', `/users/${id}`, { role_ids: roleIds });
    await assertRolesTold(app(), set([other]), { assigned: 1, withdrawn: 1 });
    await assertRolesTold(app(), set([other]), { assigned: 0, withdrawn: 0 });
    await assertRolesTold(app(), set(null), { assigned: 0, withdrawn: 1 });
    const unknown = () => api.done(422, 'PUT', `/users/${id}`, { role_ids: [role, 2_147_483_000] });
    await assertRolesTold(app(), unknown, { assigned: 0, withdrawn: 0 });
  });

  it('users and members of a role that is created or changed; its administrators do not get the role', async () => {
    const { api, users, role } = await settle();
    const [one, two] = users;
    const json = { name: `made with ${one}`, users: [one, two], admins: [one] };
    await assertRolesTold(app(), () => api.done(201, 'POST', '/roles', json), { assigned: 2, withdrawn: 0 });
    const set = (ids: readonly number[] | null) => () => api.done(200, 'PUT', `/roles/${role}`, { users: ids });
    await assertRolesTold(app(), set([one, one]), { assigned: 1, withdrawn: 0 });
    await assertRolesTold(app(), set([two]), { assigned: 1, withdrawn: 1 });
    await assertRolesTold(app(), set(null), { assigned: 0, withdrawn: 1 });
    for (const [link, gives] of [
      ['users', 1],
      ['admins', 0],
    ] as const) {
      const path = `/roles/${role}/${link}`;
      await api.done(200, 'POST', path, [one]);
      const add = () => api.done(200, 'POST', path, [one, two, two]);
      await assertRolesTold(app(), add, { assigned: gives, withdrawn: 0 });
      const remove = () => api.done(204, 'DELETE', path, [two, two, 2_147_483_000]);
      await assertRolesTold(app(), remove, { assigned: 0, withdrawn: gives });
    }
  });

  it('memberships that end with their user or role are recorded only as that removal', async () => {
    const { services, account, users, name, role } = await settle();
    const [one, two] = users;
    for (const id of users) await setUser(services, account, id, { roles: [name] });
    await assertTold(app(), () => removeUser(services, account, one), [['user.removed', 'system', `user ${one}`, {}]]);
    await assertTold(app(), () => removeRole(services, account, role), [
      ['role.removed', 'system', `role ${role}`, { grants_revoked: 0 }],
    ]);
    await assertRolesTold(app(), () => setUser(services, account, two, { roles: [] }), { assigned: 0, withdrawn: 0 });
  });
}
