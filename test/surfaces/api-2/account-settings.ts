import assert from 'node:assert/strict';
import { it } from 'node:test';
import { accountOf, setAccount } from '../../../src/domain/accounts/accounts.ts';
import { showSettings } from '../../../src/domain/accounts/settings.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import type { TestApp } from '../../support/app.ts';
import { assertRefused, managing } from './managing.ts';

interface Shown {
  readonly name: string;
  readonly value: string;
  readonly default: string;
  readonly kind: string;
  readonly values: readonly string[] | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly changeable: boolean;
}

/** The settings of an account, as `gatehouse account set` has them. */
export function accountSettings(app: () => TestApp): void {
  it('lists every setting there is, in pages that follow each other', async () => {
    const api = await managing(await app().another({ 'refresh.idle_days': '30' }));
    const all: Shown[] = await api.done(200, 'GET', '/account-settings?limit=1000');
    const names = showSettings().map(({ name }) => name);
    assert.deepEqual(
      all.map(({ name }) => name),
      names.toSorted(),
    );
    const first = await api.call('GET', '/account-settings?limit=7&sort=-name');
    assert.equal(first.headers['total-count'], String(names.length));
    const seen: Shown[] = [...first.body];
    let cursor = first.headers['after-cursor'];
    let last = first;
    while (cursor) {
      last = await api.call('GET', `/account-settings?cursor=${cursor}`);
      seen.push(...last.body);
      cursor = last.headers['after-cursor'];
    }
    assert.deepEqual(seen, all.toReversed());
    const before = await api.call('GET', `/account-settings?cursor=${last.headers['before-cursor']}`);
    assert.deepEqual(before.body, seen.slice(-last.body.length - 7, -last.body.length));
    assert.deepEqual(
      (await api.done(200, 'GET', '/account-settings?name=refresh.*&fields=name')).map(({ name }: Shown) => name),
      ['refresh.absolute_days', 'refresh.grace_seconds', 'refresh.idle_days'],
    );
    assertRefused(await api.call('GET', '/account-settings?nothing=1'), 400, /nothing/);
    assertRefused(await api.call('GET', '/account-settings?sort=value'), 400, /sort/);
  });

  it('shows of each what it may be, and whether it can be changed here', async () => {
    const api = await managing(await app().another({ 'refresh.idle_days': '30' }));
    const { allowed: _, description: __, ...days } = await api.done(200, 'GET', '/account-settings/refresh.idle_days');
    assert.deepEqual(days, {
      name: 'refresh.idle_days',
      value: '30',
      default: '14',
      kind: 'whole_number',
      values: null,
      minimum: 1,
      maximum: 365,
      changeable: true,
    });
    const choice: Shown = await api.done(200, 'GET', '/account-settings/hook_failure');
    assert.deepEqual([choice.kind, choice.values, choice.minimum], ['choice', ['deny', 'continue'], null]);
    const kinds = { registration_roles: 'role_names', 'limit.api-2': 'limit', claims_mapping: 'text' };
    for (const [name, kind] of Object.entries(kinds)) {
      assert.equal((await api.done(200, 'GET', `/account-settings/${name}`)).kind, kind);
    }
    assertRefused(await api.call('GET', '/account-settings/nothing'), 404);
    assertRefused(await api.call('PUT', '/account-settings/nothing', { value: '1' }), 404);
  });

  it('a change takes effect at once, is told in the trail, and null goes back to the default', async () => {
    const one = await app().another();
    const api = await managing(one);
    const path = '/account-settings/refresh.grace_seconds';
    assert.equal((await api.done(200, 'PUT', path, { value: '20' })).value, '20');
    const stored = () => one.services.store.accounts.find(one.account.id);
    assert.deepEqual((await stored())?.settings['refresh.grace_seconds'], '20');
    const [event] = await api.done(200, 'GET', '/events?action=account.changed');
    assert.deepEqual(
      [event.detail, event.actor.type, event.target],
      [{ fields: ['refresh.grace_seconds'] }, 'credential', { type: 'account', id: one.account.id }],
    );
    assert.equal((await api.done(200, 'PUT', path, { value: null })).value, '10');
    assert.equal((await stored())?.settings['refresh.grace_seconds'], undefined);
    assert.equal((await one.send('GET', '/users.xml')).status, 401);
    await api.done(200, 'PUT', '/account-settings/surface.xml', { value: 'off' });
    assert.equal((await one.send('GET', '/users.xml')).status, 404);
  });

  it('a value that is not allowed is refused in the words of the command line, and changes nothing', async () => {
    const one = await app().another();
    const api = await managing(one);
    for (const [name, value] of [
      ['refresh.idle_days', '0'],
      ['refresh.idle_days', '366'],
      ['refresh.idle_days', 'x'],
      ['hook_failure', 'perhaps'],
      ['sunset.xml', '2027-02-31'],
      ['brownout.xml', '12:00'],
      ['registration_roles', 'nobody of this name'],
      ['claims_mapping', 'nickname=nothing'],
      ['claims_mapping', 'nothing=email'],
    ] as const) {
      const words = await setAccount(one.services, one.account.subdomain, { [name]: value }).then(
        () => assert.fail(`${name}=${value} is allowed`),
        ({ message }: Error) => message,
      );
      const answer = await api.call('PUT', `/account-settings/${name}`, { value });
      assertRefused(answer, 422, /./, name);
      assert.equal(answer.body.message, words);
    }
    for (const body of [{}, { value: '' }, { value: 7 }, { value: true }, { value: 'x'.repeat(4001) }]) {
      assertRefused(await api.call('PUT', '/account-settings/refresh.idle_days', body), 422, /value/);
    }
    assert.deepEqual((await one.services.store.accounts.find(one.account.id))?.settings, {});
    await createRole(one.services, one.account, { name: 'Staff' });
    await api.done(200, 'PUT', '/account-settings/registration_roles', { value: 'Staff' });
  });

  it('a list of roles names at most twenty, each once', async () => {
    const one = await app().another();
    const api = await managing(one);
    const names = Array.from({ length: 21 }, (_, index) => `r${index}`);
    for (const name of names) await createRole(one.services, one.account, { name });
    for (const setting of ['registration_roles', 'open_registration_roles', 'client_id_metadata_roles']) {
      const path = `/account-settings/${setting}`;
      assertRefused(await api.call('PUT', path, { value: names.join(',') }), 422, /at most 20 names of roles/);
      await api.done(200, 'PUT', path, { value: names.slice(0, 20).join(',') });
    }
    await api.done(200, 'PUT', '/account-settings/registration_roles', { value: Array(200).fill('r1').join(',') });
    const record = await one.services.store.accounts.find(one.account.id);
    assert.deepEqual(record && accountOf(record, one.services.addresses).settings.registrationRoles, ['r1']);
  });

  it('what concerns the operator is shown and not changed, neither by a value nor by null', async () => {
    const one = await app().another({ 'limit.hooks': '7/s' });
    const api = await managing(one);
    const fixed = (await api.done(200, 'GET', '/account-settings?limit=1000')).filter((it: Shown) => !it.changeable);
    const names: string[] = fixed.map(({ name }: Shown) => name);
    for (const name of ['limit.api-2', 'limit.hooks', 'mutual_tls', 'mutual_tls_origin'])
      assert.ok(names.includes(name));
    for (const name of ['client_id_metadata_documents', 'console', 'administrators.second_factor'])
      assert.ok(names.includes(name));
    for (const { name, value } of fixed) {
      for (const sent of [value || 'off', null]) {
        const answer = await api.call('PUT', `/account-settings/${name}`, { value: sent });
        assertRefused(answer, 422, /can be changed on the command line only \(gatehouse account set\)$/, name);
      }
    }
    assert.deepEqual((await one.services.store.accounts.find(one.account.id))?.settings, { 'limit.hooks': '7/s' });
  });

  it('two changes at once of different settings are both kept', async () => {
    const one = await app().another();
    const api = await managing(one);
    for (let round = 1; round <= 5; round += 1) {
      await Promise.all([
        api.done(200, 'PUT', '/account-settings/refresh.idle_days', { value: String(round) }),
        api.done(200, 'PUT', '/account-settings/refresh.absolute_days', { value: String(round) }),
        api.done(200, 'PUT', '/account-settings/refresh.grace_seconds', { value: String(round) }),
      ]);
      assert.deepEqual((await one.services.store.accounts.find(one.account.id))?.settings, {
        'refresh.idle_days': String(round),
        'refresh.absolute_days': String(round),
        'refresh.grace_seconds': String(round),
      });
    }
  });

  it('is of the account of the caller alone', async () => {
    const [one, other] = [await app().another(), await app().another({ 'refresh.idle_days': '77' })];
    const api = await managing(one);
    const path = '/account-settings/refresh.idle_days';
    assert.equal((await api.done(200, 'GET', path)).value, '14');
    await api.done(200, 'PUT', path, { value: '33' });
    assert.equal((await (await managing(other)).done(200, 'GET', path)).value, '77');
  });
}
