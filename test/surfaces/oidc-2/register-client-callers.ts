/** Who may register (the document's §5, first row; R1), how often, and where registration is closed. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createCredential, revokeCredential } from '../../../src/domain/callers/credentials.ts';
import { basic, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { countClients, minimal, registerPath, signedIn } from './door.ts';

function send(app: TestApp, authorization: string | undefined): Promise<Answer> {
  return app.send('POST', registerPath, {
    headers: authorization === undefined ? {} : { authorization },
    json: minimal,
  });
}

/** The document's §7: 401, `UnauthorizedError` with the description `Unauthorized`, and no row. */
async function assertUnauthorized(app: TestApp, authorization: string | undefined, what: string): Promise<void> {
  const before = await countClients(app);
  const answer = await send(app, authorization);
  assert.equal(answer.status, 401, what);
  assert.deepEqual(answer.body, { error: 'UnauthorizedError', error_description: 'Unauthorized' }, what);
  assert.match(String(answer.headers['www-authenticate']), /^Bearer realm="/, what);
  assert.equal(answer.headers['cache-control'], 'no-store', what);
  assert.equal(await countClients(app), before, `${what}: a client was stored`);
}

async function issue(app: TestApp, scope: 'manage_all'): Promise<{ clientId: string; token: string }> {
  const { clientId, clientSecret } = await createCredential(app.services, app.account, [scope]);
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  return { clientId, token: (await app.send('POST', '/auth/oauth2/v2/token', { form })).body.access_token };
}

export function registerClientCallers(app: () => TestApp): void {
  it('accepts the scopes manage_all and register_clients, alone and among others', async () => {
    const scopes = [
      ['manage_all'],
      ['register_clients'],
      ['read_users', 'register_clients'],
      ['manage_all', 'read_all'],
    ] as const;
    for (const some of scopes) assert.equal((await send(app(), `Bearer ${await app().bearer(...some)}`)).status, 200);
  });

  it('accepts the bearer scheme in any case, and bearer:<token>', async () => {
    const token = await app().bearer('register_clients');
    for (const form of [
      `bearer ${token}`,
      `BEARER ${token}`,
      `bearer:${token}`,
      `bearer: ${token}`,
      `Bearer   ${token}`,
    ]) {
      assert.equal((await send(app(), form)).status, 200, form);
    }
  });

  it('R1: answers 401 without a bearer, or with an invalid one', async () => {
    const token = await app().bearer('register_clients');
    await assertUnauthorized(app(), undefined, 'no header');
    const headers = [
      ...['', 'Bearer', 'Bearer ', 'Bearer x', `Token ${token}`, token, `Bearer ${token}x`, `Bearer x${token}`],
      ...[`Bearer ${token} ${token}`, `Bearer ${token},${token}`, `Bearer "${token}"`, `Bearer ${token.toUpperCase()}`],
      ...[`Bearer ${token.slice(0, -1)}`, `Bearer ct_zzzzzz_${'A'.repeat(43)}`, `Bearer ${'x'.repeat(10_000)}`],
      ...[basic('x', token).authorization, `Bearer ${Buffer.from(token).toString('base64')}`],
    ];
    for (const header of headers) await assertUnauthorized(app(), header, header.slice(0, 80));
  });

  it('R1: answers 401 for scopes that do not permit the call', async () => {
    for (const scope of ['authentication_only', 'read_users', 'manage_users', 'read_all'] as const) {
      await assertUnauthorized(app(), `Bearer ${await app().bearer(scope)}`, scope);
    }
    const many = await app().bearer('authentication_only', 'read_users', 'manage_users', 'read_all');
    await assertUnauthorized(app(), `Bearer ${many}`, 'all four');
  });

  it("R1: answers 401 for another account's bearer, and for a user's access token", async () => {
    const other = await app().another();
    await assertUnauthorized(app(), `Bearer ${await other.bearer('manage_all')}`, 'another account');
    await assertUnauthorized(other, `Bearer ${await app().bearer('manage_all')}`, 'this account, there');
    const { tokens } = await signedIn(app());
    for (const token of [tokens.access_token, tokens.refresh_token, tokens.id_token]) {
      await assertUnauthorized(app(), `Bearer ${token}`, token.slice(0, 4));
    }
  });

  it('R1: answers 401 for a token that expired or was revoked, or whose pair was revoked', async () => {
    using _ = app().services.clock.hold();
    const { clientId, token } = await issue(app(), 'manage_all');
    app().services.clock.advance(36_000_000 - 1);
    assert.equal((await send(app(), `Bearer ${token}`)).status, 200);
    app().services.clock.advance(1);
    await assertUnauthorized(app(), `Bearer ${token}`, 'expired');

    const second = await issue(app(), 'manage_all');
    await revokeCredential(app().services, app().account, second.clientId);
    await assertUnauthorized(app(), `Bearer ${second.token}`, 'pair revoked');

    const { clientSecret, clientId: id } = await createCredential(app().services, app().account, ['manage_all']);
    const headers = basic(id, clientSecret);
    const form = { grant_type: 'client_credentials' };
    const third = (await app().send('POST', '/auth/oauth2/v2/token', { headers, form })).body.access_token;
    await app().send('POST', '/auth/oauth2/revoke', { headers, json: { access_token: third } });
    await assertUnauthorized(app(), `Bearer ${third}`, 'token revoked');
    assert.notEqual(clientId, id);
  });

  it('answers 401 where registration is closed, and requires a bearer token where it is open', async () => {
    const closed = await app().another({ registration: 'closed' });
    await assertUnauthorized(closed, `Bearer ${await closed.bearer('manage_all')}`, 'closed');
    const open = await app().another({ registration: 'open' });
    await assertUnauthorized(open, undefined, 'open, without a bearer');
    assert.equal((await send(open, `Bearer ${await open.bearer('register_clients')}`)).status, 200);
  });

  it('answers 429 with Retry-After once a pair used up its hour, and keeps serving the others', async () => {
    const limited = await app().another({ 'limit.register': '2/h' });
    const token = await limited.bearer('register_clients');
    assert.equal((await send(limited, `Bearer ${token}`)).status, 200);
    // Refused registrations count too: the limit is on calls.
    assert.equal(
      (await limited.send('POST', registerPath, { headers: { authorization: `Bearer ${token}` }, json: {} })).status,
      400,
    );
    const before = await countClients(limited);
    const answer = await send(limited, `Bearer ${token}`);
    assert.equal(answer.status, 429);
    assert.deepEqual(Object.keys(answer.body), ['error', 'error_description']);
    const retryAfter = Number(answer.headers['retry-after']);
    assert.ok(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 3600, String(retryAfter));
    assert.equal(await countClients(limited), before);
    assert.equal((await send(limited, `Bearer ${await limited.bearer('register_clients')}`)).status, 200);
  });

  it('limits a pair to 1,000 registrations an hour by default', async () => {
    const { account, services } = await app().another();
    assert.deepEqual(account.settings.limits.register, { points: 1000, windowSeconds: 3600 });
    assert.equal((await services.limits.state(account, 'register', { credential: 'a pair' }))?.limit, 1000);
  });
}
