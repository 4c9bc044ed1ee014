import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { registerClient } from '../../support/sign-in.ts';
import { assertRefused, managing, newUser } from './managing.ts';

const unknown = 2_147_483_000;

export function roleMembers(app: () => TestApp): void {
  for (const link of ['users', 'admins']) {
    it(`adds, lists and removes ${link} by bare arrays of ids`, async () => {
      using _ = app().services.clock.hold();
      const one = await app().another();
      const api = await managing(one);
      const ada = await newUser(api, { firstname: 'Ada', lastname: 'Lovelace', username: 'Countess' });
      const bob = await newUser(api, { firstname: 'Bob' });
      const { id } = await api.done(201, 'POST', '/roles', { name: 'Staff' });
      const path = `/roles/${id}/${link}`;
      const addedAt = new Date(one.services.clock.now()).toISOString();
      assert.deepEqual(await api.done(200, 'POST', path, [ada.id]), [{ id: ada.id }]);
      one.services.clock.advance(1000);
      await api.done(200, 'POST', path, [ada.id, bob.id]);
      await api.done(204, 'DELETE', path, [bob.id, unknown]);
      const shown = {
        id: ada.id,
        name: 'Ada Lovelace',
        username: 'Countess',
        email: ada.email,
        assigned: true,
        added_at: addedAt,
        added_by: null,
      };
      assert.deepEqual(await api.done(200, 'GET', path), [shown]);
      assert.deepEqual((await api.done(200, 'GET', `/roles/${id}`))[link], [ada.id]);
      const other = link === 'users' ? 'admins' : 'users';
      assert.deepEqual(await api.done(200, 'GET', `/roles/${id}/${other}`), []);
      const everyone = await api.done(200, 'GET', `${path}?include_unassigned=true`);
      assert.deepEqual(everyone[1], {
        id: bob.id,
        name: 'Bob',
        username: null,
        email: bob.email,
        assigned: false,
        added_at: null,
        added_by: null,
      });
      for (const [query, ids] of [
        ['assigned=true', [ada.id]],
        ['assigned=false', []],
        ['include_unassigned=true', [ada.id, bob.id]],
        ['include_unassigned=true&sort=-id', [bob.id, ada.id]],
        ['include_unassigned=true&assigned=true', [ada.id]],
        ['include_unassigned=true&assigned=false', [bob.id]],
        ['include_unassigned=true&name=B*', [bob.id]],
        ['name=Ada Lovelace', [ada.id]],
        ['name=*lace', [ada.id]],
        ['name=COUNTESS', [ada.id]],
        [`name=${ada.email.toUpperCase()}`, [ada.id]],
        ['name=*', [ada.id]],
        ['name=Bob', []],
      ] as const) {
        const found = await api.done(200, 'GET', `${path}?${query.replaceAll(' ', '%20')}`);
        assert.deepEqual(
          found.map((member: { id: number }) => member.id),
          ids,
          query,
        );
      }
      assert.deepEqual(await api.done(200, 'GET', `${path}?fields=id,assigned&unknown=1`), [
        { id: ada.id, assigned: true },
      ]);
      await api.done(204, 'DELETE', `/users/${ada.id}`);
      assert.deepEqual(await api.done(200, 'GET', path), []);
    });
  }

  it('an object instead of an array is 400, an invalid or unknown id 422', async () => {
    const api = await managing(app());
    const { id } = await api.done(201, 'POST', '/roles', { name: 'Arrays' });
    for (const [method, path] of [
      ['POST', 'users'],
      ['DELETE', 'users'],
      ['POST', 'admins'],
      ['DELETE', 'admins'],
      ['PUT', 'apps'],
    ] as const) {
      for (const body of [{}, { ids: [1] }, undefined]) {
        const answer = await api.call(method, `/roles/${id}/${path}`, body);
        assertRefused(answer, 400, /^Expected array in request$/, `${method} ${path}`);
      }
      for (const body of [['x'], [0], [null], [1.5]]) {
        assertRefused(await api.call(method, `/roles/${id}/${path}`, body), 422, /^0 /, `${method} ${path} ${body}`);
      }
      const tooMany = Array.from({ length: 10_001 }, () => 1);
      assertRefused(await api.call(method, `/roles/${id}/${path}`, tooMany), 422, /10000/, `${method} ${path}`);
      if (method === 'DELETE') continue;
      const refusal = new RegExp(`^unknown ${path === 'apps' ? 'app' : 'user'} in ${path}: ${unknown}$`);
      assertRefused(await api.call(method, `/roles/${id}/${path}`, [unknown]), 422, refusal);
    }
    assertRefused(await api.call('GET', `/roles/${id}/users?limit=0`), 400, /limit/);
    assertRefused(await api.call('GET', `/roles/${id}/users?assigned=maybe`), 400, /assigned/);
  });

  it('sets and lists the apps of a role, even thousands of members at once', async () => {
    const one = await app().another();
    const api = await managing(one);
    const { app_id: pay } = await registerClient(one, { client_name: 'Payroll' });
    const { app_id: wiki } = await registerClient(one, {
      client_name: 'Wiki',
      logo_uri: 'https://wiki.example.com/logo.png',
    });
    const { id } = await api.done(201, 'POST', '/roles', { name: 'Staff' });
    assert.deepEqual(await api.done(200, 'PUT', `/roles/${id}/apps`, [wiki, pay]), [{ id: wiki }, { id: pay }]);
    assert.deepEqual(await api.done(200, 'GET', `/roles/${id}/apps`), [
      { id: pay, name: 'Payroll', icon_url: null },
      { id: wiki, name: 'Wiki', icon_url: 'https://wiki.example.com/logo.png' },
    ]);
    assert.deepEqual(await api.done(200, 'GET', `/roles/${id}/apps?name=W*&fields=id`), [{ id: wiki }]);
    assert.deepEqual(await api.done(200, 'PUT', `/roles/${id}/apps`, [wiki]), [{ id: wiki }]);
    assert.deepEqual((await api.done(200, 'GET', `/roles/${id}`)).apps, [wiki]);
    const ids: number[] = [];
    await one.services.store.transaction(async (tx) => {
      const given = Array.from({ length: 1001 }, (_, index) => {
        const user = { email: null, emailKey: null, username: `u${index}`, usernameKey: `u${index}` };
        const blank = { firstname: null, lastname: null, passwordDigest: null, lockedUntil: null, lastLogin: null };
        const times = { passwordChangedAt: null, activatedAt: null, createdAt: 0, updatedAt: 0 };
        return { ...user, ...blank, ...times, accountId: one.account.id, status: 0 as const, invalidLoginAttempts: 0 };
      });
      ids.push(...(await tx.users.createAll(given)).map((user) => user.id));
    });
    await api.done(200, 'POST', `/roles/${id}/users`, ids);
    assert.deepEqual((await api.done(200, 'GET', `/roles/${id}`)).users, ids);
    await api.done(204, 'DELETE', `/roles/${id}/users`, ids.slice(1));
    assert.deepEqual((await api.done(200, 'GET', `/roles/${id}`)).users, [ids[0]]);
  });
}
