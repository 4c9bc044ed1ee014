import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import { assertRefused, managing, newUser } from './managing.ts';

const path = '/users/custom_attributes';

export function customAttributes(app: () => TestApp): void {
  it('creates, reads, lists, changes and deletes an attribute', async () => {
    const api = await managing(await app().another());
    const created = await api.done(201, 'POST', path, { user_field: { name: 'Badge', shortname: 'badge' } });
    assert.deepEqual(created, { id: created.id, name: 'Badge', shortname: 'badge', position: 1 });
    assert.deepEqual(await api.done(200, 'GET', `${path}/${created.id}`), created);
    const second = await api.done(201, 'POST', path, { user_field: { name: 'Seat', shortname: 'seat', position: 0 } });
    assert.deepEqual(await api.done(200, 'GET', path), [created, second]);
    assert.deepEqual(await api.done(200, 'GET', `${path}?sort=position`), [second, created]);
    assert.deepEqual(await api.done(200, 'GET', `${path}?name=B*&fields=shortname`), [{ shortname: 'badge' }]);
    const bare = await api.done(200, 'PUT', `${path}/${created.id}`, { name: 'Badge number' });
    assert.deepEqual(bare, { ...created, name: 'Badge number' });
    const wrapped = await api.done(200, 'PUT', `${path}/${created.id}`, { user_field: { position: 5 } });
    assert.deepEqual(wrapped, { ...bare, position: 5 });
    const third = await api.done(201, 'POST', path, {
      user_field: { name: 'Desk', shortname: 'desk', position: null },
    });
    assert.equal(third.position, 6, 'null counts as not set');
    for (const cleared of [{ position: null }, { user_field: { position: null } }]) {
      const last = await api.done(200, 'PUT', `${path}/${created.id}`, cleared);
      assert.deepEqual(last, { ...bare, position: 7 }, 'null sorts after all others');
    }
    assert.equal((await api.call('DELETE', `${path}/${created.id}`)).status, 204);
    assertRefused(await api.call('GET', `${path}/${created.id}`), 404);
    assertRefused(await api.call('PUT', `${path}/${created.id}`, {}), 404);
    assertRefused(await api.call('DELETE', `${path}/${created.id}`), 404);
  });

  it('every user has every attribute, null when unset; values follow a new short name', async () => {
    const api = await managing(await app().another());
    const user = await newUser(api);
    assert.deepEqual(user.custom_attributes, {});
    const { id } = await api.done(201, 'POST', path, { user_field: { name: 'Badge', shortname: 'badge' } });
    const valuesOf = async () => (await api.done(200, 'GET', `/users/${user.id}`)).custom_attributes;
    assert.deepEqual(await valuesOf(), { badge: null });
    await api.done(200, 'PUT', `/users/${user.id}`, { custom_attributes: { badge: '7' } });
    await api.done(200, 'PUT', `/users/${user.id}`, { custom_attributes: null });
    await api.done(200, 'PUT', `${path}/${id}`, { shortname: 'number' });
    assert.deepEqual(await valuesOf(), { number: '7' });
    await api.done(204, 'DELETE', `${path}/${id}`);
    assert.deepEqual(await valuesOf(), {});
  });

  it('an invalid member is 422 with its name', async () => {
    const api = await managing(app());
    const shortname = unique('s');
    const { id } = await api.done(201, 'POST', path, { user_field: { name: 'One', shortname } });
    const other = await api.done(201, 'POST', path, { user_field: { name: 'Two', shortname: unique('s') } });
    for (const [body, name] of [
      [{}, 'user_field'],
      [{ name: 'x', shortname: 'x' }, 'user_field|name'],
      [{ user_field: { name: 'x' } }, 'shortname'],
      [{ user_field: { name: '', shortname: 'x' } }, 'name'],
      [{ user_field: { name: 'x', shortname: 'a b' } }, 'shortname'],
      [{ user_field: { name: 'x', shortname: '__proto__' } }, 'shortname'],
      [{ user_field: { name: 'x', shortname: 'constructor' } }, 'shortname'],
      [{ user_field: { name: 'x', shortname: 'x', unknown: 1 } }, 'unknown'],
      [{ user_field: { name: 'x', shortname: 'x' }, unknown: 1 }, 'unknown'],
      [{ user_field: { name: 'x', shortname } }, 'shortname has already been taken'],
    ] as const) {
      assertRefused(await api.call('POST', path, body), 422, new RegExp(name), JSON.stringify(body));
    }
    for (const [body, name] of [
      [{ unknown: 1 }, 'unknown'],
      [{ user_field: { position: -1 } }, 'position'],
      [{ shortname: 'toString' }, 'shortname'],
      [{ shortname }, 'shortname has already been taken'],
    ] as const) {
      assertRefused(await api.call('PUT', `${path}/${other.id}`, body), 422, new RegExp(name), JSON.stringify(body));
    }
    await api.done(200, 'PUT', `${path}/${id}`, { shortname });
  });

  it('an account has at most 200', async () => {
    const api = await managing(await app().another({ 'limit.api-2': 'off' }));
    for (let index = 0; index < 200; index += 1) {
      await api.done(201, 'POST', path, { user_field: { name: 'x', shortname: `s${index}` } });
    }
    assertRefused(await api.call('POST', path, { user_field: { name: 'x', shortname: 'last' } }), 422, /200/);
  });
}
