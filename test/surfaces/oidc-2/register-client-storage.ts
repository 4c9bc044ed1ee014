/**
 * What is kept of a registration: nothing that was not asked for (R4), no secret in plain text (R6), names as sent
 * (R7).
 */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { dump } from '../../support/rows.ts';
import { authorizePath, CookieJar, makeUser, refresh, walk } from '../../support/sign-in.ts';
import {
  assertRefused,
  minimal,
  redirectUri,
  register,
  registered,
  registerPath,
  signedIn,
  signInAgain,
} from './door.ts';

const canary = 'canary_7d1f0a';

/** Members that no registration can set: those of the answer, those of the row, and those of nobody. */
const surplus = {
  client_id: canary,
  client_secret: canary,
  client_secret_expires_at: 1,
  client_id_issued_at: 1,
  app_id: 424_242,
  account_id: 424_242,
  require_auth_time: true,
  introspection_endpoint_auth_method: 'none',
  revocation_endpoint_auth_method: 'none',
  is_admin: true,
  registered_by: 'open',
  registeredBy: 'open',
  secret_digest: canary,
  secretDigest: canary,
  authMethodNamed: false,
  role_ids: [1],
  default_acr_values: [canary],
  sector_identifier_uri: `https://${canary}.example`,
  request_uris: [`https://${canary}.example`],
  constructor: { prototype: { [canary]: true } },
  prototype: { [canary]: true },
  [canary]: { nested: [canary] },
};

export function registerClientStorage(app: () => TestApp): void {
  it('R4: ignores unlisted members and never stores them', async () => {
    using _ = app().services.clock.hold();
    const client = await registered(app(), { ...surplus, token_endpoint_auth_method: 'client_secret_post' });
    const plain = await registered(app(), { token_endpoint_auth_method: 'client_secret_post' });
    assert.deepEqual(Object.keys(client), Object.keys(plain));
    const generated = ['client_id', 'client_secret', 'app_id'];
    for (const [name, value] of Object.entries(client)) {
      if (!generated.includes(name)) assert.deepEqual(value, plain[name], name);
    }
    assert.ok(!JSON.stringify(client).includes(canary));

    const { store } = app().services;
    const row = await store.clients.find(app().account.id, client.client_id);
    const plainRow = await store.clients.find(app().account.id, plain.client_id);
    assert.ok(row && plainRow);
    assert.notEqual(row.appId, surplus.app_id);
    assert.deepEqual(row, { ...plainRow, appId: row.appId, clientId: row.clientId, secretDigest: row.secretDigest });
    assert.equal(row.accountId, app().account.id);
    assert.equal(row.registeredBy, 'token');
    assert.equal(await store.clients.find(app().account.id, canary), null);
    assert.ok(!(await dump(app().url)).includes(canary));
  });

  it('stores the listed members only, by name', async () => {
    const client = await registered(app(), { logo_uri: 'https://app.example.com/l.png', contacts: ['a@example.com'] });
    const row = await app().services.store.clients.find(app().account.id, client.client_id);
    assert.deepEqual(row?.extra, { logo_uri: 'https://app.example.com/l.png', contacts: ['a@example.com'] });
    assert.deepEqual(row?.redirectUris, [redirectUri]);
  });

  it('I7: refuses a __proto__ member anywhere, and changes no prototype', async () => {
    const headers = { authorization: `Bearer ${await app().bearer('manage_all')}`, 'content-type': 'application/json' };
    for (const raw of [
      '{"__proto__":{"client_name":"x","redirect_uris":["https://a.example/"],"polluted":1}}',
      '{"client_name":"x","redirect_uris":["https://a.example/"],"jwks":{"keys":[{"kty":"EC","__proto__":{"polluted":1}}]}}',
    ]) {
      const answer = await app().send('POST', registerPath, { headers, raw });
      assertRefused(answer, 'invalid_request', /./, raw);
    }
    await registered(app(), surplus);
    const clean: Record<string, unknown> = {};
    assert.deepEqual([clean['polluted'], clean[canary], Object.keys(Object.prototype)], [undefined, undefined, []]);
  });

  it('R6: stores only a digest of the secret; no table contains a secret or a token in plain text', async () => {
    const secrets: string[] = [];
    for (const method of ['client_secret_basic', 'client_secret_post', 'none']) {
      const { client, user, tokens } = await signedIn(app(), { token_endpoint_auth_method: method });
      const again = await signInAgain(app(), client, user);
      const next = (await refresh(app(), client, again.refresh_token, '/oidc/2/token')).body;
      if (client.client_secret !== undefined) secrets.push(client.client_secret);
      for (const set of [tokens, again, next]) secrets.push(set.access_token, set.refresh_token, set.id_token);
    }
    const bearer = await app().bearer('register_clients');
    secrets.push(bearer);
    const stored = await dump(app().url);
    assert.ok(stored.length > 1000);
    const log = JSON.stringify(app().services.lines);
    for (const secret of secrets) {
      // The random part alone would do for a thief.
      const random = secret.slice(-43);
      for (const text of [stored, log]) {
        assert.ok(!text.includes(random), `${secret.slice(0, 6)} is kept in plain text`);
        assert.ok(!text.includes(Buffer.from(random).toString('base64url')), `${secret.slice(0, 6)} is kept in base64`);
        assert.ok(!text.includes(Buffer.from(random).toString('hex')), `${secret.slice(0, 6)} is kept in hex`);
      }
    }
  });

  it('R6: a client with method none has no secret in its row', async () => {
    const client = await registered(app(), { token_endpoint_auth_method: 'none' });
    const row = await app().services.store.clients.find(app().account.id, client.client_id);
    assert.equal(row?.secretDigest, null);
  });

  const names = {
    HTML: '<script>alert("x")</script><img src=x onerror=alert(1)>&amp;\'',
    'right-to-left': 'אבג gpj.exe مرحبا',
    'four bytes': '🦊𝒳𠜎👩‍👩‍👧‍👦',
    template: '<%= 7*7 %>{{7*7}}#{7*7}',
    SQL: "Robert'); DROP TABLE clients;--",
    'the longest': 'é'.repeat(255),
    backslashes: '\\u003cb\\u003e\\',
  };
  for (const [kind, name] of Object.entries(names)) {
    it(`R7: stores a client_name with ${kind} unchanged, returns it as JSON and escapes it on pages`, async () => {
      const answer = await register(app(), { ...minimal, client_name: name });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
      assert.equal(answer.body.client_name, name);
      const row = await app().services.store.clients.find(app().account.id, answer.body.client_id);
      assert.equal(row?.name, name);
      await makeUser(app(), answer.body.app_id);
      const page = (await walk(app(), new CookieJar(), authorizePath(answer.body))).answer;
      assert.equal(page.status, 200);
      assert.doesNotMatch(page.text, /<script(?! type="module" src="\/assets\/)|<img src=x|>49</);
    });
  }

  it('R7: refuses a client_name with NUL, other control characters or half a surrogate pair', async () => {
    for (const name of [
      'nul\u0000',
      'bell\u0007',
      'esc\u001b[2J',
      'half\ud800',
      'half\udc00',
      'not a character\uffff',
    ]) {
      assertRefused(await register(app(), { ...minimal, client_name: name }), 'invalid_request', 'client_name', name);
    }
    for (const name of ['del\u007f', 'csi\u009b', 'line\u2028', 'cr\r']) {
      assertRefused(
        await register(app(), { ...minimal, client_name: name }),
        'invalid_client_metadata',
        'client_name',
        name,
      );
    }
  });
}
