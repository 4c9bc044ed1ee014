import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAccount, moveAccount, setAccount } from '../../../src/domain/accounts/accounts.ts';
import { actAs } from '../../../src/domain/audit/context.ts';
import { createApiKey, revokeApiKey } from '../../../src/domain/callers/api-keys.ts';
import { createCredential, revokeCredential } from '../../../src/domain/callers/credentials.ts';
import { generateKeyPair } from '../../../src/domain/keys/key-pairs.ts';
import { removeRetiredKeys, rotateKeys } from '../../../src/domain/keys/rotate-keys.ts';
import { networkSourceOf } from '../../../src/domain/network-source.ts';
import { addRoleMembers, createRole, removeRoleMembers } from '../../../src/domain/roles/write-role.ts';
import { grantAccess, revokeAccess } from '../../../src/domain/users/access.ts';
import { removeUser } from '../../../src/domain/users/users.ts';
import type { TestApp } from '../../support/app.ts';
import { makeUser, redirectUri, registerClient, signedIn } from '../../support/sign-in.ts';
import { addUser, setUser } from '../../support/users.ts';
import { assertTold, toldBy } from './told.ts';

const commandLine = { actor: { type: 'command_line', id: null }, source: null, requestId: null } as const;
const day = 86_400_000;

/** Changes to accounts, users, roles, access, callers and keys. */
export function changesTold(app: () => TestApp): void {
  it('a registration: by a credential, or by the client itself where registration is open', async () => {
    const events = await toldBy(app(), () => registerClient(app()));
    const [credential, registered] = events;
    assert.deepEqual(
      events.map(({ action }) => action),
      ['credential.created', 'app.registered'],
    );
    assert.deepEqual([registered?.actorType, registered?.actorId], ['credential', credential?.targetId]);
    assert.equal(registered?.detail, '{"registered_by":"token"}');
    const json = { redirect_uris: [redirectUri] };
    const [open] = await toldBy(app(), () => app().send('POST', '/oauth2/register', { json }));
    assert.deepEqual([open?.actorType, open?.actorId, open?.targetType], ['client', open?.targetId, 'app']);
    assert.equal(open?.detail, '{"registered_by":"open"}');
  });

  it('twenty registrations at once: each with its own number and request', async () => {
    const json = { redirect_uris: [redirectUri] };
    const send = () => app().send('POST', '/oauth2/register', { json });
    await app().services.limits.reset(app().account, 'register-open', { source: networkSourceOf('127.0.0.1') });
    const events = await toldBy(app(), async () => {
      const answers = await Promise.all(Array.from({ length: 15 }, send));
      assert.ok(answers.every(({ status }) => status === 201));
    });
    assert.equal(new Set(events.map(({ targetId }) => targetId)).size, 15);
    assert.equal(new Set(events.map(({ requestId }) => requestId)).size, 15);
  });

  it("a user's life, with the names of changed members and no values", async () => {
    const { services, account } = app();
    const { client, user: holder } = await signedIn(app());
    let id = 0;
    const given = { email: 'canary@example.com', password: 'canary-password', firstname: undefined };
    const created = await toldBy(app(), () =>
      actAs(commandLine, async () => {
        id = (await addUser(services, account, given)).id;
      }),
    );
    const told = created.map((event) => [event.action, event.actorType, event.targetId, event.detail]);
    assert.deepEqual(told, [['user.created', 'command_line', id, '{"fields":["email","password"]}']]);
    const change = () => setUser(services, account, holder.id, { password: 'canary-password', lastname: 'Canary' });
    const changed = await assertTold(app(), change, [
      ['user.changed', 'system', `user ${holder.id}`, { fields: ['password', 'lastname'], grants_revoked: 1 }],
    ]);
    await assertTold(app(), () => removeUser(services, account, id), [['user.removed', 'system', `user ${id}`, {}]]);
    assert.ok(client.app_id > 0);
    assert.doesNotMatch(JSON.stringify([...created, ...changed]), /canary/i);
  });

  it('roles and access', async () => {
    const { services, account } = app();
    const { client, user } = await signedIn(app());
    const other = await makeUser(app());
    const email = user.email ?? '';
    const role = await createRole(services, account, { name: 'audited' });
    const target = `user ${other.id}` as const;
    const roleTarget = `role ${role.id}` as const;
    const members = { link: 'users', user_ids: [other.id] };
    const appTarget = `app ${client.app_id}` as const;
    await assertTold(app(), () => createRole(services, account, { name: 'audited too' }), [
      ['role.created', 'system', `role ${role.id + 1}`, { fields: ['name'] }],
    ]);
    await assertTold(app(), () => addRoleMembers(services, account, role.id, 'users', [other.id]), [
      ['role.assigned', 'system', target, { role_id: role.id }],
      ['role.members_added', 'system', roleTarget, members],
    ]);
    await assertTold(app(), () => addRoleMembers(services, account, role.id, 'users', [other.id]), [
      ['role.members_added', 'system', roleTarget, members],
    ]);
    await assertTold(app(), () => removeRoleMembers(services, account, role.id, 'users', [other.id]), [
      ['role.withdrawn', 'system', target, { role_id: role.id }],
      ['role.members_removed', 'system', roleTarget, { ...members, grants_revoked: 0 }],
    ]);
    await assertTold(app(), () => removeRoleMembers(services, account, role.id, 'users', [other.id]), [
      ['role.members_removed', 'system', roleTarget, { ...members, grants_revoked: 0 }],
    ]);
    await assertTold(app(), () => grantAccess(services, account, client.app_id, { role: 'audited' }), [
      ['access.granted', 'system', appTarget, { role_id: role.id }],
    ]);
    await assertTold(app(), () => grantAccess(services, account, client.app_id, { role: 'audited' }), []);
    await assertTold(app(), () => revokeAccess(services, account, client.app_id, { user: email }), [
      ['access.revoked', 'system', appTarget, { user_id: user.id, grants_revoked: 1 }],
    ]);
    const again = () => assert.rejects(revokeAccess(services, account, client.app_id, { user: email }));
    await assertTold(app(), again, []);
  });

  it('credentials and API keys', async () => {
    const { services, account } = app();
    const [made] = await toldBy(app(), () => createCredential(services, account, ['read_all']));
    assert.deepEqual([made?.action, made?.detail], ['credential.created', '{"scopes":["read_all"]}']);
    const { clientId, clientSecret } = await createCredential(services, account, ['read_all']);
    const revoke = () => revokeCredential(services, account, clientId);
    const [ended, ...rest] = await toldBy(app(), async () => {
      await revoke();
      await assert.rejects(revoke());
    });
    assert.deepEqual([ended?.action, ended?.targetId, rest], ['credential.revoked', (made?.targetId ?? 0) + 1, []]);
    const { id, apiKey } = await createApiKey(services, account, 'canary-name');
    const key = await toldBy(app(), () => revokeApiKey(services, account, id));
    assert.deepEqual(
      key.map(({ action, targetId }) => [action, targetId]),
      [['api_key.revoked', id]],
    );
    const everything = JSON.stringify(await services.store.events.listAfter(account.id, 0, 10_000));
    for (const secret of [clientSecret, apiKey, 'canary-name']) assert.ok(!everything.includes(secret));
  });

  it('an account, its settings and its hosts', async () => {
    const { services } = app();
    const account = await createAccount(services, { subdomain: 'audited' });
    await setAccount(services, 'audited', { registration: 'closed', 'limit.register': '' });
    await moveAccount(services, account, { hosts: ['id.audited.example'], baseUrl: 'https://id.audited.example' });
    const events = await services.store.events.listAfter(account.id, 0, 10);
    assert.deepEqual(
      events.map(({ action, detail }) => [action, JSON.parse(detail)]),
      [
        ['account.created', {}],
        ['account.changed', { fields: ['registration', 'limit.register'] }],
        ['account.changed', { fields: ['hosts', 'base_url'] }],
      ],
    );
  });

  it('published and removed keys', async () => {
    const { services, account } = await app().another();
    const one = { ...services, generateKeyPair };
    await rotateKeys(one, account, { emergency: false });
    await rotateKeys(one, account, { emergency: false });
    services.clock.advance(3 * day);
    assert.equal(await removeRetiredKeys(services, account), 2);
    assert.equal(await removeRetiredKeys(services, account), 0);
    const events = (await services.store.events.listAfter(account.id, 0, 10)).filter(({ action }) =>
      /key/.test(action),
    );
    const keys = await services.store.keys.list(account.id);
    assert.deepEqual(
      events.map(({ action, detail }) => [action, JSON.parse(detail)]),
      [
        ...['RS256', 'ES256'].map((alg) => [
          'signing_key.published',
          { kid: keys.findLast((key) => key.alg === alg)?.kid, alg, emergency: false },
        ]),
        ['signing_key.removed', { count: 2 }],
      ],
    );
  });
}
