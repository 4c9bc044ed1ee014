import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeJwt } from 'jose';
import { unlinkClient } from '../../../src/domain/authorization-servers/links.ts';
import { findAccessToken } from '../../../src/domain/tokens/access-token.ts';
import { exchangeToken } from '../../../src/domain/tokens/exchange.ts';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { assertTold, toldBy } from '../../domain/audit/told.ts';
import { atGateway, linkApi, makeApi } from '../../support/api.ts';
import type { Answer } from '../../support/conforms.ts';
import { askWithProof, newProofKey } from '../../support/dpop.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  type RegisteredClient,
  redeem,
  registerClient,
  signInForCode,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, askTokens, assertError, codeForm } from './asking.ts';
import { accessToken, exchangeGrant, exchanging, jwt, metadata } from './exchanging.ts';

/** RFC 8693, as far as the new token can do less. */
export function exchange(app: AppOf): void {
  const { ask, introspect, opaque, linked } = exchanging(app);

  it('ends no later than the subject token, however long the exchange takes', async () => {
    using _ = app().services.clock.hold();
    const { client, tokens } = await opaque();
    const { services, account } = app();
    const record = await services.store.clients.find(account.id, client.client_id);
    assert.ok(record);
    const subject = await findAccessToken(services, account, tokens.access_token);
    assert.ok(subject);
    let now = subject.token.expiresAt - 10_300;
    const slow = { ...services, clock: { ...services.clock, now: () => (now += 300) } };
    const request = {
      ...{ subjectToken: tokens.access_token, subjectTokenType: accessToken, actorToken: null, actorTokenType: null },
      ...{ requestedTokenType: null, resource: null, audience: null, scope: null },
    };
    const exchanged = await exchangeToken(slow, account, record, request, { binding: null, proof: null });
    const found = await findAccessToken(services, account, exchanged.accessToken);
    assert.ok(found && found.token.expiresAt <= subject.token.expiresAt, String(found?.token.expiresAt));
  });

  it('an opaque token for one with fewer scopes: same subject, no refresh token, recorded', async () => {
    using _ = app().services.clock.hold();
    const { client, user, tokens } = await opaque();
    app().services.clock.advance(1_000_000);
    const subjectId = Number.parseInt(tokens.access_token.split('_')[1] ?? '', 36);
    let answer: Answer | undefined;
    await assertTold(app(), async () => {
      answer = await ask(client, tokens.access_token, { scope: 'openid' });
    }, [
      [
        'access_token.exchanged',
        `client ${client.app_id}`,
        `access_token ${subjectId + 1}`,
        {
          app_id: client.app_id,
          user_id: user.id,
          subject_token_id: subjectId,
          subject_app_id: client.app_id,
          scope: ['openid'],
        },
      ],
    ]);
    assert.ok(answer);
    const { access_token: token, ...rest } = answer.body;
    const wanted = { issued_token_type: accessToken, token_type: 'Bearer', expires_in: 2600, scope: 'openid' };
    assert.deepEqual(rest, wanted, 'it outlives the subject token');
    const headers = { authorization: `Bearer ${token}` };
    const claims = await app().send('GET', '/oauth2/userinfo', { headers });
    assert.deepEqual(claims.body, { sub: String(user.id) });
    assert.equal((await introspect(client, tokens.access_token)).active, true, 'the first is unchanged');
    assertError(await ask(client, token, { scope: 'openid email' }), 400, 'invalid_scope');
  });

  it('ends with the grant, and when the user is locked', async () => {
    const { client, user, tokens } = await opaque();
    const { body } = await ask(client, tokens.access_token);
    assert.equal(body.scope, 'openid profile email');
    await setUser(app().services, app().account, user.id, { status: 'locked' });
    assert.equal((await introspect(client, body.access_token)).active, false);
    assertError(await ask(client, tokens.access_token), 400, 'invalid_request', /subject_token/);
    await setUser(app().services, app().account, user.id, { status: 'active' });
    assert.equal((await introspect(client, body.access_token)).active, true);
    const form = {
      client_id: client.client_id,
      client_secret: client.client_secret ?? '',
      token: tokens.refresh_token,
    };
    assert.equal((await app().send('POST', '/oauth2/revoke', { form })).status, 200);
    assert.equal((await introspect(client, body.access_token)).active, false);
    assertError(await ask(client, body.access_token), 400, 'invalid_request');
  });

  it("a client's own token is exchanged until it is revoked", async () => {
    const client = await registerClient(app(), metadata);
    const { access_token: own } = (await askTokens(app(), client, { grant_type: 'client_credentials' })).body;
    assert.equal((await ask(client, own)).status, 200);
    const form = { client_id: client.client_id, client_secret: client.client_secret ?? '', token: own };
    assert.equal((await app().send('POST', '/oauth2/revoke', { form })).status, 200);
    assertError(await ask(client, own), 400, 'invalid_request', /^subject_token is not a valid token$/);
  });

  it('a JWT for one with fewer scopes and audiences; never for another audience, and never wider again', async () => {
    const { client, user, api, tokens } = await linked();
    const narrow = await ask(client, tokens.access_token, {
      scope: 'orders:read',
      audience: 'stock',
      subject_token_type: jwt,
    });
    assert.equal(narrow.status, 200, narrow.text);
    const claims = await atGateway(app(), narrow.body.access_token, 'stock');
    assert.deepEqual([claims.aud, claims.sub, claims['scope']], ['stock', String(user.id), 'orders:read']);
    assert.ok(!('act' in claims));
    const seen = await introspect(client, narrow.body.access_token);
    assert.deepEqual([seen.active, seen.aud, seen.scope], [true, 'stock', 'orders:read']);
    const both = await ask(client, tokens.access_token, { audience: 'stock', resource: api.resource });
    assert.deepEqual(decodeJwt(both.body.access_token).aud, [api.resource, 'stock']);
    const whole = await ask(client, tokens.access_token);
    assert.deepEqual(decodeJwt(whole.body.access_token).aud, [api.resource, 'stock', 'billing']);
    const other = await makeApi(app());
    await linkApi(app(), client, other);
    for (const more of [
      { audience: 'elsewhere' },
      { resource: other.resource },
      { audience: 'billing', resource: other.resource },
    ]) {
      assertError(await ask(client, tokens.access_token, more), 400, 'invalid_target');
    }
    assertError(await ask(client, narrow.body.access_token, { audience: 'billing' }), 400, 'invalid_target');
    assertError(await ask(client, narrow.body.access_token, { scope: 'orders:write' }), 400, 'invalid_scope');
  });

  it('another client, linked to the same API, acts for the user where its app is assigned; act names it', async () => {
    const { client, gateway, user, api, allow, tokens } = await linked();
    assertError(await ask(gateway, tokens.access_token), 400, 'invalid_grant');
    await allow();
    let answer: Answer | undefined;
    const [event] = await toldBy(app(), async () => {
      answer = await ask(gateway, tokens.access_token);
    });
    assert.ok(answer);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(
      [event?.action, event?.actorType, event?.actorId],
      ['access_token.exchanged', 'client', gateway.app_id],
    );
    const { app_id, subject_app_id, user_id } = JSON.parse(event?.detail ?? '{}');
    assert.deepEqual([app_id, subject_app_id, user_id], [gateway.app_id, client.app_id, user.id]);
    const claims = await atGateway(app(), answer.body.access_token, api.resource);
    assert.deepEqual(
      [claims.sub, claims['client_id'], claims['act'], claims['scope']],
      [String(user.id), gateway.client_id, { sub: gateway.client_id }, 'openid email orders:read'],
    );
    assert.deepEqual((await introspect(client, answer.body.access_token)).act, { sub: gateway.client_id });
    assertError(await ask(gateway, tokens.access_token, { scope: 'orders:write' }), 400, 'invalid_scope');
    // The first client again: the previous actors stay named.
    const back = decodeJwt((await ask(client, answer.body.access_token)).body.access_token);
    assert.deepEqual(back['act'], { sub: client.client_id, act: { sub: gateway.client_id } });
    const own = decodeJwt((await ask(gateway, answer.body.access_token)).body.access_token);
    assert.deepEqual(own['act'], { sub: gateway.client_id }, 'named twice');
  });

  it('the consent page names the clients that may act for this user at the API, and no others', async () => {
    const { client, user, api, allow } = await linked();
    const assign = (appId: number) => grantAccess(app().services, app().account, appId, { user: user.email ?? '' });
    const named = async (client_name: string, changes: object = {}) => {
      const one = await registerClient(app(), { ...metadata, client_name, ...changes });
      await linkApi(app(), one, api);
      return one;
    };
    const told = async (parameters: Readonly<Record<string, string>>) => {
      const at = await walk(app(), new CookieJar(), authorizePath(client, { ...parameters, prompt: 'consent' }));
      const { text } = (await submit(app(), at, { username: user.email ?? '', password })).answer;
      assert.match(text, /value="allow"/);
      return [...(/passed on to these[^:]*: (.*)/.exec(text)?.[1] ?? '').matchAll(/<bdi[^>]*>(.*?)<\/bdi>/g)].map(
        ([, name]) => name,
      );
    };
    const asked = { scope: 'openid orders:read', resource: api.resource };
    const agent = await named('Nightly agent');
    assert.deepEqual(await told(asked), [], 'none is assigned to the user');
    await allow();
    await assign(agent.app_id);
    for (const [name, changes] of [
      ['A public one', { token_endpoint_auth_method: 'none' }],
      ['One without the grant type', { grant_types: ['authorization_code'] }],
    ] as const)
      await assign((await named(name, changes)).app_id);
    const elsewhere = await registerClient(app(), { ...metadata, client_name: 'One of no API' });
    await assign(elsewhere.app_id);
    assert.deepEqual(await told(asked), ['Test App', 'Nightly agent']);
    assert.deepEqual(await told({ scope: 'openid orders:read' }), ['Test App', 'Nightly agent'], 'without a resource');
    assert.deepEqual(await told({ scope: 'openid' }), [], 'at no API');
    await unlinkClient(app().services, app().account, api.id, agent.app_id);
    assert.deepEqual(await told(asked), ['Test App']);
  });

  it('at most five clients in a chain', async () => {
    const { client, gateway, allow, tokens } = await linked();
    await allow();
    let token = tokens.access_token;
    for (let times = 0; times < 5; times += 1) {
      const answer = await ask(times % 2 ? client : gateway, token);
      assert.equal(answer.status, 200, answer.text);
      token = answer.body.access_token;
    }
    assertError(await ask(client, token), 400, 'invalid_request', /too many clients/);
  });

  it('is denied to every other client: not linked, linked to another API, public, or for an opaque token', async () => {
    const { client, gateway, user, allow, tokens } = await linked();
    await allow();
    const refused = async (asking: RegisteredClient, token: string) =>
      assertError(await ask(asking, token), 400, 'invalid_request', /must not be exchanged by this client/);
    const stranger = await registerClient(app(), metadata);
    await grantAccess(app().services, app().account, stranger.app_id, { user: user.email ?? '' });
    await refused(stranger, tokens.access_token);
    await linkApi(app(), stranger, await makeApi(app()));
    await refused(stranger, tokens.access_token);
    const { api } = await linked();
    const open = await registerClient(app(), { ...metadata, token_endpoint_auth_method: 'none' });
    await linkApi(app(), open, api);
    const theirs = await registerClient(app(), metadata);
    const someone = await makeUser(app(), theirs.app_id);
    await linkApi(app(), theirs, api);
    await grantAccess(app().services, app().account, open.app_id, { user: someone.email ?? '' });
    const code = (await signInForCode(app(), theirs, someone, { scope: 'openid orders:read' })).get('code') ?? '';
    await refused(open, (await redeem(app(), theirs, code)).access_token);
    await refused(gateway, (await opaque()).tokens.access_token);
    // A client's own token is about no user.
    const own = await askTokens(app(), client, { grant_type: 'client_credentials' });
    await refused(gateway, own.body.access_token);
    assert.equal((await ask(client, own.body.access_token)).status, 200);
    // The link is checked each time.
    const before = await ask(gateway, tokens.access_token);
    assert.equal(before.status, 200, before.text);
  });

  it("a client's former links do not count once they are removed", async () => {
    const { client, gateway, api, allow, tokens } = await linked();
    await allow();
    const { body } = await ask(gateway, tokens.access_token, { audience: 'stock' });
    assert.equal((await introspect(client, body.access_token)).active, true);
    await unlinkClient(app().services, app().account, api.id, gateway.app_id);
    assert.equal((await introspect(client, body.access_token)).active, false);
    assertError(await ask(gateway, tokens.access_token), 400, 'invalid_request');
  });

  it('only for clients that registered the grant type; missing and invalid members are named', async () => {
    const { client, tokens } = await opaque();
    const without = await opaque({ grant_types: ['authorization_code'] });
    assertError(await ask(without.client, without.tokens.access_token), 400, 'unauthorized_client');
    const token = tokens.access_token;
    const other = await opaque();
    for (const [more, said] of [
      [{ subject_token: '' }, /subject_token is missing/],
      [{ subject_token: 'at_1_x' }, /subject_token is not/],
      [{ subject_token: tokens.refresh_token }, /subject_token is not/],
      [{ subject_token: tokens.id_token }, /subject_token is not/],
      [{ subject_token_type: '' }, /subject_token_type is missing/],
      [{ subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }, /subject_token_type must/],
      [{ subject_token_type: jwt }, /subject_token_type does not match subject_token/],
      [{ requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }, /requested_token_type must/],
      [{ actor_token: other.tokens.access_token }, /actor_token_type must be sent with actor_token/],
      [{ actor_token_type: accessToken }, /actor_token_type must be sent with actor_token/],
      [
        { actor_token: 'x', actor_token_type: accessToken },
        /actor_token is supported only when the subject token is for an API/,
      ],
    ] as const) {
      assertError(await ask(client, token, more), 400, 'invalid_request', said);
    }
    assertError(await ask(client, token, { resource: 'https://api.example.com' }), 400, 'invalid_target');
    assertError(await ask(client, token, { audience: other.client.client_id }), 400, 'invalid_target');
    assert.equal(
      (await ask(client, token, { audience: client.client_id, requested_token_type: accessToken })).status,
      200,
    );
    app().services.clock.advance(3_600_000);
    assertError(await ask(client, token), 400, 'invalid_request');
  });

  it('actor_token: a token of the client’s own makes it the actor; any other is refused', async () => {
    const { client, gateway, tokens } = await linked();
    const own = (await askTokens(app(), client, { grant_type: 'client_credentials' })).body.access_token;
    const theirs = (await askTokens(app(), gateway, { grant_type: 'client_credentials' })).body.access_token;
    const answer = await ask(client, tokens.access_token, { actor_token: own, actor_token_type: jwt });
    assert.deepEqual(decodeJwt(answer.body.access_token)['act'], { sub: client.client_id }, answer.text);
    for (const actor of [theirs, tokens.access_token, 'x']) {
      const refused = await ask(client, tokens.access_token, { actor_token: actor, actor_token_type: accessToken });
      assertError(refused, 400, 'invalid_request', /actor_token is not a valid token/);
    }
  });

  it('a bound token is exchanged only with a proof of its key, and stays bound', async () => {
    const [key, other] = [await newProofKey(), await newProofKey()];
    const client = await registerClient(app(), metadata);
    const user = await makeUser(app(), client.app_id);
    const code = (await signInForCode(app(), client, user)).get('code') ?? '';
    const token = (await askWithProof(app(), client, key, codeForm(code))).body.access_token;
    const form = { grant_type: exchangeGrant, subject_token: token, subject_token_type: accessToken };
    assertError(await ask(client, token), 400, 'invalid_request', /there is no proof of that key/);
    assertError(
      await askWithProof(app(), client, other, form),
      400,
      'invalid_request',
      /there is no proof of that key/,
    );
    const answer = await askWithProof(app(), client, key, form);
    assert.equal(answer.body.token_type, 'DPoP', answer.text);
    assert.deepEqual((await introspect(client, answer.body.access_token)).cnf, { jkt: key.thumbprint });
  });
}
