import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import {
  clientAuthentication,
  type RegisteredClient,
  refresh,
  registerClient,
  signedIn,
} from '../../support/sign-in.ts';
import { type AppOf, assertError } from './asking.ts';

function revoke(app: TestApp, client: RegisteredClient, token: string, more = {}): Promise<Answer> {
  const { headers, form } = clientAuthentication(client);
  return app.send('POST', '/oauth2/revoke', { headers, form: { ...form, token, ...more } });
}

async function opens(app: TestApp, accessToken: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await app.send('GET', '/oauth2/userinfo', { headers })).status === 200;
}

/** RFC 7009. */
export function revocation(app: AppOf): void {
  it('revoking a refresh token ends the whole grant, at both doors at once; the answer has no body', async () => {
    const { client, tokens } = await signedIn(app());
    const answer = await revoke(app(), client, tokens.refresh_token);
    assert.deepEqual([answer.status, answer.text], [200, '']);
    assertError(await refresh(app(), client, tokens.refresh_token), 400, 'invalid_grant');
    assert.equal((await refresh(app(), client, tokens.refresh_token, '/oidc/2/token')).status, 401);
    assert.equal(await opens(app(), tokens.access_token), false);
  });

  it('an older refresh token of the family does the same: its holder can still end the grant', async () => {
    const { client, tokens } = await signedIn(app());
    const next = (await refresh(app(), client, tokens.refresh_token)).body;
    assert.equal((await revoke(app(), client, tokens.refresh_token)).status, 200);
    assertError(await refresh(app(), client, next.refresh_token), 400, 'invalid_grant');
  });

  it('an access token ends alone', async () => {
    const { client, tokens } = await signedIn(app());
    assert.equal((await revoke(app(), client, tokens.access_token)).status, 200);
    assert.equal(await opens(app(), tokens.access_token), false);
    const next = await refresh(app(), client, tokens.refresh_token);
    assert.equal(next.status, 200);
    assert.equal(await opens(app(), next.body.access_token), true);
  });

  it('an unknown or expired token counts as revoked, whatever the hint (§2.2)', async () => {
    const { client, tokens } = await signedIn(app());
    assert.equal((await revoke(app(), client, tokens.refresh_token)).status, 200);
    for (const text of [tokens.refresh_token, tokens.access_token, 'x', tokens.id_token, `rt_1.${'A'.repeat(65)}`]) {
      for (const hint of ['access_token', 'refresh_token', 'saml']) {
        assert.equal((await revoke(app(), client, text, { token_type_hint: hint })).status, 200, text);
      }
    }
  });

  it("another client's tokens are kept: an access token is refused, a refresh token counts as unknown (§2.1)", async () => {
    const { client, tokens } = await signedIn(app());
    const other = await registerClient(app());
    assertError(await revoke(app(), other, tokens.access_token), 400, 'invalid_request', /another client/);
    assert.equal((await revoke(app(), other, tokens.refresh_token)).status, 200);
    assert.equal(await opens(app(), tokens.access_token), true);
    assert.equal((await refresh(app(), client, tokens.refresh_token)).status, 200);
  });

  it('a public client revokes its own', async () => {
    const { client, tokens } = await signedIn(app(), { token_endpoint_auth_method: 'none' });
    assert.equal((await revoke(app(), client, tokens.refresh_token)).status, 200);
    assert.equal(await opens(app(), tokens.access_token), false);
  });

  it('token is needed', async () => {
    const client = await registerClient(app());
    assertError(await revoke(app(), client, ''), 400, 'invalid_request', /^token is missing$/);
  });
}
