import assert from 'node:assert/strict';
import { it } from 'node:test';
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { multiFactor } from '../../../src/domain/login/methods.ts';
import { grantAccess, revokeAccess } from '../../../src/domain/users/access.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  redeem,
  registerClient,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, assertClientError, settle, toClient } from './asking.ts';

/** The intended user: OpenID Connect Core §3.1.2.1 (id_token_hint) and §5.5.1 (`sub` with a value). */
export function hints(app: AppOf): void {
  async function signedInTwice() {
    const setting = await settle(app());
    const { id_token: hint } = await redeem(app(), setting.client, await setting.code());
    const other = await makeUser(app(), setting.client.app_id);
    return { ...setting, hint, other };
  }

  it("with prompt=none the session of the hinted user is used, another user's is login_required", async () => {
    const { client, jar, hint, other } = await signedInTwice();
    const silent = authorizePath(client, { prompt: 'none', id_token_hint: hint });
    assert.ok(toClient((await walk(app(), jar, silent)).answer).has('code'));
    const theirs = new CookieJar();
    const at = await walk(app(), theirs, authorizePath(client, { scope: 'openid' }));
    await submit(app(), at, { username: other.email ?? '', password });
    assertClientError(app(), (await walk(app(), theirs, silent)).answer, 'login_required');
    assertClientError(app(), (await walk(app(), new CookieJar(), silent)).answer, 'login_required');
  });

  it('an expired hint still works', async () => {
    const { client, jar, hint, user } = await signedInTwice();
    app().services.clock.advance(2 * 3_600_000);
    const at = await walk(app(), jar, authorizePath(client, { id_token_hint: hint }));
    const again = await submit(app(), at, { username: user.email ?? '', password });
    assert.ok(toClient(again.answer).has('code'));
    const silent = authorizePath(client, { prompt: 'none', id_token_hint: hint });
    assert.ok(toClient((await walk(app(), jar, silent)).answer).has('code'));
  });

  it('without prompt another session is not used, and another user who signs in is login_required', async () => {
    const { client, jar, hint, other, user } = await signedInTwice();
    const path = authorizePath(client, { id_token_hint: hint });
    const theirs = new CookieJar();
    let at = await walk(app(), theirs, path);
    at = await submit(app(), at, { username: other.email ?? '', password });
    assertClientError(app(), at.answer, 'login_required');
    // Their session exists now, and is still not used for another user.
    at = await walk(app(), theirs, path);
    assert.match(at.answer.text, /name="password"/);
    at = await submit(app(), at, { username: user.email ?? '', password });
    assert.ok(toClient(at.answer).has('code'));
    assert.ok(toClient((await walk(app(), jar, path)).answer).has('code'));
  });

  it('a sub value in claims works like a hint, and both must name one user', async () => {
    const { client, jar, hint, user, other } = await signedInTwice();
    const claims = (value: unknown) => JSON.stringify({ id_token: { sub: { value } } });
    const ask = (parameters: Record<string, string>) =>
      walk(app(), jar, authorizePath(client, { prompt: 'none', ...parameters }));
    assert.ok(toClient((await ask({ claims: claims(String(user.id)) })).answer).has('code'));
    assertClientError(app(), (await ask({ claims: claims(String(other.id)) })).answer, 'login_required');
    assert.ok(toClient((await ask({ claims: claims(String(user.id)), id_token_hint: hint })).answer).has('code'));
    const both = { claims: claims(String(other.id)), id_token_hint: hint };
    assertClientError(app(), (await ask(both)).answer, 'invalid_request');
    assertClientError(app(), (await ask({ claims: claims(42) })).answer, 'invalid_request');
  });

  it('with prompt=none a client without consent or access cannot find out who the user is', async () => {
    const { jar, user, other, client } = await signedInTwice();
    const stranger = await registerClient(app());
    const assigned = await registerClient(app());
    const demanding = { acr_values: multiFactor };
    await grantAccess(app().services, app().account, assigned.app_id, { user: user.email ?? '' });
    for (const asking of [stranger, assigned]) {
      for (const more of [{}, demanding]) {
        const answers = [user, other].map(async ({ id }) => {
          const claims = JSON.stringify({ id_token: { sub: { value: String(id) } } });
          return (await walk(app(), jar, authorizePath(asking, { prompt: 'none', claims, ...more }))).answer;
        });
        const [own, another] = await Promise.all(answers);
        assert.ok(own && another);
        assertClientError(app(), own, 'login_required');
        assert.deepEqual(toClient(own), toClient(another));
      }
    }
    await revokeAccess(app().services, app().account, client.app_id, { user: user.email ?? '' });
    const claims = JSON.stringify({ id_token: { sub: { value: String(user.id) } } });
    const { answer } = await walk(app(), jar, authorizePath(client, { prompt: 'none', claims }));
    assertClientError(app(), answer, 'login_required');
  });

  it('anything except an id token of this client is invalid_request (T10)', async () => {
    const { client, jar, hint } = await signedInTwice();
    const foreign = await settle(app());
    const strangers = await redeem(app(), foreign.client, await foreign.code());
    const away = await app().another();
    const elsewhere = await settle(away);
    const abroad = await redeem(away, elsewhere.client, await elsewhere.code());
    const [head = '', body = '', signature = ''] = hint.split('.');
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString());
    const { privateKey } = await generateKeyPair('RS256');
    const kid = JSON.parse(Buffer.from(head, 'base64url').toString()).kid;
    const forged = await new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' }).sign(privateKey);
    for (const text of [
      ...['x.y.z', `${head}.${body}.`, `${head}.${body}x.${signature}`, forged],
      ...[new UnsecuredJWT(payload).encode(), strangers.id_token, abroad.id_token, strangers.access_token],
    ]) {
      const answer = await walk(app(), jar, authorizePath(client, { id_token_hint: text }));
      assertClientError(app(), answer.answer, 'invalid_request');
    }
  });

  it('login_hint prefills the form, as text', async () => {
    const { client } = await settle(app());
    const at = await walk(app(), new CookieJar(), authorizePath(client, { login_hint: 'a"<b>@example.com' }));
    assert.match(at.answer.text, /value="a&quot;&lt;b&gt;@example\.com"/);
  });
}
