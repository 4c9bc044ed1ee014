import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import { redeem, refresh, registerClient, signedIn, signInForCode } from '../../support/sign-in.ts';
import { assertRefused, managing } from './managing.ts';

const unknown = 2_147_483_000;
const redirectUri = 'https://app.example.com/callback';

export function apps(app: () => TestApp): void {
  it('creates, reads, lists, changes and deletes an app', async () => {
    using _ = app().services.clock.hold();
    const one = await app().another();
    const api = await managing(one);
    const now = new Date(one.services.clock.now()).toISOString();
    const { id: roleId } = await api.done(201, 'POST', '/roles', { name: 'Staff' });
    const created = await api.done(200, 'POST', '/apps', {
      id: 7,
      name: 'Payroll',
      connector_id: 5,
      description: 'Salaries',
      role_ids: [roleId],
      brand_id: 'ignored',
      unknown: { at: 'all' },
      configuration: { redirect_uri: `${redirectUri}\r\n https://b.example.com/cb \n`, oidc_application_type: 0, x: 1 },
    });
    assert.match(created.client_id, /^[A-Za-z0-9_-]+$/);
    assert.match(created.sso.client_secret, /^cs_/);
    const shown = { ...created, sso: { client_id: created.client_id } };
    assert.deepEqual(shown, {
      id: created.id,
      connector_id: 5,
      client_id: created.client_id,
      name: 'Payroll',
      description: 'Salaries',
      notes: null,
      auth_method: 8,
      visible: true,
      policy_id: null,
      brand_id: null,
      icon_url: null,
      tab_id: null,
      allow_assumed_signin: false,
      role_ids: [roleId],
      provisioning: { enabled: false },
      parameters: {},
      configuration: {
        redirect_uri: `${redirectUri}\nhttps://b.example.com/cb`,
        post_logout_redirect_uri: '',
        login_url: '',
        oidc_application_type: 0,
        token_endpoint_auth_method: 0,
        access_token_expiration_minutes: 60,
        refresh_token_expiration_minutes: one.account.settings.refreshIdleDays * 1440,
      },
      sso: { client_id: created.client_id },
      created_at: now,
      updated_at: now,
    });
    const path = `/apps/${created.id}`;
    assert.deepEqual(await api.done(200, 'GET', path), shown);
    assert.deepEqual(await api.done(200, 'GET', '/apps'), [shown]);
    one.services.clock.advance(1000);
    const changed = await api.done(200, 'PUT', path, {
      ...shown,
      name: null,
      connector_id: null,
      notes: 'Spring',
      description: null,
      role_ids: null,
      icon_url: 'https://pay.example.com/icon.png',
      configuration: { login_url: 'https://pay.example.com/', redirect_uri: redirectUri, oidc_application_type: null },
    });
    const later = new Date(one.services.clock.now()).toISOString();
    assert.deepEqual(changed, {
      ...shown,
      notes: 'Spring',
      description: null,
      role_ids: [],
      icon_url: 'https://pay.example.com/icon.png',
      configuration: { ...shown.configuration, login_url: 'https://pay.example.com/', redirect_uri: redirectUri },
      updated_at: later,
    });
    assert.deepEqual(await api.done(200, 'PUT', path, {}), changed);
    await api.done(204, 'DELETE', path);
    for (const [method, to, body] of [
      ['GET', '', undefined],
      ['PUT', '', {}],
      ['DELETE', '', undefined],
      ['GET', '/users', undefined],
      ['POST', '/secret', {}],
    ] as const) {
      assertRefused(await api.call(method, path + to, body), 404);
    }
  });

  it('token lifetimes are those of the app; 0 or null selects those of the account', async () => {
    const one = await app().another({ 'limit.api-2': 'off', 'refresh.idle_days': '2' });
    const api = await managing(one);
    const { client, user } = await signedIn(one);
    const path = `/apps/${client.app_id}`;
    const lifetimes = (access: number | null, refreshed: number | null) => ({
      configuration: { access_token_expiration_minutes: access, refresh_token_expiration_minutes: refreshed },
    });
    const shown = async (body: object) => {
      const { configuration } = await api.done(200, 'PUT', path, body);
      return [configuration.access_token_expiration_minutes, configuration.refresh_token_expiration_minutes];
    };
    const signIn = async () => {
      const query = await signInForCode(one, client, user);
      return redeem(one, client, query.get('code') ?? '');
    };
    assert.deepEqual(await shown(lifetimes(5, 30)), [5, 30]);
    assert.deepEqual(await shown({ notes: 'x' }), [5, 30], 'omitted members are unchanged');
    const first = await signIn();
    assert.equal(first.expires_in, 300);
    one.services.clock.advance(29 * 60_000);
    const second = await refresh(one, client, first.refresh_token);
    assert.deepEqual([second.status, second.body.expires_in], [200, 300]);
    one.services.clock.advance(30 * 60_000);
    assert.equal((await refresh(one, client, second.body.refresh_token)).status, 400);
    for (const none of [null, 0]) {
      await api.done(200, 'PUT', path, lifetimes(5, 30));
      assert.deepEqual(await shown(lifetimes(none, none)), [60, 2 * 1440], `${none}`);
    }
    const later = await signIn();
    assert.equal(later.expires_in, 3600);
    one.services.clock.advance(2 * 86_400_000 - 60_000);
    assert.equal((await refresh(one, client, later.refresh_token)).status, 200);
    const afterwards = await managing(one);
    for (const wrong of [lifetimes(1441, 1), lifetimes(1, 525_601), lifetimes(-1, 1)]) {
      assertRefused(await afterwards.call('PUT', path, wrong), 422, /_expiration_minutes/);
    }
    const made = await afterwards.done(200, 'POST', '/apps', { name: 'Brief', ...lifetimes(1, 525_600) });
    assert.equal(made.configuration.refresh_token_expiration_minutes, 525_600);
  });

  it("sets the policy of sign-ins to the app, null for none; another account's policy is 422", async () => {
    const api = await managing(app());
    const { id: policyId } = await api.done(201, 'POST', '/policies', { name: unique('policy'), otp_required: true });
    const made = await api.done(200, 'POST', '/apps', { name: 'Vault', policy_id: policyId });
    assert.equal(made.policy_id, policyId);
    assertRefused(await api.call('DELETE', `/policies/${policyId}`), 409, /app follows/);
    assert.equal((await api.done(200, 'PUT', `/apps/${made.id}`, { notes: 'x' })).policy_id, policyId);
    const { id: theirs } = await (await managing(await app().another({ 'limit.api-2': 'off' }))).done(
      201,
      'POST',
      '/policies',
      { name: 'Theirs' },
    );
    for (const policy_id of [theirs, 2 ** 31 - 1]) {
      assertRefused(await api.call('PUT', `/apps/${made.id}`, { policy_id }), 422, /policy_id/);
      assertRefused(await api.call('POST', '/apps', { name: 'Other', policy_id }), 422, /policy_id/);
    }
    for (const policy_id of [0, null]) {
      await api.done(200, 'PUT', `/apps/${made.id}`, { policy_id: policyId });
      assert.equal((await api.done(200, 'PUT', `/apps/${made.id}`, { policy_id })).policy_id, null);
    }
    await api.done(204, 'DELETE', `/policies/${policyId}`);
  });

  it('is also the client of a registration, and changes here apply to it at once', async () => {
    const one = await app().another();
    const api = await managing(one);
    const client = await registerClient(one, { contacts: ['a@example.com'], client_name: undefined });
    const found = await api.done(200, 'GET', `/apps/${client.app_id}`);
    assert.deepEqual([found.client_id, found.name, found.visible], [client.client_id, client.client_id, true]);
    assert.equal(found.created_at, found.updated_at);
    await api.done(200, 'PUT', `/apps/${client.app_id}`, {
      configuration: { redirect_uri: 'https://new.example.com/' },
    });
    const row = await one.services.store.clients.find(one.account.id, client.client_id);
    assert.deepEqual(
      [row?.name, row?.redirectUris, row?.extra],
      ['', ['https://new.example.com/'], { contacts: ['a@example.com'] }],
    );
  });

  it('lists apps by name, client, connector and time, and refuses other parameters', async () => {
    const one = await app().another();
    const api = await managing(one);
    const pay = await api.done(200, 'POST', '/apps', { name: 'Payroll', connector_id: 5 });
    one.services.clock.advance(5000);
    const wiki = await api.done(200, 'POST', '/apps', { name: 'Wiki' });
    assert.equal(wiki.connector_id, 108_419);
    for (const [query, ids] of [
      ['', [pay.id, wiki.id]],
      ['?sort=-name', [wiki.id, pay.id]],
      ['?name=P*', [pay.id]],
      [`?id=${wiki.id}`, [wiki.id]],
      [`?client_id=${wiki.client_id}`, [wiki.id]],
      ['?client_id=nobody', []],
      ['?connector_id=5', [pay.id]],
      ['?auth_method=8', [pay.id, wiki.id]],
      ['?auth_method=2', []],
      [`?created_since=${wiki.created_at}`, [wiki.id]],
      [`?updated_until=${pay.created_at}`, [pay.id]],
    ] as const) {
      const found = await api.done(200, 'GET', `/apps${query}`);
      assert.deepEqual(
        found.map(({ id }: { id: number }) => id),
        ids,
        query,
      );
    }
    assert.deepEqual(await api.done(200, 'GET', '/apps?fields=name&limit=1'), [{ name: 'Payroll' }]);
    for (const query of ['?nonsense=1', '?sort=notes', '?fields=nonsense']) {
      assertRefused(await api.call('GET', `/apps${query}`), 400, new RegExp(query.slice(1, 5)));
    }
  });

  it('a member that breaks a rule of registration is 422 with its name, and nothing changes', async () => {
    const api = await managing(app());
    const { sso: _, ...before } = await api.done(200, 'POST', '/apps', { name: unique('app') });
    for (const [body, message] of [
      [{ name: '' }, /^name /],
      [{ name: 5 }, /^name /],
      [{ name: 'x', role_ids: [unknown] }, /^unknown role in role_ids/],
      [{ name: 'x', description: ' x' }, /^description /],
      [{ name: 'gnp\u202eexe' }, /^name /],
      [{ name: 'x', icon_url: 'javascript:x' }, /^icon_url /],
      [{ name: 'x', icon_url: 'https://x;sandbox/icon.png' }, /^icon_url /],
      [{ name: 'x', icon_url: 'https://*/icon.png' }, /^icon_url /],
      [{ name: 'x', configuration: { redirect_uri: 'http://app.example.com/' } }, /^configuration\.redirect_uri/],
      [{ name: 'x', configuration: { post_logout_redirect_uri: 'x' } }, /^configuration\.post_logout_redirect_uri/],
      [{ name: 'x', configuration: { login_url: 'x' } }, /^configuration\.login_url/],
      [{ name: 'x', configuration: { oidc_application_type: 2 } }, /^configuration\.oidc_application_type/],
      [{ name: 'x', configuration: { token_endpoint_auth_method: 9 } }, /^configuration\.token_endpoint_auth_method/],
    ] as const) {
      assertRefused(await api.call('POST', '/apps', body), 422, message, JSON.stringify(body));
      assertRefused(await api.call('PUT', `/apps/${before.id}`, body), 422, message, JSON.stringify(body));
    }
    assertRefused(await api.call('POST', '/apps', {}), 422, /name/);
    assertRefused(await api.call('POST', '/apps', { name: null }), 422, /name/);
    const { sso: __, ...after } = await api.done(200, 'GET', `/apps/${before.id}`);
    assert.deepEqual(after, before);
  });

  it('a name and an icon from before a rule stay until they are written, and do not stop other changes', async () => {
    const one = await app().another();
    const api = await managing(one);
    const { id } = await api.done(200, 'POST', '/apps', { name: 'Payroll', icon_url: 'https://pay.example.com/i.png' });
    const former = { name: 'gnp\u202eexe', extra: { logo_uri: 'https://x;sandbox/icon.png' } };
    await one.services.store.clients.update(one.account.id, id, former);
    const changed = await api.done(200, 'PUT', `/apps/${id}`, { notes: 'Spring' });
    assert.deepEqual([changed.notes, changed.name, changed.icon_url], ['Spring', former.name, former.extra.logo_uri]);
    assertRefused(await api.call('PUT', `/apps/${id}`, { icon_url: changed.icon_url }), 422, /^icon_url /);
    assertRefused(await api.call('PUT', `/apps/${id}`, { name: changed.name }), 422, /^name /);
    const mended = await api.done(200, 'PUT', `/apps/${id}`, { name: 'Payroll', icon_url: null });
    assert.deepEqual([mended.name, mended.icon_url], ['Payroll', null]);
  });

  it('another account’s apps are answered as unknown', async () => {
    const them = await managing(await app().another());
    const { id } = await them.done(200, 'POST', '/apps', { name: 'Theirs' });
    const { id: theirRole } = await them.done(201, 'POST', '/roles', { name: 'Theirs' });
    const api = await managing(app());
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['GET', '/users', undefined],
      ['POST', '/secret', {}],
    ] as const) {
      const answer = await api.call(method, `/apps/${id}${path}`, body);
      assertRefused(answer, 404);
      assert.equal(answer.text, (await api.call(method, `/apps/${unknown}${path}`, body)).text);
    }
    assertRefused(await api.call('POST', '/apps', { name: 'x', role_ids: [theirRole] }), 422, /role_ids/);
    assert.equal((await them.done(200, 'GET', `/apps/${id}`)).name, 'Theirs');
  });
}
