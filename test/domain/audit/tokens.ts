import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createCredential } from '../../../src/domain/callers/credentials.ts';
import { basic, type TestApp } from '../../support/app.ts';
import {
  clientAuthentication,
  codeVerifier,
  makeUser,
  password,
  type RegisteredClient,
  redeem,
  redirectUri,
  refresh,
  registerClient,
  signedIn,
  signInForCode,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { assertTold, toldBy } from './told.ts';

const scope = ['openid', 'profile', 'email'];

/** Grants, refreshes, revocations, and what is counted. */
export function tokensTold(app: () => TestApp): void {
  const post = (client: RegisteredClient, path: string, form: Record<string, string>) => {
    const shown = clientAuthentication(client);
    return app().send('POST', path, { headers: shown.headers, form: { ...shown.form, ...form } });
  };

  async function grantOf(appId: number): Promise<number> {
    const { lastId } = await app().services.store.events.findEnd(app().account.id);
    const recent = await app().services.store.events.listAfter(app().account.id, lastId - 20, 20);
    const issued = recent.findLast(
      ({ action, detail }) => action === 'grant.issued' && JSON.parse(detail).app_id === appId,
    );
    assert.ok(issued?.targetId);
    return issued.targetId;
  }

  it('a redeemed code, and a replayed one', async () => {
    const client = await registerClient(app());
    const user = await makeUser(app(), client.app_id);
    const code = (await signInForCode(app(), client, user)).get('code') ?? '';
    const events = await toldBy(app(), () => redeem(app(), client, code));
    const grantId = await grantOf(client.app_id);
    const detail = { method: 'authorization_code', user_id: user.id, app_id: client.app_id, scope };
    assert.deepEqual(
      events.map((event) => [event.action, event.actorType, event.actorId, event.targetId, JSON.parse(event.detail)]),
      [['grant.issued', 'client', client.app_id, grantId, detail]],
    );
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier };
    const replay = async () => assert.equal((await post(client, '/oauth2/token', form)).status, 400);
    const revoked = [
      'grant.revoked',
      `client ${client.app_id}`,
      `grant ${grantId}`,
      { reason: 'code_replayed' },
    ] as const;
    await assertTold(app(), replay, [revoked]);
    await assertTold(app(), replay, []);
  });

  it('tokens for a password; a wrong password is recorded as a failed sign-in', async () => {
    const client = await registerClient(app());
    const user = await makeUser(app(), client.app_id);
    const form = { grant_type: 'password', username: user.email ?? '', scope: 'openid' };
    const events = await toldBy(app(), () => post(client, '/oauth2/token', { ...form, password }));
    assert.deepEqual(
      events.map(({ action, detail }) => [action, JSON.parse(detail)]),
      [['grant.issued', { method: 'password', user_id: user.id, app_id: client.app_id, scope: ['openid'] }]],
    );
    await assertTold(app(), () => post(client, '/oauth2/token', { ...form, password: 'wrong' }), [
      ['sign_in.failed', 'user', `user ${user.id}`, { reason: 'wrong_password' }],
    ]);
  });

  for (const door of ['/oidc/2/token', '/oauth2/token'] as const) {
    it(`a refresh at ${door} is counted; one that is repeated, refused or uses an old token is recorded`, async () => {
      const { client, user, tokens } = await signedIn(app());
      const grantId = await grantOf(client.app_id);
      const who = [`client ${client.app_id}`, `grant ${grantId}`] as const;
      const again = () => refresh(app(), client, tokens.refresh_token, door);
      await assertTold(app(), again, []);
      const [repeated] = await assertTold(app(), again, [['refresh.repeated', ...who, { user_id: user.id }]]);
      assert.equal(repeated?.source, '127.0.0.1');
      assert.match(String(repeated?.requestId), /^[\da-f-]{36}$/);
      const { services, account } = app();
      await setUser(services, account, user.id, { status: 'suspended' });
      await assertTold(app(), again, [['refresh.refused', ...who, { reason: 'user_suspended' }]]);
      await setUser(services, account, user.id, { status: 'active' });
      services.clock.advance(11_000);
      const reused = ['refresh.reused', ...who, { reason: 'refresh_token_reused' }] as const;
      await assertTold(app(), again, [reused]);
      await assertTold(app(), again, [['refresh.refused', ...who, { reason: 'revoked' }]]);
    });
  }

  it('each revocation, once', async () => {
    const { client, tokens } = await signedIn(app());
    const who = `client ${client.app_id}` as const;
    const revoke = (token: string) => () => post(client, '/oauth2/revoke', { token });
    const [event] = await toldBy(app(), revoke(tokens.access_token));
    assert.deepEqual(
      [event?.action, event?.targetType, event?.actorId],
      ['access_token.revoked', 'access_token', client.app_id],
    );
    await assertTold(app(), revoke(tokens.access_token), []);
    const grant = `grant ${await grantOf(client.app_id)}` as const;
    await assertTold(app(), revoke(tokens.refresh_token), [
      ['grant.revoked', who, grant, { reason: 'revoked_by_client' }],
    ]);
    await assertTold(app(), revoke(tokens.refresh_token), []);
    await assertTold(app(), revoke('nothing'), []);
  });

  it('exchanges, refreshes, introspections and tokens of clients and credentials are counted by day', async () => {
    const one = await app().another();
    const { services, account } = one;
    const { client, tokens } = await signedIn(one);
    const bearer = await one.bearer('read_all');
    const shown = clientAuthentication(client);
    const send = (path: string, form: Record<string, string>) =>
      one.send('POST', path, { headers: shown.headers, form: { ...shown.form, ...form } });
    const next = await refresh(one, client, tokens.refresh_token);
    await refresh(one, client, next.body.refresh_token);
    await refresh(one, client, next.body.refresh_token);
    for (const token of [tokens.access_token, 'nothing', bearer]) await send('/oauth2/introspect', { token });
    await send('/oauth2/token', { grant_type: 'client_credentials' });
    await services.counts.flush();
    await services.counts.flush();
    const counts = await services.store.counts.list(account.id, '');
    const counted = counts.map(({ kind, count }) => [kind, count]);
    assert.deepEqual(counted, [
      ['authorization_code', 1],
      ['client_credentials', 1],
      // Of the bearer that registered the client, and of the one above.
      ['credential_token', 1],
      ['credential_token', 1],
      ['introspection', 3],
      ['refresh', 2],
    ]);
    assert.ok(counts.every(({ day }) => day === new Date(services.clock.now()).toISOString().slice(0, 10)));
  });

  it('a revoked token of a credential, once', async () => {
    const { services, account } = app();
    const { clientId, clientSecret } = await createCredential(services, account, ['read_all']);
    const headers = basic(clientId, clientSecret);
    const json = { grant_type: 'client_credentials' };
    const { body } = await app().send('POST', '/auth/oauth2/v2/token', { headers, json });
    const revoke = () =>
      app().send('POST', '/auth/oauth2/revoke', { headers, json: { access_token: body.access_token } });
    const [event, ...rest] = await toldBy(app(), async () => [await revoke(), await revoke()]);
    assert.deepEqual([event?.action, event?.actorType, rest], ['credential_token.revoked', 'credential', []]);
  });
}
