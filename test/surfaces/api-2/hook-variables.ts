import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { dump } from '../../support/rows.ts';
import { assertRefused, managing } from './managing.ts';

/** The document's §2.4 and §4.3. */
export function hookVariables(app: () => TestApp): void {
  it('a variable is created, read, listed, changed and removed, and its value is never shown', async () => {
    using _ = app().services.clock.hold();
    const one = await app().another();
    const api = await managing(one);
    const made = await api.done(201, 'POST', '/hooks/envs', { name: 'API_KEY', value: 'canary-3f9a' });
    const { value, ...shown } = made;
    assert.equal(value, '');
    assert.match(shown.id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    const createdAt = new Date(one.services.clock.now()).toISOString();
    assert.deepEqual(shown, { id: shown.id, name: 'API_KEY', created_at: createdAt, updated_at: createdAt });
    assert.deepEqual(await api.done(200, 'GET', `/hooks/envs/${shown.id}`), shown);
    assert.deepEqual(await api.done(200, 'GET', '/hooks/envs'), [shown]);
    one.services.clock.advance(1000);
    const changed = await api.done(200, 'PUT', `/hooks/envs/${shown.id}`, { name: 'API_KEY', value: 'canary-77' });
    const updatedAt = new Date(one.services.clock.now()).toISOString();
    assert.deepEqual(changed, { ...made, updated_at: updatedAt });
    await api.done(200, 'PUT', `/hooks/envs/${shown.id}`, { value: 'canary-78' });
    const gone = await api.call('DELETE', `/hooks/envs/${shown.id}`);
    assert.deepEqual([gone.status, gone.text], [204, '']);
    assertRefused(await api.call('GET', `/hooks/envs/${shown.id}`), 404, /could not be found/);
    assertRefused(await api.call('DELETE', `/hooks/envs/${shown.id}`), 404);
    const told = await one.services.store.events.listBefore(one.account.id, null, 100);
    assert.doesNotMatch(JSON.stringify([told, one.services.lines]), /canary|API_KEY/);
  });

  it('is stored sealed for its account, table and row', async () => {
    const one = await app().another();
    const api = await managing(one);
    const { id } = await api.done(201, 'POST', '/hooks/envs', { name: 'SEALED', value: 'canary-at-rest' });
    const other = await api.done(201, 'POST', '/hooks/envs', { name: 'OTHER', value: 'canary-at-rest' });
    assert.doesNotMatch(await dump(one.url), /canary-at-rest/);
    const { store, vault } = one.services;
    const sealed = (await store.hookVariables.find(one.account.id, id))?.sealedValue ?? '';
    const place = (uuid: string) => `hook_variables|sealed_value|${uuid}`;
    assert.equal(vault.unseal(one.account.record, place(id), sealed).toString(), 'canary-at-rest');
    assert.throws(() => vault.unseal(one.account.record, place(other.id), sealed));
    const stranger = await app().another();
    assert.throws(() => vault.unseal(stranger.account.record, place(id), sealed));
  });

  it('an invalid member is 422 with its name', async () => {
    const api = await managing(app());
    await api.done(201, 'POST', '/hooks/envs', { name: 'TAKEN', value: 'x' });
    for (const [body, message] of [
      [{}, /name|value/],
      [{ name: 'A' }, /value/],
      [{ value: 'x' }, /name/],
      [{ name: '', value: 'x' }, /name/],
      [{ name: '1A', value: 'x' }, /name must begin with a letter or _/],
      [{ name: 'A-B', value: 'x' }, /name must begin with a letter or _/],
      [{ name: 'A'.repeat(101), value: 'x' }, /name must have at most 100/],
      [{ name: 'A', value: '' }, /value must have at least 1/],
      [{ name: 'A', value: 'x'.repeat(5001) }, /value must have at most 5000/],
      [{ name: 'A', value: 7 }, /value must be a string/],
      [{ name: 'A', value: 'x', more: 1 }, /more|additional/],
      [{ name: 'TAKEN', value: 'x' }, /^name has already been taken$/],
    ] as const) {
      assertRefused(await api.call('POST', '/hooks/envs', body), 422, message, JSON.stringify(body).slice(0, 80));
    }
    await api.done(201, 'POST', '/hooks/envs', { name: `_${'A'.repeat(99)}`, value: 'x'.repeat(5000) });
  });

  it('an account has up to 500 of them', async () => {
    const one = await app().another();
    const api = await managing(one);
    const now = one.services.clock.now();
    await one.services.store.transaction(async (tx) => {
      for (let made = 0; made < 500; made += 1) {
        const own = { accountId: one.account.id, uuid: randomUUID(), name: `V${made}`, sealedValue: 'sealed' };
        await tx.hookVariables.create({ ...own, createdAt: now, updatedAt: now });
      }
    });
    const answer = await api.call('POST', '/hooks/envs', { name: 'ONE_MORE', value: 'x' });
    assertRefused(answer, 422, /^variable cannot be added: the account has 500 variables already$/);
  });

  it('PUT accepts only the value and the same name; an unknown id is 400', async () => {
    const api = await managing(app());
    const { id } = await api.done(201, 'POST', '/hooks/envs', { name: 'PUT_ME', value: 'x' });
    for (const [body, message] of [
      [{}, /value/],
      [{ name: 'PUT_ME' }, /value/],
      [{ name: 'OTHER', value: 'y' }, /^name cannot be changed$/],
      [{ value: 'y', id }, /id|additional/],
      [{ value: '' }, /value must have at least 1/],
      [{ value: 'x'.repeat(5001) }, /value must have at most 5000/],
      [{ value: null }, /value must be a string/],
    ] as const) {
      assertRefused(await api.call('PUT', `/hooks/envs/${id}`, body), 422, message, JSON.stringify(body));
    }
    for (const unknown of ['5a52c1f1-0000-4b8e-9f0e-5b1a5c0f6c11', 'none', '1']) {
      const answer = await api.call('PUT', `/hooks/envs/${unknown}`, { value: 'y' });
      assertRefused(answer, 400, /^Invalid env record ID$/, unknown);
    }
  });

  it('is unknown to another account, and to everyone but manage_all', async () => {
    const theirs = await managing(await app().another());
    const { id } = await theirs.done(201, 'POST', '/hooks/envs', { name: 'THEIRS', value: 'x' });
    const api = await managing(app());
    assertRefused(await api.call('GET', `/hooks/envs/${id}`), 404);
    assertRefused(await api.call('PUT', `/hooks/envs/${id}`, { value: 'y' }), 400, /^Invalid env record ID$/);
    assertRefused(await api.call('DELETE', `/hooks/envs/${id}`), 404);
    for (const scope of ['read_all', 'manage_users', 'read_users', 'authentication_only'] as const) {
      const other = await managing(app(), scope);
      assertRefused(await other.call('GET', '/hooks/envs'), 403, /manage_all/, scope);
      assertRefused(await other.call('POST', '/hooks/envs', { name: 'A', value: 'x' }), 403, /manage_all/, scope);
    }
    assert.equal((await app().send('GET', '/api/2/hooks/envs')).status, 401);
  });

  it('lists up to 100 per page, by name and in any order; an invalid cursor is 422', async () => {
    const api = await managing(await app().another());
    for (const name of ['B_2', 'A_1', 'B_1']) await api.done(201, 'POST', '/hooks/envs', { name, value: 'x' });
    const names = async (query: string) =>
      (await api.done(200, 'GET', `/hooks/envs${query}`)).map(({ name }: { name: string }) => name);
    assert.deepEqual(await names(''), ['B_2', 'A_1', 'B_1']);
    assert.deepEqual(await names('?sort=name'), ['A_1', 'B_1', 'B_2']);
    assert.deepEqual(await names('?name=B_*'), ['B_1', 'B_2']);
    assert.deepEqual(await names('?name=A_1&unknown=1'), ['A_1']);
    const first = await api.call('GET', '/hooks/envs?limit=2&sort=-name&fields=name');
    assert.equal(first.headers['total-count'], '3');
    assert.deepEqual(await names(`?cursor=${first.headers['after-cursor']}`), ['A_1']);
    assertRefused(await api.call('GET', '/hooks/envs?limit=101'), 400, /limit/);
    assertRefused(await api.call('GET', '/hooks/envs?limit=0'), 400, /limit/);
    assertRefused(await api.call('GET', '/hooks/envs?cursor=AAAA'), 422, /cursor/);
    assertRefused(await api.call('GET', '/hooks/envs?cursor=-'), 422, /cursor/);
  });
}
