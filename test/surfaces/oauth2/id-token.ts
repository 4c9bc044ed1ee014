import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import type { TestApp } from '../../support/app.ts';
import { authorizePath, redeem, refresh, registerClient, signInForCode, walk } from '../../support/sign-in.ts';
import { type AppOf, settle, unlimited } from './asking.ts';

/** Checks a token as a client does: the published keys, the algorithm it registered, issuer and audience. */
async function verify(app: TestApp, token: string, alg: string, audience: string) {
  const jwks = createLocalJWKSet((await app.send('GET', '/oauth2/jwks')).body);
  return jwtVerify(token, jwks, {
    algorithms: [alg],
    issuer: app.account.baseUrl,
    audience,
    currentDate: new Date(app.services.clock.now()),
  });
}

/** OpenID Connect Core §2, §3.1.3.6, §5.1; docs/document-gaps.md#the-standard-door. */
export function idToken(app: AppOf): void {
  for (const alg of ['RS256', 'PS256', 'ES256'] as const) {
    it(`${alg}: exactly the documented claims, signed with the published key`, async () => {
      const one = await app().another(unlimited);
      using _ = one.services.clock.hold();
      await createRole(one.services, one.account, { name: 'Engineering' });
      const setting = await settle(
        one,
        { id_token_signed_response_alg: alg },
        { username: 'ada', roles: ['Engineering'] },
      );
      const signedInAt = Math.floor(one.services.clock.now() / 1000);
      const code = await setting.code({ scope: 'openid profile email groups', nonce: 'n-1' });
      one.services.clock.advance(30_000);
      const tokens = await redeem(one, setting.client, code);
      const { payload, protectedHeader } = await verify(one, tokens.id_token, alg, setting.client.client_id);
      assert.equal(protectedHeader.typ, 'JWT');
      assert.deepEqual(Object.keys(protectedHeader).sort(), ['alg', 'kid', 'typ']);
      const { sid, ...rest } = payload;
      assert.match(String(sid), /^[\w-]{22}$/);
      assert.deepEqual(rest, {
        iss: one.account.baseUrl,
        sub: String(setting.user.id),
        aud: setting.client.client_id,
        iat: signedInAt + 30,
        exp: signedInAt + 30 + 3600,
        auth_time: signedInAt,
        nonce: 'n-1',
        at_hash: createHash('sha256').update(tokens.access_token).digest().subarray(0, 16).toString('base64url'),
        amr: ['pwd'],
        acr: 'urn:gatehouse:acr:single-factor',
        name: 'Ada Lovelace',
        given_name: 'Ada',
        family_name: 'Lovelace',
        preferred_username: 'ada',
        updated_at: signedInAt,
        email: setting.user.email,
        email_verified: false,
        groups: ['Engineering'],
      });
    });
  }

  it("one session has one sid and one sub for all its clients, and the sid is not the cookie's secret", async () => {
    const first = await settle(app());
    const second = await settle(app());
    const claims = async (setting: typeof first, code: string) => {
      const { id_token: token } = await redeem(app(), setting.client, code);
      return (await verify(app(), token, 'RS256', setting.client.client_id)).payload;
    };
    await app().services.store.access.grant(
      app().account.id,
      second.client.app_id,
      { userId: first.user.id },
      app().services.clock.now(),
    );
    const one = await claims(first, await first.code());
    const query = await signInForCode(app(), second.client, first.user, {}, first.jar);
    const two = await claims(second, query.get('code') ?? '');
    assert.deepEqual([one['sid'], one.sub], [two['sid'], two.sub]);
    assert.ok(![...first.jar.cookies.values()].includes(String(one['sid'])));
  });

  it('without profile, email and groups it identifies the user and the sign-in, and says nothing about the person', async () => {
    const setting = await settle(app());
    const { id_token: token } = await redeem(app(), setting.client, await setting.code({ scope: 'openid', nonce: '' }));
    const { payload } = await verify(app(), token, 'RS256', setting.client.client_id);
    const wanted = ['acr', 'amr', 'at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'sid', 'sub'];
    assert.deepEqual(Object.keys(payload).sort(), wanted);
  });

  it('id_token_claims=minimal leaves the claims of profile and email to userinfo, at once and at refreshes', async () => {
    const one = await app().another({ ...unlimited, 'grant.implicit': 'on' });
    await createRole(one.services, one.account, { name: 'Engineering' });
    const setting = await settle(
      one,
      { grant_types: ['authorization_code', 'refresh_token', 'implicit'], response_types: ['code', 'id_token'] },
      { username: null, roles: ['Engineering'] },
    );
    const { client } = setting;
    const person = async (token: string) => {
      const { payload } = await verify(one, token, 'RS256', client.client_id);
      const names = ['name', 'given_name', 'family_name', 'preferred_username', 'updated_at'];
      return [...names, 'email', 'email_verified', 'groups'].filter((name) => name in payload);
    };
    const scope = 'openid profile email groups';
    const full = await redeem(one, client, await setting.code({ scope }));
    assert.equal((await person(full.id_token)).length, 8, 'full by default');
    await setAccount(one.services, one.account.subdomain, { id_token_claims: 'minimal' });
    const refreshed = (await refresh(one, client, full.refresh_token)).body;
    assert.deepEqual(await person(refreshed.id_token), ['groups']);
    const asked = JSON.stringify({ id_token: { preferred_username: null, given_name: null } });
    const tokens = await redeem(one, client, await setting.code({ scope, claims: asked }));
    assert.deepEqual(await person(tokens.id_token), ['given_name', 'preferred_username', 'groups']);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const { body } = await one.send('GET', '/oauth2/userinfo', { headers });
    assert.deepEqual([body.name, body.email], ['Ada Lovelace', setting.user.email]);
    // Without an access token there is no userinfo.
    const { answer } = await walk(one, setting.jar, authorizePath(client, { response_type: 'id_token', scope }));
    const alone = new URLSearchParams(new URL(String(answer.headers['location'])).hash.slice(1));
    assert.equal((await person(alone.get('id_token') ?? '')).length, 8);
  });

  it('only algorithms that discovery lists are accepted in tokens and registrations (T10)', async () => {
    const { body } = await app().send('GET', '/.well-known/openid-configuration');
    assert.deepEqual(body.id_token_signing_alg_values_supported, ['RS256', 'PS256', 'ES256']);
    for (const alg of body.id_token_signing_alg_values_supported) {
      await registerClient(app(), { id_token_signed_response_alg: alg });
    }
    const setting = await settle(app());
    const { id_token: token } = await redeem(app(), setting.client, await setting.code());
    await assert.rejects(verify(app(), token, 'ES256', setting.client.client_id));
    await assert.rejects(verify(await app().another(), token, 'RS256', setting.client.client_id), 'another issuer');
  });
}
