/** Users who manage the account: their scopes, and who may change them. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setAdministrator } from '../../../src/domain/administrators/administrators.ts';
import { actAs, currentAuditContext } from '../../../src/domain/audit/context.ts';
import type { TestApp } from '../../support/app.ts';
import { atConsole, makeAdministrator } from '../../support/console.ts';
import { makeUser } from '../../support/sign-in.ts';
import { assertRefused, managing } from './managing.ts';

export function administrators(app: () => TestApp): void {
  it('scopes are given to a user, replaced, listed and taken', async () => {
    const one = await app().another();
    using _ = one.services.clock.hold();
    const api = await managing(one);
    const [first, second] = [await makeUser(one), await makeUser(one)];
    assert.deepEqual(await api.done(200, 'GET', '/administrators'), []);
    assertRefused(await api.call('GET', `/administrators/${first.id}`), 404);
    const createdAt = new Date(one.services.clock.now()).toISOString();
    const given = { user_id: first.id, scopes: ['manage_users', 'read_all'], created_at: createdAt };
    const scopes = ['manage_users', 'read_all', 'manage_users'];
    assert.deepEqual(await api.done(200, 'PUT', `/administrators/${first.id}`, { scopes }), given);
    assert.deepEqual(await api.done(200, 'GET', `/administrators/${first.id}`), given);
    one.services.clock.advance(1000);
    const replaced = { ...given, scopes: ['manage_all'] };
    assert.deepEqual(await api.done(200, 'PUT', `/administrators/${first.id}`, { scopes: ['manage_all'] }), replaced);
    await api.done(200, 'PUT', `/administrators/${second.id}`, { scopes: ['read_users'] });
    const listed = await api.done(200, 'GET', '/administrators?sort=-user_id&fields=user_id');
    assert.deepEqual(listed, [{ user_id: second.id }, { user_id: first.id }]);
    const events = await api.done(200, 'GET', `/events?target=user:${first.id}&action=user.changed`);
    assert.deepEqual(
      events.map((event: { detail: object }) => event.detail).slice(0, 2),
      [['manage_all'], ['manage_users', 'read_all']].map((now) => ({
        fields: ['administrator_scopes'],
        administrator_scopes: now,
      })),
    );
    await api.done(204, 'DELETE', `/administrators/${first.id}`);
    assertRefused(await api.call('DELETE', `/administrators/${first.id}`), 404);
    assert.equal((await api.done(200, 'GET', '/administrators')).length, 1);
    await api.done(204, 'DELETE', `/users/${second.id}`);
    assert.deepEqual(await api.done(200, 'GET', '/administrators'), []);
    assertRefused(await api.call('PUT', `/administrators/${second.id}`, { scopes: ['read_all'] }), 404);
  });

  it('scopes of programs alone, unknown ones, and none are 422', async () => {
    const api = await managing(app());
    const { id } = await makeUser(app());
    for (const scopes of [[], ['everything'], ['register_clients'], ['authentication_only'], 'manage_all']) {
      assertRefused(await api.call('PUT', `/administrators/${id}`, { scopes }), 422, /scopes/);
    }
    assertRefused(await api.call('GET', `/administrators/${id}`), 404);
  });

  it('a right that is taken ends the next call, and one that is given begins with it', async () => {
    const api = await managing(app());
    const user = await makeAdministrator(app(), ['read_users']);
    const console = await atConsole(app(), user);
    assert.equal(console.answered.scope, 'read_users');
    await console.done(200, 'GET', '/users?limit=1');
    assertRefused(await console.call('GET', '/roles'), 403, /read_all, manage_all$/);
    await api.done(200, 'PUT', `/administrators/${user.id}`, { scopes: ['read_all'] });
    await console.done(200, 'GET', '/roles');
    await api.done(204, 'DELETE', `/administrators/${user.id}`);
    const refused = await console.call('GET', '/users?limit=1');
    assertRefused(refused, 401);
    assert.match(String(refused.headers['www-authenticate']), /^DPoP .*error="invalid_token"/);
    await api.done(200, 'PUT', `/administrators/${user.id}`, { scopes: ['read_all'] });
    // A lock keeps the session, a suspension ends it.
    await api.done(200, 'PUT', `/users/${user.id}`, { status: 3 });
    assertRefused(await console.call('GET', '/users?limit=1'), 401);
    await api.done(200, 'PUT', `/users/${user.id}`, { status: 1 });
    await console.done(200, 'GET', '/users?limit=1');
    await api.done(200, 'PUT', `/users/${user.id}`, { status: 2 });
    assertRefused(await console.call('GET', '/users?limit=1'), 401);
  });

  it('the last administrator with manage_all cannot give it up, in any way', async () => {
    const one = await app().another();
    const [user, other] = [await makeAdministrator(one), await makeAdministrator(one, ['read_all'])];
    const console = await atConsole(one, user);
    const own = `/administrators/${user.id}`;
    const attempts = async () => [
      await console.call('PUT', own, { scopes: ['read_all'] }),
      await console.call('DELETE', own),
      await console.call('DELETE', `/users/${user.id}`),
      await console.call('PUT', `/users/${user.id}`, { status: 2 }),
      await console.call('PUT', `/users/${user.id}`, { status: 3 }),
    ];
    for (const refused of await attempts()) assertRefused(refused, 409, /last administrator/);
    // Another who cannot sign in is no successor.
    await console.done(200, 'PUT', `/administrators/${other.id}`, { scopes: ['manage_all'] });
    await console.done(200, 'PUT', `/users/${other.id}`, { status: 2 });
    for (const refused of await attempts()) assertRefused(refused, 409, /last administrator/);
    await console.done(200, 'PUT', `/users/${other.id}`, { status: 1 });
    await console.done(204, 'DELETE', own);
    assertRefused(await console.call('GET', '/caller'), 401);
  });

  it('who does not have manage_all is no last administrator, and with a successor one may suspend themselves', async () => {
    const one = await app().another();
    const manager = await makeAdministrator(one, ['manage_users']);
    const console = await atConsole(one, manager);
    await console.done(200, 'PUT', `/users/${manager.id}`, { status: 2 });
    const [first] = [await makeAdministrator(one), await makeAdministrator(one)];
    const full = await atConsole(one, first);
    await full.done(200, 'PUT', `/users/${first.id}`, { status: 2 });
    assertRefused(await full.call('GET', '/caller'), 401);
  });

  it('of two who suspend themselves at once one stays', async () => {
    const one = await app().another();
    const both = [await makeAdministrator(one), await makeAdministrator(one)];
    const consoles = await Promise.all(both.map((user) => atConsole(one, user)));
    const answers = await Promise.all(
      consoles.map((console) => console.call('PUT', `/users/${console.user.id}`, { status: 2 })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
  });

  it('of two who remove, or suspend, each other at once one stays', async () => {
    for (const act of ['remove', 'suspend'] as const) {
      const one = await app().another();
      const both = [await makeAdministrator(one), await makeAdministrator(one)] as const;
      const [first, second] = [await atConsole(one, both[0]), await atConsole(one, both[1])];
      const end = (by: typeof first, id: number) =>
        act === 'remove' ? by.call('DELETE', `/administrators/${id}`) : by.call('PUT', `/users/${id}`, { status: 2 });
      const answers = await Promise.all([end(first, both[1].id), end(second, both[0].id)]);
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [act === 'remove' ? 204 : 200, 401]);
    }
  });

  it('a right that was taken is not given back by a call under way', async () => {
    const one = await app().another();
    const [keeper, other] = [await makeAdministrator(one), await makeAdministrator(one)];
    const [full, own] = [await atConsole(one, keeper), await atConsole(one, other)];
    const path = `/administrators/${other.id}`;
    const giving = Array.from({ length: 5 }, () => own.call('PUT', path, { scopes: ['manage_all'] }));
    assert.equal((await full.call('DELETE', path)).status, 204);
    for (const { status } of await Promise.all(giving)) assert.ok(status === 200 || status === 401, `${status}`);
    assert.equal(await one.services.store.administrators.find(one.account.id, other.id), null);
    // However calls fall together: this one was let in before the right was taken.
    const context = { ...currentAuditContext(), actor: { type: 'user', id: other.id } as const };
    const late = actAs(context, () => setAdministrator(one.services, one.account, other.id, ['manage_all']));
    await assert.rejects(late, { code: 'caller_unauthenticated' });
    assert.equal(await one.services.store.administrators.find(one.account.id, other.id), null);
  });

  it('conditional writes of several administrators at once wait for each other', async () => {
    const one = await app().another();
    const api = await managing(one);
    const users = [await makeUser(one), await makeUser(one), await makeUser(one)];
    for (const { id } of users) await api.done(200, 'PUT', `/administrators/${id}`, { scopes: ['read_all'] });
    const answers = await Promise.all(
      [...users, ...users].map(({ id }, index) =>
        api.call(
          'PUT',
          `/administrators/${id}`,
          { scopes: ['read_users'] },
          index % 2 === 0 ? { 'if-match': '*' } : {},
        ),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(6).fill(200),
    );
  });

  it('no member of a user gives or takes scopes', async () => {
    const user = await makeAdministrator(app(), ['manage_users']);
    const console = await atConsole(app(), user);
    const scopes = ['manage_all'];
    const sent = { administrator_scopes: scopes, scopes, administrator: { scopes }, admin: true };
    await console.done(200, 'PUT', `/users/${user.id}`, sent);
    const made = await console.done(201, 'POST', '/users', { username: `u${user.id}`, ...sent });
    assert.deepEqual((await console.done(200, 'GET', '/caller')).scopes, ['manage_users']);
    const { administrators: stored } = app().services.store;
    assert.equal(await stored.find(app().account.id, made.id), null);
    assertRefused(await console.call('PUT', `/administrators/${user.id}`, { scopes }), 403, /manage_all$/);
  });

  it('manage_users changes, unlocks and deletes no administrator who may do more', async () => {
    const [full, reader, equal] = [
      await makeAdministrator(app()),
      await makeAdministrator(app(), ['read_all']),
      await makeAdministrator(app(), ['manage_users']),
    ];
    const api = await managing(app(), 'manage_users');
    for (const { id } of [full, reader]) {
      assertRefused(await api.call('PUT', `/users/${id}`, { email: 'mine@example.com' }), 403, /manage_all/);
      assertRefused(await api.call('PUT', `/users/${id}`, { status: 2 }), 403, /manage_all/);
      assertRefused(await api.call('POST', `/users/${id}/unlock`, {}), 403, /manage_all/);
      assertRefused(await api.call('DELETE', `/users/${id}`), 403, /manage_all/);
    }
    await api.done(200, 'PUT', `/users/${equal.id}`, { firstname: 'Grace' });
    const all = await managing(app());
    await all.done(200, 'PUT', `/users/${full.id}`, { firstname: 'Grace' });
  });
}
