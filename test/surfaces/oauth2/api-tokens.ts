import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeJwt } from 'jose';
import { changeServer } from '../../../src/domain/authorization-servers/servers.ts';
import { addRoleMembers, createRole } from '../../../src/domain/roles/write-role.ts';
import { assertRefused, atGateway, linkApi, makeApi } from '../../support/api.ts';
import { makeUser, redeem, refresh, registerClient, signInForCode } from '../../support/sign-in.ts';
import { type AppOf, askTokens, assertError, codeForm, settle } from './asking.ts';

const clientCredentials = { grant_type: 'client_credentials' };

/** The document's §1.3, RFC 9068: access tokens of clients that are linked to an API authorization server. */
export function apiTokens(app: AppOf): void {
  it('a code gives a JWT that a gateway accepts: audience, scopes, times and authentication (RFC 9068 §2.2)', async () => {
    using _ = app().services.clock.hold();
    const { client, user, code } = await settle(app());
    const api = await makeApi(app(), ['orders:read', 'orders:write', 'orders:delete']);
    await linkApi(app(), client, api, ['orders:read', 'orders:write']);
    const scope = 'openid profile orders:read orders:delete unknown';
    const answer = await askTokens(app(), client, codeForm(await code({ scope })));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.scope, 'openid profile orders:read');
    assert.equal(answer.body.expires_in, 3600);
    const now = Math.floor(app().services.clock.now() / 1000);
    const { jti, ...claims } = await atGateway(app(), answer.body.access_token, api.resource);
    assert.match(String(jti), /^[0-9a-z]+\.[\w-]{43}$/);
    assert.deepEqual(claims, {
      iss: app().account.baseUrl,
      aud: api.resource,
      sub: String(user.id),
      client_id: client.client_id,
      iat: now,
      exp: now + 3600,
      scope: 'openid profile orders:read',
      auth_time: now,
      acr: 'urn:gatehouse:acr:single-factor',
      amr: ['pwd'],
    });
    assert.equal(decodeJwt(answer.body.id_token).aud, client.client_id, 'the id token is for the client');
    const headers = { authorization: `Bearer ${answer.body.access_token}` };
    assert.equal((await app().send('GET', '/oauth2/userinfo', { headers })).body.given_name, 'Ada');
  });

  it('a refresh and its repetition within the grace period give equally valid JWTs, at both doors', async () => {
    using _ = app().services.clock.hold();
    const { client, code } = await settle(app());
    const api = await makeApi(app());
    await linkApi(app(), client, api);
    const first = await redeem(app(), client, await code({ scope: 'openid orders:read' }));
    for (const door of ['/oauth2/token', '/oidc/2/token'] as const) {
      const tokens =
        door === '/oauth2/token' ? first : await redeem(app(), client, await code({ scope: 'openid orders:read' }));
      const answers = [1, 2].map(() => refresh(app(), client, tokens.refresh_token, door));
      const [one, two] = [(await answers[0])?.body, (await answers[1])?.body];
      assert.equal(one.refresh_token, two.refresh_token);
      const [before, after] = [
        await atGateway(app(), one.access_token, api.resource),
        await atGateway(app(), two.access_token, api.resource),
      ];
      assert.notEqual(before.jti, after.jti);
      assert.deepEqual({ ...before, jti: '' }, { ...after, jti: '' });
      assert.equal(after['scope'], 'openid orders:read');
    }
  });

  it('client_credentials: the requested scopes that the link allows, by default all; the subject is the client', async () => {
    const client = await registerClient(app());
    const api = await makeApi(app(), ['a', 'b', 'c'], { claims: [{ label: 'mail', attribute: 'email' }] });
    await linkApi(app(), client, api, ['a', 'b']);
    const all = (await askTokens(app(), client, clientCredentials)).body;
    assert.deepEqual([all.scope, all.token_type, all.refresh_token], ['a b', 'Bearer', undefined]);
    const some = (await askTokens(app(), client, { ...clientCredentials, scope: 'c b openid' })).body;
    const claims = await atGateway(app(), some.access_token, api.resource);
    assert.deepEqual([claims['scope'], claims.sub, claims['client_id']], ['b', client.client_id, client.client_id]);
    for (const name of ['auth_time', 'acr', 'amr', 'groups', 'mail']) assert.ok(!(name in claims), name);
    const none = await askTokens(app(), client, { ...clientCredentials, scope: 'c openid' });
    assertError(none, 400, 'invalid_scope');
  });

  it('a gateway refuses tokens of another API or account, expired ones, and unsigned ones', async () => {
    const client = await registerClient(app());
    const [api, other] = [await makeApi(app()), await makeApi(app())];
    await linkApi(app(), client, api);
    const token = (await askTokens(app(), client, clientCredentials)).body.access_token;
    await atGateway(app(), token, api.resource);
    await assertRefused(app(), token, other.resource, /CLAIM_VALIDATION/);
    const elsewhere = await app().another();
    await assertRefused(elsewhere, token, api.resource, /CLAIM_VALIDATION|KEYS_NO_MATCHING|SIGNATURE/);
    const [, payload = ''] = token.split('.');
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    await assertRefused(app(), `${none}.${payload}.`, api.resource, /ALG_NOT_ALLOWED/);
    const { id_token: idToken } = await (async () => {
      const user = await makeUser(app(), client.app_id);
      return redeem(app(), client, (await signInForCode(app(), client, user)).get('code') ?? '');
    })();
    await assertRefused(app(), idToken, client.client_id, /CLAIM_VALIDATION/);
    app().services.clock.advance(3_600_000);
    await assertRefused(app(), token, api.resource, /EXPIRED/);
  });

  it("the API's lifetimes and audiences apply from the next token on", async () => {
    const { client, code } = await settle(app());
    const api = await makeApi(app(), ['a'], { accessTokenMinutes: 5, refreshTokenMinutes: 30, audiences: ['orders'] });
    await linkApi(app(), client, api);
    const answer = (await askTokens(app(), client, codeForm(await code({ scope: 'openid a' })))).body;
    assert.equal(answer.expires_in, 300);
    const claims = await atGateway(app(), answer.access_token, 'orders');
    assert.deepEqual(claims.aud, [api.resource, 'orders']);
    assert.equal((claims.exp ?? 0) - (claims.iat ?? 0), 300);
    app().services.clock.advance(30 * 60_000 - 1);
    const next = (await refresh(app(), client, answer.refresh_token)).body;
    app().services.clock.advance(30 * 60_000);
    assertError(await refresh(app(), client, next.refresh_token), 400, 'invalid_grant');
    await changeServer(app().services, app().account, api.id, { accessTokenMinutes: 1440, audiences: null });
    const later = (await askTokens(app(), client, clientCredentials)).body;
    assert.equal(later.expires_in, 86_400);
    assert.equal((await atGateway(app(), later.access_token, api.resource)).aud, api.resource);
  });

  it("claims: the user's attributes, roles and macros; empty ones are omitted, none replaces a standard claim", async () => {
    const { client, user, code } = await settle(app(), {}, { lastname: undefined, username: 'ada' });
    const role = await createRole(app().services, app().account, { name: `Clerks ${user.id}` });
    await addRoleMembers(app().services, app().account, role.id, 'users', [user.id]);
    const claims = [
      { label: 'mail', attribute: 'email' },
      { label: 'family', attribute: 'lastname' },
      { label: 'https://example.com/roles', attribute: 'roles' },
      { label: 'display', attribute: '_macro_', macro: '{firstname} <{email}> #{id}' },
      { label: 'blank', attribute: '_macro_', macro: '{lastname}' },
      { label: 'in_roles', attribute: '_macro_', macro: '{roles}' },
    ];
    const api = await makeApi(app(), ['a'], { claims });
    await linkApi(app(), client, api);
    const answer = (await askTokens(app(), client, codeForm(await code({ scope: 'openid groups a' })))).body;
    const found = await atGateway(app(), answer.access_token, api.resource);
    assert.equal(found['mail'], user.email);
    assert.equal(found['display'], `Ada <${user.email}> #${user.id}`);
    assert.deepEqual(found['https://example.com/roles'], [role.name]);
    assert.equal(found['in_roles'], role.name);
    assert.deepEqual(found['groups'], [role.name]);
    for (const name of ['family', 'blank']) assert.ok(!(name in found), name);
  });
}
