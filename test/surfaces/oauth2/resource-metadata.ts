import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changeServer, removeServer } from '../../../src/domain/authorization-servers/servers.ts';
import { makeApi, makeOpenApi } from '../../support/api.ts';
import type { AppOf } from './asking.ts';

const at = (id: number | string) => `/oauth2/resource_metadata/${id}`;

/** RFC 9728 §2 and §3: what anybody may know of an API that says so. */
export function resourceMetadata(app: AppOf): void {
  it('an open API answers its open scopes, its issuer, and its own identifier letter by letter', async () => {
    const api = await makeOpenApi(app(), ['tools:call', 'tools:list'], { resourceMetadata: true });
    const answer = await app().send('GET', at(api.id));
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body, {
      resource: api.resource,
      authorization_servers: [app().account.baseUrl],
      scopes_supported: ['tools:call', 'tools:list'],
      bearer_methods_supported: ['header'],
      resource_name: 'Tools',
      dpop_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
      dpop_bound_access_tokens_required: false,
    });
    assert.equal(answer.headers['cache-control'], 'public, max-age=300');
    assert.equal(answer.headers['access-control-allow-origin'], '*');
  });

  it('one for linked clients names all its scopes, and one of a FAPI account wants tokens with a key', async () => {
    const one = await app().another({ security_profile: 'fapi2' });
    const api = await makeApi(one, ['orders:read', 'orders:write'], { resourceMetadata: true });
    const { body } = await one.send('GET', at(api.id));
    assert.deepEqual(body.scopes_supported, ['orders:read', 'orders:write']);
    assert.equal(body.dpop_bound_access_tokens_required, true);
    assert.deepEqual(body.dpop_signing_alg_values_supported, ['PS256', 'ES256', 'EdDSA', 'Ed25519']);
  });

  it('one without open scopes names none at all; with certificates a token need not be bound to a key', async () => {
    const one = await app().another({ security_profile: 'fapi2', mutual_tls: 'any' });
    const api = await makeOpenApi(one, [], { resourceMetadata: true });
    const { body } = await one.send('GET', at(api.id));
    assert.ok(!('scopes_supported' in body), 'RFC 9728 §3.2');
    assert.equal(body.dpop_bound_access_tokens_required, false);
  });

  it('an API that does not say so is like one that is not there, and so is one of another account', async () => {
    const silent = await makeOpenApi(app(), ['tools:call']);
    const told = await makeOpenApi(app(), ['tools:call'], { resourceMetadata: true });
    const unknown = await app().send('GET', at(2_147_483_647));
    assert.equal(unknown.status, 404);
    const other = await app().another();
    for (const [one, id] of [
      [app(), silent.id],
      [other, told.id],
      ...['0', '01', '-1', '1e3', 'x', '9999999999', `${told.id}.0`].map((id) => [app(), id] as const),
    ] as const) {
      const answer = await one.send('GET', at(id));
      assert.deepEqual([answer.status, answer.body], [404, unknown.body], String(id));
    }
  });

  it('it goes with the switch and with the API', async () => {
    const { services, account } = app();
    const api = await makeOpenApi(app(), ['tools:call'], { resourceMetadata: true });
    const status = async () => (await app().send('GET', at(api.id))).status;
    assert.equal(await status(), 200);
    await changeServer(services, account, api.id, { resourceMetadata: false });
    assert.equal(await status(), 404);
    await changeServer(services, account, api.id, { resourceMetadata: true });
    assert.equal(await status(), 200);
    await removeServer(services, account, api.id);
    assert.equal(await status(), 404);
  });

  it('an identifier that is no web address has no metadata, whichever comes first', async () => {
    const { services, account } = app();
    const refused = { code: 'value_invalid', detail: { name: 'resource_metadata' } };
    const isRefused = ({ code, detail }: { code: string; detail: { name: string } }) =>
      code === refused.code && detail.name === refused.detail.name;
    const urn = { resourceIdentifier: 'urn:example:tools' };
    await assert.rejects(makeOpenApi(app(), [], { ...urn, resourceMetadata: true }), isRefused);
    const api = await makeOpenApi(app(), ['tools:call'], { resourceMetadata: true });
    await assert.rejects(changeServer(services, account, api.id, urn), isRefused);
    assert.equal((await app().send('GET', at(api.id))).body.resource, api.resource, 'nothing was changed');
  });
}
