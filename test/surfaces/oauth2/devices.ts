import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeJwt } from 'jose';
import { digestOf } from '../../../src/domain/secrets.ts';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { assertTold } from '../../domain/audit/told.ts';
import { askForCodes, codesOf, decideDevice, deviceGrant, deviceMetadata, poll } from '../../support/devices.ts';
import { purgeAll } from '../../support/purge.ts';
import { makeUser, refresh, registerClient } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, assertError } from './asking.ts';

const second = 1_000;

/** RFC 8628: a device without a browser. */
export function devices(app: AppOf): void {
  const settle = async (metadata: object = {}) => {
    const client = await registerClient(app(), { ...deviceMetadata, ...metadata });
    return { client, user: await makeUser(app(), client.app_id) };
  };
  const wait = (seconds: number) => app().services.clock.advance(seconds * second);

  it('codes: the device’s is a secret, the user’s eight consonants; both are valid for ten minutes', async () => {
    const { client } = await settle();
    const codes = await codesOf(app(), client);
    const { baseUrl } = app().account;
    assert.match(codes.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.match(codes.device_code, /^[\w-]{43}$/);
    assert.equal(codes.verification_uri, `${baseUrl}/device`);
    assert.equal(codes.verification_uri_complete, `${baseUrl}/device?user_code=${codes.user_code}`);
    assert.deepEqual([codes.expires_in, codes.interval], [600, 5]);
    const row = await app().services.store.deviceCodes.find(app().account.id, digestOf(codes.device_code));
    assert.ok(row);
    const kept = JSON.stringify(row);
    for (const secret of [codes.device_code, codes.user_code, codes.user_code.replace('-', '')]) {
      assert.ok(!kept.includes(secret), 'a code is stored');
      assert.notEqual(row.userCodeDigest, digestOf(secret), 'a short text is stored as a plain digest');
    }
  });

  it('tokens once the user allowed it, once, with the requested scopes; refresh works; recorded', async () => {
    const { client, user } = await settle();
    const codes = await codesOf(app(), client, { scope: 'openid email' });
    assertError(await poll(app(), client, codes), 400, 'authorization_pending');
    await decideDevice(app(), codes.user_code, user);
    let tokens: { access_token: string; refresh_token: string; scope: string; id_token: string } | undefined;
    const events = await assertTold(app(), async () => {
      const answer = await poll(app(), client, codes);
      assert.equal(answer.status, 200, answer.text);
      tokens = answer.body;
      assertError(await poll(app(), client, codes), 400, 'invalid_grant');
    }, [
      [
        'grant.issued',
        `client ${client.app_id}`,
        `grant ${Number((await newestGrant()) + 1)}`,
        { method: 'device_code', user_id: user.id, app_id: client.app_id, scope: ['openid', 'email'] },
      ],
    ]);
    assert.equal(events.length, 1);
    assert.ok(tokens);
    assert.equal(tokens.scope, 'openid email');
    const claims = decodeJwt(tokens.id_token);
    assert.deepEqual(
      [claims.sub, claims['amr'], 'nonce' in claims, 'sid' in claims],
      [String(user.id), ['pwd'], false, false],
    );
    assert.equal((await refresh(app(), client, tokens.refresh_token)).status, 200);
    const about = await app().send('GET', '/oauth2/userinfo', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    assert.equal(about.body.email, user.email);
  });

  it('one of ten simultaneous polls of an allowed code gets tokens', async () => {
    const { client, user } = await settle();
    const codes = await codesOf(app(), client);
    await decideDevice(app(), codes.user_code, user);
    const answers = await Promise.all(Array.from({ length: 10 }, () => poll(app(), client, codes)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 400)]);
  });

  it('slow_down: an early poll, and the interval is five seconds longer from then on', async () => {
    const { client, user } = await settle();
    const codes = await codesOf(app(), client);
    const asks = async (error: string) => assertError(await poll(app(), client, codes), 400, error);
    await asks('authorization_pending');
    wait(2);
    await asks('slow_down');
    wait(5);
    await asks('slow_down');
    wait(15);
    await asks('authorization_pending');
    wait(15);
    await asks('authorization_pending');
    for (let asked = 0; asked < 20; asked += 1) await asks('slow_down');
    wait(60);
    await asks('authorization_pending');
    await decideDevice(app(), codes.user_code, user);
    assert.equal((await poll(app(), client, codes)).status, 200, 'tokens are not delayed');
  });

  it('access_denied when the user denies, and never tokens afterwards', async () => {
    const { client, user } = await settle();
    const codes = await codesOf(app(), client);
    await decideDevice(app(), codes.user_code, user, 'deny');
    assertError(await poll(app(), client, codes), 400, 'access_denied');
    assertError(await poll(app(), client, codes), 400, 'access_denied');
  });

  it('expired_token after ten minutes, allowed or not; housekeeping deletes it', async () => {
    const { client, user } = await settle();
    const [waiting, allowed] = [await codesOf(app(), client), await codesOf(app(), client)];
    await decideDevice(app(), allowed.user_code, user);
    wait(600);
    assertError(await poll(app(), client, waiting), 400, 'expired_token');
    assertError(await poll(app(), client, allowed), 400, 'expired_token');
    wait(3600);
    await purgeAll(app().services.store, app().services.clock.now());
    assertError(await poll(app(), client, waiting), 400, 'invalid_grant');
  });

  it('a device code is refused from another client, and without the client’s secret', async () => {
    const { client, user } = await settle({ token_endpoint_auth_method: 'client_secret_post' });
    const other = await registerClient(app(), deviceMetadata);
    // The user allowed the other as much: nothing but the code's own client is in the way.
    await grantAccess(app().services, app().account, other.app_id, { user: user.email ?? '' });
    await decideDevice(app(), (await codesOf(app(), other)).user_code, user);
    const codes = await codesOf(app(), client);
    await decideDevice(app(), codes.user_code, user);
    assertError(await poll(app(), other, codes), 400, 'invalid_grant');
    const bare = { ...client, client_secret: 'wrong' };
    assertError(await poll(app(), bare, codes), 400, 'invalid_client');
    assertError(await askForCodes(app(), bare), 400, 'invalid_client');
    assert.equal((await poll(app(), client, codes)).status, 200);
  });

  it('another account’s code and an unknown code are refused', async () => {
    const { client } = await settle();
    assertError(await poll(app(), client, { device_code: 'unknown' }), 400, 'invalid_grant');
    assertError(await poll(app(), client, { device_code: '' }), 400, 'invalid_request', /device_code is missing/);
    const elsewhere = await app().another();
    const theirs = await codesOf(elsewhere, await registerClient(elsewhere, deviceMetadata));
    assertError(await poll(app(), client, theirs), 400, 'invalid_grant');
  });

  it('only for clients that registered the grant type; scopes and APIs as everywhere', async () => {
    const { client } = await settle();
    const without = await registerClient(app(), { token_endpoint_auth_method: 'none' });
    assertError(await askForCodes(app(), without), 400, 'unauthorized_client');
    assertError(await poll(app(), without, { device_code: 'x' }), 400, 'unauthorized_client');
    assertError(await askForCodes(app(), client, { scope: 'nothing' }), 400, 'invalid_scope');
    assertError(await askForCodes(app(), client, { resource: 'https://api.example.com' }), 400, 'invalid_target');
    const basic = { ...client, token_endpoint_auth_method: 'client_secret_basic', client_secret: 'wrong' };
    assertError(await askForCodes(app(), basic), 401, 'invalid_client');
  });

  it('access is checked when the device gets its tokens, and a refusal uses nothing up', async () => {
    const { client, user } = await settle();
    const codes = await codesOf(app(), client);
    await decideDevice(app(), codes.user_code, user);
    await setUser(app().services, app().account, user.id, { status: 'locked' });
    assertError(await poll(app(), client, codes), 400, 'invalid_grant');
    await setUser(app().services, app().account, user.id, { status: 'active' });
    assert.equal((await poll(app(), client, codes)).status, 200);
  });

  it('429 after too many failed authentications, as everywhere', async () => {
    const limited = await app().another({ 'limit.client-auth': '1/h' });
    const client = await registerClient(limited, {
      ...deviceMetadata,
      token_endpoint_auth_method: 'client_secret_post',
    });
    const bare = { ...client, client_secret: 'wrong' };
    assertError(await askForCodes(limited, bare), 400, 'invalid_client');
    assert.equal((await askForCodes(limited, bare)).status, 429);
  });

  it('the documented door does not support it', async () => {
    const answer = await app().send('POST', '/oidc/2/register', {
      headers: { authorization: `Bearer ${await app().bearer('register_clients')}` },
      json: {
        client_name: 'Device',
        redirect_uris: ['https://app.example.com/callback'],
        grant_types: [deviceGrant, 'authorization_code'],
      },
    });
    assert.deepEqual(answer.body.grant_types, ['authorization_code']);
  });

  /** The newest number of a grant. */
  async function newestGrant(): Promise<number> {
    const { lastId } = await app().services.store.events.findEnd(app().account.id);
    const all = await app().services.store.events.listAfter(app().account.id, 0, lastId);
    return Math.max(0, ...all.flatMap(({ targetType, targetId }) => (targetType === 'grant' ? [targetId ?? 0] : [])));
  }
}
