/** API authorization servers over HTTP: servers, scopes, claims, linked clients, and the tokens that come of it. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unique } from '../../store/samples.ts';
import { atGateway } from '../../support/api.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { makeUser, redeem, registerClient, signInForCode } from '../../support/sign-in.ts';

const servers = '/api/2/api_authorizations';

type Call = (method: string, path: string, json?: unknown) => Promise<Answer>;

async function calls(app: TestApp): Promise<Call> {
  const headers = { authorization: `Bearer ${await app.bearer('manage_all')}` };
  return (method, path, json) =>
    app.send(method, `${servers}${path}`, { headers, ...(json !== undefined && { json }) });
}

async function done(answer: Promise<Answer>, status = 200): Promise<Answer['body']> {
  const { status: found, text, body } = await answer;
  assert.equal(found, status, text);
  return body;
}

async function refused(answer: Promise<Answer>, message: RegExp, status = 422): Promise<void> {
  const { status: found, text, body } = await answer;
  assert.equal(found, status, text);
  assert.match(body.message, message);
}

function identifier(): string {
  return `https://api.example.com/${unique()}`;
}

async function makeServer(call: Call, configuration: object = {}): Promise<Answer['body']> {
  return done(
    call('POST', '', { name: 'Orders', configuration: { resource_identifier: identifier(), ...configuration } }),
  );
}

export function apiAuthorizations(app: () => TestApp): void {
  it('creates, reads, changes member by member, lists and deletes servers', async () => {
    const call = await calls(app());
    const configuration = {
      resource_identifier: identifier(),
      audiences: ['orders'],
      access_token_expiration_minutes: 10,
      refresh_token_expiration_minutes: null,
      client_access: 'linked',
      resource_metadata: false,
    };
    const name = unique('Orders');
    const made = await done(call('POST', '', { id: 7, name, configuration }));
    assert.deepEqual(made, { id: made.id, name, description: null, configuration });
    assert.deepEqual(await done(call('GET', `/${made.id}`)), made);
    const changes = {
      description: 'For orders',
      configuration: {
        audiences: null,
        refresh_token_expiration_minutes: 30,
        client_access: 'consent',
        resource_metadata: true,
      },
    };
    const changed = await done(call('PUT', `/${made.id}`, changes));
    const expected = {
      ...configuration,
      ...{ audiences: [], refresh_token_expiration_minutes: 30, client_access: 'consent', resource_metadata: true },
    };
    assert.deepEqual(changed, { ...made, description: 'For orders', configuration: expected });
    assert.deepEqual(await done(call('PUT', `/${made.id}`, { description: null })), { ...changed, description: null });
    assert.deepEqual(await done(call('GET', `?name=${name.slice(0, -2)}*&fields=id,name`)), [{ id: made.id, name }]);
    assert.equal((await call('DELETE', `/${made.id}`)).status, 204);
    for (const method of ['GET', 'DELETE']) await refused(call(method, `/${made.id}`), /could not be found/, 404);
    await refused(call('PUT', `/${made.id}`, {}), /could not be found/, 404);
  });

  it('refuses invalid members, naming member and rule, and an identifier in use', async () => {
    const call = await calls(app());
    const { configuration } = await makeServer(call);
    const bad: readonly (readonly [object, RegExp])[] = [
      [{ name: 'x' }, /configuration/],
      [{ configuration: {} }, /name|resource_identifier/],
      [{ name: ' x', configuration: { resource_identifier: identifier() } }, /name/],
      [{ name: 'x', nonsense: 1, configuration: { resource_identifier: identifier() } }, /nonsense/],
      [{ name: 'x', configuration }, /resource_identifier has already been taken/],
      ...[
        'orders',
        '/orders',
        'https://a.example/#x',
        'https://a.example/?x',
        'https://u:p@a.example',
        'https://a b',
        '',
      ].map((text) => [{ name: 'x', configuration: { resource_identifier: text } }, /resource_identifier/] as const),
      ...[
        { access_token_expiration_minutes: 1441 },
        { refresh_token_expiration_minutes: 0 },
        { audiences: ['a b'] },
      ].map(
        (more) =>
          [{ name: 'x', configuration: { resource_identifier: identifier(), ...more } }, /minutes|audiences/] as const,
      ),
    ];
    for (const [body, message] of bad) await refused(call('POST', '', body), message);
    assert.equal((await makeServer(call, { resource_identifier: 'urn:example:orders' })).name, 'Orders');
  });

  it('scopes: added, listed, changed, removed; each value once; no scopes about the user', async () => {
    const call = await calls(app());
    const { id } = await makeServer(call);
    const to = `/${id}/scopes`;
    const { id: read, ...rest } = await done(call('POST', to, { value: 'orders:read', description: 'See orders' }));
    assert.deepEqual(rest, {});
    const { id: write } = await done(call('POST', to, { auth_server_id: 9, value: 'orders:write' }));
    const change = { description: 'Write', open: true };
    assert.deepEqual(await done(call('PUT', `${to}/${write}`, change)), { id: write });
    assert.deepEqual(await done(call('GET', `${to}?sort=-value`)), [
      { id: write, value: 'orders:write', description: 'Write', open: true },
      { id: read, value: 'orders:read', description: 'See orders', open: false },
    ]);
    await refused(call('POST', to, { value: 'orders:read' }), /value has already been taken/);
    await refused(call('PUT', `${to}/${write}`, { value: 'orders:read' }), /value has already been taken/);
    for (const value of ['openid', 'a b', 'a"b', 'a\\b', 'ü', '', 'a'.repeat(129)]) {
      await refused(call('POST', to, { value }), /value/);
    }
    const other = await makeServer(call);
    for (const path of [`/${other.id}/scopes/${read}`, `${to}/2147483000`]) {
      await refused(call('PUT', path, {}), /could not be found/, 404);
      await refused(call('DELETE', path), /could not be found/, 404);
    }
    assert.equal((await call('DELETE', `${to}/${read}`)).status, 204);
    assert.equal((await done(call('GET', to))).length, 1);
  });

  it('claims: attributes, custom attributes and macros; unknown attributes and names of tokens are refused', async () => {
    const call = await calls(app());
    const { id } = await makeServer(call);
    const to = `/${id}/claims`;
    const macro = { label: 'display', user_attribute_mappings: '_macro_', user_attribute_macros: '{firstname}!' };
    const { id: claim } = await done(call('POST', to, macro));
    const read = {
      id: claim,
      ...macro,
      attributes_transformations: null,
      skip_if_blank: true,
      values: [],
      default_values: null,
      provisioned_entitlements: false,
    };
    assert.deepEqual(await done(call('GET', to)), [read]);
    assert.deepEqual(await done(call('PUT', `${to}/${claim}`, { name: 'mail', user_attribute_mappings: 'email' })), {
      id: claim,
    });
    const [changed] = await done(call('GET', to));
    assert.deepEqual(
      [changed.label, changed.user_attribute_mappings, changed.user_attribute_macros],
      ['mail', 'email', null],
    );
    const bad: readonly (readonly [object, RegExp])[] = [
      [{ name: 'x' }, /user_attribute_mappings/],
      [{ user_attribute_mappings: 'email' }, /name/],
      [{ name: 'x', user_attribute_mappings: 'shoe_size' }, /user_attribute_mappings/],
      [{ name: 'x', user_attribute_mappings: '_macro_' }, /user_attribute_macros/],
      [{ name: 'x', user_attribute_mappings: 'email', user_attribute_macros: '{email}' }, /user_attribute_macros/],
      [
        { name: 'x', user_attribute_mappings: '_macro_', user_attribute_macros: '{shoe_size}' },
        /user_attribute_macros/,
      ],
      [{ name: 'x', user_attribute_mappings: '_macro_', user_attribute_macros: 'a } b {email}' }, /brace/],
      [{ name: 'x', user_attribute_mappings: 'email', values: [] }, /values/],
      [{ name: 'mail', user_attribute_mappings: 'email' }, /label has already been taken/],
      ...['sub', 'scope', 'client_id', '__proto__', '1x', 'a b'].map(
        (name) => [{ name, user_attribute_mappings: 'email' }, /name/] as const,
      ),
    ];
    for (const [body, message] of bad) await refused(call('POST', to, body), message);
    await refused(call('PUT', `${to}/2147483000`, {}), /could not be found/, 404);
    assert.equal((await call('DELETE', `${to}/${claim}`)).status, 204);
    await refused(call('DELETE', `${to}/${claim}`), /could not be found/, 404);
  });

  it('clients: linked with scopes of this server only, changed and unlinked', async () => {
    const call = await calls(app());
    const [one, two] = [await makeServer(call), await makeServer(call)];
    const scope = (await done(call('POST', `/${one.id}/scopes`, { value: 'a', description: 'A' }))).id;
    const foreign = (await done(call('POST', `/${two.id}/scopes`, { value: 'a' }))).id;
    const client = await registerClient(app());
    const to = `/${one.id}/clients`;
    const link = { app_id: client.app_id, api_auth_id: one.id };
    await refused(call('POST', to, { app_id: client.app_id, scopes: [scope, foreign] }), /scopes/);
    await refused(call('POST', to, { app_id: 2_147_483_000, scopes: [] }), /app_id/);
    await refused(call('POST', to, { scopes: [] }), /app_id/);
    assert.deepEqual(
      await done(call('POST', to, { id: 1, auth_server_id: 1, app_id: client.app_id, scopes: [scope] }), 201),
      link,
    );
    await refused(call('POST', to, { app_id: client.app_id, scopes: [] }), /app_id has already been taken/);
    const listed = { ...link, name: 'Test App', scopes: [{ id: scope, value: 'a', description: 'A', open: false }] };
    assert.deepEqual(await done(call('GET', `${to}?app_id=${client.app_id}`)), [listed]);
    await refused(call('PUT', `${to}/${client.app_id}`, { scopes: [foreign] }), /scopes/);
    assert.deepEqual(await done(call('PUT', `${to}/${client.app_id}`, { app_id: 1, scopes: [] })), link);
    assert.deepEqual(await done(call('GET', to)), [{ ...listed, scopes: [] }]);
    assert.equal((await call('DELETE', `${to}/${client.app_id}`)).status, 204);
    for (const method of ['PUT', 'DELETE']) {
      const body = method === 'PUT' ? { scopes: [] } : undefined;
      await refused(call(method, `${to}/${client.app_id}`, body), /could not be found/, 404);
    }
    for (const part of ['scopes', 'claims', 'clients']) {
      await refused(call('GET', `/2147483000/${part}`), /could not be found/, 404);
    }
    const bodies = { scopes: { value: 'x' }, claims: { name: 'x', user_attribute_mappings: 'email' }, clients: listed };
    for (const [part, body] of Object.entries(bodies)) {
      const sent = part === 'clients' ? { app_id: client.app_id, scopes: [] } : body;
      await refused(call('POST', `/2147483000/${part}`, sent), /could not be found/, 404);
    }
  });

  it("treats another account's rows as unknown, and links none of them", async () => {
    const call = await calls(app());
    const other = await app().another();
    const theirs = await calls(other);
    const { id } = await makeServer(theirs);
    const scope = (await done(theirs('POST', `/${id}/scopes`, { value: 'a' }))).id;
    const claim = (await done(theirs('POST', `/${id}/claims`, { name: 'a', user_attribute_mappings: 'email' }))).id;
    const client = await registerClient(other);
    await done(theirs('POST', `/${id}/clients`, { app_id: client.app_id, scopes: [scope] }), 201);
    const parts = ['', `/scopes/${scope}`, `/claims/${claim}`, `/clients/${client.app_id}`];
    for (const part of parts) {
      await refused(
        call('PUT', `/${id}${part}`, part.startsWith('/clients') ? { scopes: [] } : {}),
        /could not be/,
        404,
      );
      await refused(call('DELETE', `/${id}${part}`), /could not be found/, 404);
    }
    for (const part of ['', '/scopes', '/claims', '/clients'])
      await refused(call('GET', `/${id}${part}`), /could not/, 404);
    const own = await makeServer(call);
    await refused(call('POST', `/${own.id}/clients`, { app_id: client.app_id, scopes: [] }), /app_id/);
    assert.equal((await done(theirs('GET', `/${id}/clients`)))[0].scopes.length, 1);
  });

  it('a client linked here gets tokens with custom attributes and details of the user', async () => {
    const call = await calls(app());
    const headers = { authorization: `Bearer ${await app().bearer('manage_all')}` };
    const client = await registerClient(app());
    const user = await makeUser(app(), client.app_id);
    const shortname = unique('badge');
    const field = { user_field: { name: 'Badge', shortname } };
    await done(app().send('POST', '/api/2/users/custom_attributes', { headers, json: field }), 201);
    const json = { department: 'Engines', custom_attributes: { [shortname]: '42' } };
    await done(app().send('PUT', `/api/2/users/${user.id}`, { headers, json }));
    const server = await makeServer(call);
    const scope = (await done(call('POST', `/${server.id}/scopes`, { value: 'a' }))).id;
    const mappings = [
      ['department', 'department'],
      ['badge', shortname],
      ['also', `custom_attributes.${shortname}`],
      ['no', 'title'],
    ];
    for (const [name, attribute] of mappings) {
      await done(call('POST', `/${server.id}/claims`, { name, user_attribute_mappings: attribute }));
    }
    await done(call('POST', `/${server.id}/clients`, { app_id: client.app_id, scopes: [scope] }), 201);
    const query = await signInForCode(app(), client, user, { scope: 'openid a' });
    const tokens = await redeem(app(), client, query.get('code') ?? '');
    const claims = await atGateway(app(), tokens.access_token, server.configuration.resource_identifier);
    assert.deepEqual([claims['department'], claims['badge'], claims['also']], ['Engines', '42', '42']);
    assert.ok(!('no' in claims));
  });
}
