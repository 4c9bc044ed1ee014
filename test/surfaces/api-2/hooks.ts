import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { assertRefused, managing } from './managing.ts';

export const encoded = (source: string): string => Buffer.from(source).toString('base64');
export const source = encoded('exports.handler = async (context) => ({ user: context.user });');
export const least = { type: 'pre-authentication', function: source };

/** The document's §2.3 and §4.4. */
export function hooks(app: () => TestApp): void {
  it('a hook is created with defaults, read, listed, replaced and deleted with 202', async () => {
    using _ = app().services.clock.hold();
    const one = await app().another();
    const api = await managing(one);
    const made = await api.done(201, 'POST', '/hooks', least);
    const at = new Date(one.services.clock.now()).toISOString();
    assert.deepEqual(made, {
      id: made.id,
      type: 'pre-authentication',
      function: source,
      disabled: false,
      runtime: 'jsruntime12.x',
      retries: 0,
      timeout: 1,
      options: null,
      env_vars: [],
      packages: {},
      conditions: [],
      context_version: '1.1.0',
      status: 'ready',
      created_at: at,
      updated_at: at,
    });
    assert.match(made.id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    assert.deepEqual(await api.done(200, 'GET', `/hooks/${made.id}`), made);
    assert.deepEqual(await api.done(200, 'GET', '/hooks'), [made]);
    await api.done(201, 'POST', '/roles', { name: 'Staff' });
    one.services.clock.advance(1000);
    const full = {
      type: 'pre-authentication',
      function: '',
      disabled: true,
      runtime: 'jsruntime12.x',
      retries: 4,
      timeout: 1,
      options: { risk_enabled: true, location_enabled: false, mfa_device_info_enabled: true },
      env_vars: [],
      packages: {},
      conditions: [{ source: 'roles', operator: '!~', value: 'Staff' }],
      context_version: '^1.0.0',
    };
    const replaced = await api.done(200, 'PUT', `/hooks/${made.id}`, full);
    const updated = new Date(one.services.clock.now()).toISOString();
    assert.deepEqual(replaced, { ...made, ...full, updated_at: updated });
    const again = await api.done(200, 'PUT', `/hooks/${made.id}`, { ...replaced, status: 7, created_at: null });
    assert.deepEqual(again, replaced, 'read-only members are ignored');
    const bare = await api.done(200, 'PUT', `/hooks/${made.id}`, {
      ...least,
      ...Object.fromEntries(['env_vars', 'packages', 'conditions', 'options', 'retries'].map((name) => [name, null])),
    });
    assert.deepEqual(bare, { ...made, updated_at: updated }, 'omitted members get their defaults');
    const gone = await api.call('DELETE', `/hooks/${made.id}`);
    assert.deepEqual([gone.status, gone.text], [202, '']);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await api.call(method, `/hooks/${made.id}`, method === 'PUT' ? least : undefined);
      assertRefused(answer, 404, /could not be found/, method);
    }
    assertRefused(await api.call('GET', `/hooks/${made.id}/logs`), 404);
    assertRefused(await api.call('POST', `/hooks/${made.id}/test`, {}), 404);
  });

  it('flags are accepted nested or at the top level, nested ones win, and are returned nested', async () => {
    const api = await managing(await app().another());
    const optionsOf = async (body: object) => (await api.done(201, 'POST', '/hooks', { ...least, ...body })).options;
    const none = { risk_enabled: false, location_enabled: false, mfa_device_info_enabled: false };
    assert.deepEqual(await optionsOf({ risk_enabled: true }), { ...none, risk_enabled: true });
    assert.deepEqual(await optionsOf({ options: { location_enabled: true } }), { ...none, location_enabled: true });
    const both = { options: { risk_enabled: false }, risk_enabled: true, mfa_device_info_enabled: true };
    assert.deepEqual(await optionsOf(both), { ...none, mfa_device_info_enabled: true });
    const ours = { failed_login_attempts_enabled: true };
    assert.deepEqual(await optionsOf(ours), { ...none, ...ours });
    assert.deepEqual(await optionsOf({ failed_login_attempts_enabled: false }), none);
    assert.equal(await optionsOf({ options: {} }), null);
    assert.equal(await optionsOf({ options: null }), null);
  });

  it('links variables by name or as objects; a deleted variable is unlinked', async () => {
    const api = await managing(await app().another());
    const { id } = await api.done(201, 'POST', '/hooks/envs', { name: 'FIRST', value: 'x' });
    await api.done(201, 'POST', '/hooks/envs', { name: 'SECOND', value: 'x' });
    const hook = await api.done(201, 'POST', '/hooks', { ...least, env_vars: ['SECOND', { name: 'FIRST', id }] });
    assert.deepEqual(hook.env_vars, ['SECOND', 'FIRST']);
    await api.done(204, 'DELETE', `/hooks/envs/${id}`);
    assert.deepEqual((await api.done(200, 'GET', `/hooks/${hook.id}`)).env_vars, ['SECOND']);
    await api.done(201, 'POST', '/hooks/envs', { name: 'FIRST', value: 'y' });
    assert.deepEqual(
      (await api.done(200, 'GET', '/hooks'))[0].env_vars,
      ['SECOND'],
      'another one of the same name is a different one',
    );
  });

  it('a hook with packages waits for them', async () => {
    const api = await managing(await app().another());
    const packages = { lodash: '4.17.21', '@scope/name': '1.0.0-rc.1' };
    const made = await api.done(201, 'POST', '/hooks', { ...least, packages });
    assert.deepEqual([made.packages, made.status], [packages, 'create-queued']);
    assertRefused(
      await api.call('POST', `/hooks/${made.id}/test`, {}),
      422,
      /packages are not built \(create-queued\)/,
    );
  });

  it('lists by type and time, up to 100 per page', async () => {
    const one = await app().another();
    const api = await managing(one);
    const ids: string[] = [];
    for (const type of ['user-migration', 'pre-authentication', 'user-migration']) {
      ids.push((await api.done(201, 'POST', '/hooks', { ...least, type })).id);
      one.services.clock.advance(1000);
    }
    const listed = async (query: string) =>
      (await api.done(200, 'GET', `/hooks${query}`)).map(({ id }: { id: string }) => ids.indexOf(id));
    assert.deepEqual(await listed(''), [0, 1, 2]);
    assert.deepEqual(await listed('?sort=-created_at&fields=id'), [2, 1, 0]);
    assert.deepEqual(await listed('?type=user-migration'), [0, 2]);
    assert.deepEqual(await listed('?type=other'), []);
    const first = await api.call('GET', '/hooks?limit=2');
    assert.deepEqual([first.headers['total-count'], first.headers['total-pages']], ['3', '2']);
    assert.deepEqual(await listed(`?cursor=${first.headers['after-cursor']}`), [2]);
    assertRefused(await api.call('GET', '/hooks?limit=101'), 400, /limit/);
    assertRefused(await api.call('GET', '/hooks?cursor=AAAA'), 422, /cursor/);
    assertRefused(await api.call('GET', '/hooks?sort=type'), 400, /sort/);
  });

  it('is unknown to another account, and to everyone but manage_all', async () => {
    const theirs = await managing(await app().another());
    const { id } = await theirs.done(201, 'POST', '/hooks', least);
    const api = await managing(app());
    for (const unknown of [id, 'none', '1']) {
      assertRefused(await api.call('GET', `/hooks/${unknown}`), 404, /could not be found/, unknown);
      assertRefused(await api.call('PUT', `/hooks/${unknown}`, least), 404, /could not be found/, unknown);
      assertRefused(await api.call('DELETE', `/hooks/${unknown}`), 404, /could not be found/, unknown);
      assertRefused(await api.call('GET', `/hooks/${unknown}/logs`), 404, /could not be found/, unknown);
      assertRefused(await api.call('POST', `/hooks/${unknown}/test`, {}), 404, /could not be found/, unknown);
    }
    for (const scope of ['read_all', 'manage_users', 'read_users', 'authentication_only'] as const) {
      const other = await managing(app(), scope);
      for (const [method, path, body] of [
        ['GET', '/hooks'],
        ['POST', '/hooks', least],
        ['GET', `/hooks/${id}`],
        ['PUT', `/hooks/${id}`, least],
        ['DELETE', `/hooks/${id}`],
        ['GET', `/hooks/${id}/logs`],
        ['POST', `/hooks/${id}/test`, {}],
        ['GET', `/hooks/${id}/versions`],
        ['POST', `/hooks/${id}/rollback`, {}],
        ['PUT', `/hooks/${id}/draft`, { function: source }],
        ['POST', `/hooks/${id}/draft/promote`],
        ['POST', `/hooks/${id}/logs/${id}/replay`, {}],
        ['POST', '/hooks/test', { ...least, context: {} }],
        ['GET', '/hooks/logs/stream'],
      ] as const) {
        assertRefused(await other.call(method, path, body), 403, /manage_all/, `${scope} ${method} ${path}`);
      }
    }
    assert.equal((await app().send('GET', '/api/2/hooks')).status, 401);
  });

  it('accepts as many hooks as an account may have', async () => {
    const api = await managing(await app().another());
    for (let made = 0; made < 100; made += 1) await api.done(201, 'POST', '/hooks', { ...least, function: '' });
    assertRefused(
      await api.call('POST', '/hooks', least),
      422,
      /^hook cannot be added: the account has 100 hooks already$/,
    );
    assert.equal((await api.done(200, 'GET', '/hooks')).length, 100);
  });
}
