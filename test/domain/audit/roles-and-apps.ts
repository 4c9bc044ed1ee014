import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createApp, removeApp, rotateSecret, updateApp } from '../../../src/domain/clients/managed-apps.ts';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import {
  addRoleMembers,
  createRole,
  removeRole,
  removeRoleMembers,
  setRolePolicy,
  updateRole,
} from '../../../src/domain/roles/write-role.ts';
import { revokeAccess } from '../../../src/domain/users/access.ts';
import type { TestApp } from '../../support/app.ts';
import { signedIn } from '../../support/sign-in.ts';
import { assertTold, toldBy } from './told.ts';

/** Roles and apps as the management API makes and changes them. */
export function rolesAndAppsTold(app: () => TestApp): void {
  it('roles and apps as the management API changes them', async () => {
    const { services, account } = app();
    const { client, user } = await signedIn(app());
    const appTarget = `app ${client.app_id}` as const;
    const [made] = await toldBy(app(), () =>
      createRole(services, account, { name: 'managed', apps: [client.app_id], users: [user.id] }),
    );
    assert.deepEqual([made?.action, made?.detail], ['role.created', '{"fields":["name","apps","users"]}']);
    const id = made?.targetId ?? 0;
    const role = `role ${id}` as const;
    await assertTold(app(), () => addRoleMembers(services, account, id, 'admins', [user.id]), [
      ['role.members_added', 'system', role, { link: 'admins', user_ids: [user.id] }],
    ]);
    await assertTold(app(), () => removeRoleMembers(services, account, id, 'admins', [user.id]), [
      ['role.members_removed', 'system', role, { link: 'admins', user_ids: [user.id], grants_revoked: 0 }],
    ]);
    await assertTold(app(), () => assert.rejects(addRoleMembers(services, account, id, 'users', [987_654])), []);
    await assertTold(app(), () => updateApp(services, account, client.app_id, { name: 'canary', roleIds: [id] }), [
      ['app.changed', 'system', appTarget, { fields: ['name', 'role_ids'], grants_revoked: 0 }],
    ]);
    await revokeAccess(services, account, client.app_id, { user: user.email ?? '' });
    await assertTold(app(), () => updateRole(services, account, id, { users: [] }), [
      ['role.withdrawn', 'system', `user ${user.id}`, { role_id: id }],
      ['role.changed', 'system', role, { fields: ['users'], grants_revoked: 1 }],
    ]);
    const policy = await createPolicy(services, account, { name: 'managed' });
    await assertTold(app(), () => setRolePolicy(services, account, id, policy.id), [
      ['policy.assigned', 'system', role, { policy_id: policy.id }],
    ]);
    await assertTold(app(), () => assert.rejects(setRolePolicy(services, account, id, 987_654)), []);
    await assertTold(app(), () => setRolePolicy(services, account, id, null), [
      ['policy.assigned', 'system', role, { policy_id: null }],
    ]);
    await assertTold(app(), () => removeRole(services, account, id), [
      ['role.removed', 'system', role, { grants_revoked: 0 }],
    ]);
    await assertTold(app(), () => assert.rejects(removeRole(services, account, id)), []);
    await assertTold(app(), () => rotateSecret(services, account, client.app_id, 5), [
      ['app.secret_rotated', 'system', appTarget, { overlap_minutes: 5 }],
    ]);
    await assertTold(app(), () => removeApp(services, account, client.app_id), [
      ['app.removed', 'system', appTarget, {}],
    ]);
    await assertTold(app(), () => assert.rejects(removeApp(services, account, client.app_id)), []);
    const [created] = await toldBy(app(), () => createApp(services, account, { name: 'canary' }));
    assert.equal(created?.action, 'app.created');
  });
}
