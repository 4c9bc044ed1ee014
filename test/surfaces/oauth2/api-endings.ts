import assert from 'node:assert/strict';
import { it } from 'node:test';
import { generateKeyPair, SignJWT } from 'jose';
import { changeLink, unlinkClient } from '../../../src/domain/authorization-servers/links.ts';
import { removeScope } from '../../../src/domain/authorization-servers/scopes.ts';
import { changeServer, removeServer } from '../../../src/domain/authorization-servers/servers.ts';
import { generateKeyPair as newKeyPair } from '../../../src/domain/keys/key-pairs.ts';
import { rotateKeys } from '../../../src/domain/keys/rotate-keys.ts';
import { redeemCode } from '../../../src/domain/tokens/redeem-code.ts';
import { clearAll, fillGrants, many } from '../../store/filled.ts';
import { type Api, atGateway, linkApi, makeApi } from '../../support/api.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import {
  clientAuthentication,
  codeVerifier,
  makeUser,
  type RegisteredClient,
  redeem,
  redirectUri,
  refresh,
  registerClient,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, askTokens, assertEnded, assertError, settle } from './asking.ts';

const inactive = { active: false };
const clientCredentials = { grant_type: 'client_credentials' };

function about(app: TestApp, client: RegisteredClient, token: string, path = '/oauth2/introspect'): Promise<Answer> {
  const { headers, form } = clientAuthentication(client);
  return app.send('POST', path, { headers, form: { ...form, token } });
}

/** A signed-in user of a client that is linked to an API. */
async function start(app: TestApp, parameters: Record<string, string> = {}, api?: Api) {
  const setting = await settle(app);
  const made = api ?? (await makeApi(app));
  await linkApi(app, setting.client, made);
  const code = await setting.code({ scope: 'openid orders:read', ...parameters });
  return { ...setting, api: made, tokens: await redeem(app, setting.client, code) };
}

/** What becomes of JWT access tokens: RFC 7662, RFC 7009, docs/document-gaps.md#refresh-tokens. */
export function apiEndings(app: AppOf): void {
  it('introspection describes a JWT, also to a gateway; userinfo needs the scope openid', async () => {
    using _ = app().services.clock.hold();
    const { client, user, api, tokens } = await start(app());
    const gateway = await registerClient(app());
    const now = Math.floor(app().services.clock.now() / 1000);
    for (const asking of [client, gateway]) {
      assert.deepEqual((await about(app(), asking, tokens.access_token)).body, {
        active: true,
        scope: 'openid orders:read',
        client_id: client.client_id,
        username: user.email,
        token_type: 'Bearer',
        exp: now + 3600,
        iat: now,
        sub: String(user.id),
        aud: api.resource,
        iss: app().account.baseUrl,
      });
    }
    const narrow = (await refresh(app(), client, tokens.refresh_token, '/oauth2/token', { scope: 'orders:read' })).body;
    assert.equal(narrow.id_token, undefined);
    const own = (await askTokens(app(), client, clientCredentials)).body;
    for (const token of [narrow.access_token, own.access_token]) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await app().send('GET', '/oauth2/userinfo', { headers });
      assert.deepEqual([answer.status, answer.body.error], [403, 'insufficient_scope']);
    }
    assert.equal((await about(app(), gateway, own.access_token)).body.sub, client.client_id);
    await changeServer(app().services, app().account, api.id, { audiences: ['orders', 'https://orders.example'] });
    const several = (await askTokens(app(), client, clientCredentials)).body;
    const { aud } = (await about(app(), gateway, several.access_token)).body;
    assert.deepEqual(aud, [api.resource, 'orders', 'https://orders.example']);
  });

  it('a changed, foreign, unsigned or mistyped JWT is inactive and refused (T10)', async () => {
    const { client, tokens } = await start(app());
    const [header = '', payload = '', signature = ''] = tokens.access_token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const head = JSON.parse(Buffer.from(header, 'base64url').toString());
    const { privateKey } = await generateKeyPair('RS256');
    const foreign = await new SignJWT(claims).setProtectedHeader(head).sign(privateKey);
    const elsewhere = await start(await app().another());
    const { jti } = claims;
    const forged = [
      `${header}.${encode({ ...claims, scope: 'openid orders:write' })}.${signature}`,
      `${encode({ ...head, alg: 'none' })}.${payload}.`,
      `${encode({ ...head, alg: 'HS256' })}.${payload}.${signature}`,
      `${encode({ ...head, crit: ['x'], x: 1 })}.${payload}.${signature}`,
      foreign,
      elsewhere.tokens.access_token,
      tokens.id_token,
      `at_${String(jti).replace('.', '_')}`,
      String(jti),
    ];
    for (const token of forged) {
      assert.deepEqual((await about(app(), client, token)).body, inactive, token);
      const headers = { authorization: `Bearer ${token}` };
      assert.equal((await app().send('GET', '/oauth2/userinfo', { headers })).status, 401, token);
    }
    assert.equal((await about(app(), client, tokens.access_token)).body.active, true);
  });

  it('revoking a JWT ends only it, revoking its refresh token the grant; other clients cannot (RFC 7009 §2.1)', async () => {
    const { client, tokens } = await start(app());
    const other = await registerClient(app());
    const refused = await about(app(), other, tokens.access_token, '/oauth2/revoke');
    assertError(refused, 400, 'invalid_request');
    const next = (await refresh(app(), client, tokens.refresh_token)).body;
    assert.equal((await about(app(), client, tokens.access_token, '/oauth2/revoke')).status, 200);
    assert.deepEqual((await about(app(), client, tokens.access_token)).body, inactive);
    assert.equal((await about(app(), client, next.access_token)).body.active, true);
    await about(app(), client, next.refresh_token, '/oauth2/revoke');
    await assertEnded(app(), client, next.refresh_token, next.access_token);
    assert.deepEqual((await about(app(), client, next.access_token)).body, inactive);
  });

  it('a locked user: inactive at once, but a gateway that only checks signatures accepts it until expiry', async () => {
    const { client, user, api, tokens } = await start(app());
    await setUser(app().services, app().account, user.id, { status: 'locked' });
    assert.deepEqual((await about(app(), client, tokens.access_token)).body, inactive);
    assertError(await refresh(app(), client, tokens.refresh_token), 400, 'invalid_grant');
    await atGateway(app(), tokens.access_token, api.resource);
    await setUser(app().services, app().account, user.id, { status: 'active' });
    assert.equal((await refresh(app(), client, tokens.refresh_token)).status, 200);
    app().services.clock.advance(3_600_000);
    assert.deepEqual((await about(app(), client, tokens.access_token)).body, inactive);
  });

  it('a link that is added, narrowed or removed applies to the next token of live grants', async () => {
    const setting = await settle(app());
    const { client } = setting;
    let tokens = await redeem(app(), client, await setting.code({ scope: 'openid email' }));
    const next = async () => {
      tokens = (await refresh(app(), client, tokens.refresh_token)).body;
      return tokens;
    };
    const api = await makeApi(app(), ['a', 'b', 'c']);
    await linkApi(app(), client, api);
    assert.equal((await atGateway(app(), (await next()).access_token, api.resource))['scope'], 'openid email');
    tokens = await redeem(app(), client, await setting.code({ scope: 'openid a b c' }));
    const ids = [api.scopes['a'] ?? 0, api.scopes['b'] ?? 0];
    await changeLink(app().services, app().account, api.id, client.app_id, ids);
    assert.equal((await next()).scope, 'openid a b');
    await removeScope(app().services, app().account, api.id, ids[0] ?? 0);
    const last = await next();
    assert.equal(last.scope, 'openid b');
    await unlinkClient(app().services, app().account, api.id, client.app_id);
    const opaque = await next();
    assert.match(opaque.access_token, /^at_/);
    assert.equal(opaque.scope, 'openid');
    assert.equal((await about(app(), client, opaque.access_token)).body.scope, 'openid');
    assert.deepEqual((await about(app(), client, last.access_token)).body, inactive);
  });

  it('a grant for one API only ends with its link, and with the API', async () => {
    const [one, two] = [await makeApi(app()), await makeApi(app())];
    const unlinked = await start(app(), { resource: one.resource }, one);
    await unlinkClient(app().services, app().account, one.id, unlinked.client.app_id);
    await assertEnded(app(), unlinked.client, unlinked.tokens.refresh_token, unlinked.tokens.access_token);
    const removed = await start(app(), { resource: two.resource }, two);
    const other = await start(app(), {}, one);
    await removeServer(app().services, app().account, two.id);
    await assertEnded(app(), removed.client, removed.tokens.refresh_token, removed.tokens.access_token);
    assert.equal((await refresh(app(), other.client, other.tokens.refresh_token)).status, 200);
  });

  it('however many grants are for one API, no token outlives the link, and no new link revives it', async () => {
    const { store } = app().services;
    const api = await makeApi(app());
    const { client, code, tokens: ofNoApi } = await start(app(), {}, api);
    const ends: readonly [string, () => Promise<void>][] = [
      ['link', () => unlinkClient(app().services, app().account, api.id, client.app_id)],
      ['API', () => removeServer(app().services, app().account, api.id)],
    ];
    let kept = ofNoApi;
    for (const [what, end] of ends) {
      const mine = { accountId: app().account.id, appId: client.app_id };
      const { id: userId } = await makeUser(app(), client.app_id);
      await fillGrants({ url: app().url }, { ...mine, userId }, many, api.id);
      const scope = { scope: 'openid orders:read', resource: api.resource };
      const tokens = await redeem(app(), client, await code(scope));
      const assertDead = async () => {
        await assertEnded(app(), client, tokens.refresh_token, tokens.access_token);
        assert.deepEqual((await about(app(), client, tokens.access_token)).body, inactive, what);
        const rotated = await refresh(app(), client, kept.refresh_token);
        assert.equal(rotated.status, 200, what);
        kept = rotated.body;
      };
      await end();
      const [event] = await store.events.listBefore(app().account.id, null, 1);
      assert.ok(JSON.parse(event?.detail ?? '').grants_revoked <= 200, what);
      assert.ok((await store.findWaitingRemovals()).count > 0, what);
      await assertDead();
      if (what === 'link') {
        await linkApi(app(), client, api);
        await assertDead();
        const next = await redeem(app(), client, await code(scope));
        assert.equal((await refresh(app(), client, next.refresh_token)).status, 200);
      }
      await clearAll({ store });
      await assertDead();
      assert.equal((await store.findWaitingRemovals()).count, 0, what);
    }
  });

  it('a code for one API is worth nothing if the link ends while it is redeemed', async () => {
    const { services, account } = app();
    const { store } = services;
    const api = await makeApi(app());
    const { client, code } = await start(app(), {}, api);
    const redemption = {
      ...{ code: await code({ scope: 'openid orders:read', resource: api.resource }), redirectUri, codeVerifier },
      ...{ resource: null, sender: { binding: null, proof: null } },
    };
    const record = (await store.clients.findByApp(account.id, client.app_id)) ?? assert.fail();
    // Another process removes the link after this one has read it.
    const ofClient: typeof store.authorizationServers.ofClient = async (...given) => {
      const read = await store.authorizationServers.ofClient(...given);
      await unlinkClient(services, account, api.id, client.app_id);
      return read;
    };
    const authorizationServers = { ...store.authorizationServers, ofClient };
    const behind = { ...services, store: { ...store, authorizationServers } };
    await assert.rejects(redeemCode(behind, account, record, redemption), { code: 'grant_invalid' });
    await linkApi(app(), client, api);
    const again = redeemCode(services, account, record, redemption);
    assert.ok((await again).refreshToken, 'nothing was used up');
  });

  it('a rotated key verifies live tokens; after an emergency nothing signed with the old key is valid', async () => {
    const own = await app().another();
    using _ = own.services.clock.hold();
    const client = await registerClient(own);
    const api = await makeApi(own, ['a'], { accessTokenMinutes: 1440 });
    await linkApi(own, client, api);
    const issue = async (): Promise<string> => (await askTokens(own, client, clientCredentials)).body.access_token;
    const services = { ...own.services, generateKeyPair: newKeyPair };
    await rotateKeys(services, own.account, { emergency: false });
    own.services.clock.advance(86_400_000 - 1);
    const old = await issue();
    own.services.clock.advance(86_400_000 - 2000);
    await atGateway(own, old, api.resource);
    assert.equal((await about(own, client, old)).body.active, true);
    const fresh = await issue();
    await rotateKeys(services, own.account, { emergency: true });
    assert.deepEqual((await about(own, client, fresh)).body, inactive);
    await atGateway(own, await issue(), api.resource);
  });
}
