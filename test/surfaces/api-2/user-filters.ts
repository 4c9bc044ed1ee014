import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { newClient } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import { assertRefused, managing, newUser } from './managing.ts';

export function userFilters(app: () => TestApp): void {
  /** A new account with three users. */
  async function scene() {
    const other = await app().another({ 'limit.api-2': 'off' });
    const api = await managing(other);
    await api.done(201, 'POST', '/users/custom_attributes', { user_field: { name: 'Badge', shortname: 'badge' } });
    const ada = await newUser(api, {
      email: 'Ada@Example.com',
      username: 'ÅDA',
      firstname: 'Ada',
      lastname: 'Lovelace',
      title: 'Analyst',
      department: 'R&D',
      company: '50% off, Ltd',
      phone: '+44 20',
      external_id: 'e-1',
      group_id: 7,
      status: 1,
      custom_attributes: { badge: 'b-1' },
    });
    const policy = await api.done(201, 'POST', '/policies', { name: 'Filtered' });
    const bob = await newUser(api, {
      firstname: 'bob',
      lastname: 'Love',
      manager_user_id: ada.id,
      policy_id: policy.id,
      state: 2,
    });
    const cyd = await newUser(api, { firstname: 'Cyd', custom_attributes: { badge: 'c-1' } });
    const find = async (query: string): Promise<string[]> => {
      const found: { firstname: string }[] = await api.done(200, 'GET', `/users?fields=firstname&${query}`);
      return found.map(({ firstname }) => firstname);
    };
    return { other, api, ada, bob, cyd, policy, find };
  }

  it('compares members exactly, and names case-insensitively', async () => {
    const { find, ada, policy } = await scene();
    for (const query of [
      ...[`id=${ada.id}`, 'email=ada@example.com', 'email=ADA%40EXAMPLE.COM', 'username=%C3%A5da', 'firstname=Ada'],
      ...['lastname=Lovelace', 'title=Analyst', 'department=R%26D', 'company=50%25%20off,%20Ltd', 'phone=%2B44%2020'],
      ...['external_id=e-1', 'group_id=7', 'status=1', 'custom_attributes.badge=b-1', `user_ids=${ada.id},99999`],
    ]) {
      assert.deepEqual(await find(query), ['Ada'], query);
    }
    assert.deepEqual(await find(`manager_user_id=${ada.id}`), ['bob']);
    assert.deepEqual(await find(`policy_id=${policy.id}`), ['bob']);
    assert.deepEqual(await find('state=2'), ['bob']);
    for (const query of [
      'firstname=ada',
      'lastname=Lov',
      'company=50%25',
      'status=1&firstname=bob',
      'email=%E2%80%8B',
    ]) {
      assert.deepEqual(await find(query), [], query);
    }
  });

  it('a star matches any text, and no other character is special', async () => {
    const { find } = await scene();
    assert.deepEqual(await find('lastname=Love*'), ['bob', 'Ada']);
    assert.deepEqual(await find('lastname=Love*&sort=id'), ['Ada', 'bob']);
    assert.deepEqual(await find('lastname=*lace'), ['Ada']);
    assert.deepEqual(await find('lastname=*vela*'), ['Ada']);
    assert.deepEqual(await find('email=ADA*'), ['Ada']);
    assert.deepEqual(await find('firstname=*'), ['Ada', 'bob', 'Cyd']);
    assert.deepEqual(await find('custom_attributes.badge=*-1'), ['Ada', 'Cyd']);
    assert.deepEqual(await find('custom_attributes.badge=c*'), ['Cyd']);
    assert.deepEqual(await find('company=50%25*'), ['Ada']);
    for (const none of ['firstname=A%25', 'firstname=A_a', 'firstname=*%25*', 'firstname=A*a', 'firstname=.*']) {
      assert.deepEqual(await find(none), [], none);
    }
  });

  it('ranges of time include their bounds', async () => {
    const { other, api, find } = await scene();
    other.services.clock.advance(60_000);
    const dan = await newUser(api, { firstname: 'Dan' });
    assert.deepEqual(await find(`created_since=${dan.created_at}`), ['Dan']);
    assert.deepEqual(await find(`created_until=${dan.created_at}&created_since=${dan.created_at}`), ['Dan']);
    assert.equal((await find(`updated_until=${dan.created_at}`)).length, 4);
    assert.deepEqual(await find('created_until=2020-01-01'), []);
    assert.deepEqual(await find('last_login_until=2100-01-01'), []);
    assert.deepEqual(await find('last_login_since=2000-01-01T00:00:00%2B02:00'), []);
    for (const bad of ['created_since=yesterday', 'updated_until=1e9', 'last_login_since=2026-99-01']) {
      assertRefused(await api.call('GET', `/users?${bad}`), 400, /ISO 8601/, bad);
    }
  });

  it('filters by role and by app', async () => {
    const { other, api, ada, bob, find } = await scene();
    const { services, account } = other;
    const role = await createRole(services, account, { name: 'Staff' });
    const { appId } = await newClient(services.store, account.id);
    await api.done(200, 'PUT', `/users/${ada.id}`, { role_ids: [role.id] });
    await services.store.access.grant(account.id, appId, { roleId: role.id }, 0);
    await services.store.access.grant(account.id, appId, { userId: bob.id }, 0);
    assert.deepEqual(await find(`role_ids=${role.id},99999`), ['Ada']);
    assert.deepEqual(await find(`app_id=${appId}`), ['Ada', 'bob']);
    assert.deepEqual(await find(`app_id=${appId}&role_ids=${role.id}`), ['Ada']);
  });

  it('an unknown id matches nobody, and an invalid one is 400', async () => {
    const { api, find } = await scene();
    for (const name of ['directory_id', 'samaccountname', 'member_of'])
      assert.deepEqual(await find(`${name}=1`), [], name);
    const many = Array.from({ length: 101 }, (_, index) => index + 1).join(',');
    for (const bad of [
      'user_ids=x',
      'role_ids=1,,2',
      'app_id=0',
      `user_ids=${many}`,
      'id=x',
      'status=active',
      'group_id=-1',
    ]) {
      assertRefused(await api.call('GET', `/users?${bad}`), 400, /./, bad);
    }
    assertRefused(await api.call('GET', '/users?custom_attributes.none=1'), 400, /custom_attributes\.none/);
    assertRefused(
      await api.call('GET', '/users?custom_attributes.__proto__=1'),
      400,
      /custom_attributes\.__proto__ is not defined/,
    );
  });
}
