import assert from 'node:assert/strict';
import { it } from 'node:test';
import { basic } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { type RegisteredClient, registerClient } from '../../support/sign-in.ts';
import { type AppOf, assertError } from './asking.ts';

interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
}

/** Ways to show an id and a secret, as a client of the service, or an attacker, may send them (T5). */
const ways: Readonly<Record<string, (client: RegisteredClient, other: RegisteredClient) => Sending>> = {
  'basic, right': (client) => ({ headers: basic(client.client_id, client.client_secret ?? '') }),
  'basic, right, scheme in lower case': ({ client_id: id, client_secret: secret = '' }) => ({
    headers: { authorization: basic(id, secret).authorization.replace('Basic', 'basic') },
  }),
  'basic, right, percent-encoded': ({ client_id: id, client_secret: secret = '' }) => ({
    headers: basic(percentEncoded(id), percentEncoded(secret)),
  }),
  'basic, right, with client_id in the form': ({ client_id: id, client_secret: secret = '' }) => ({
    headers: basic(id, secret),
    form: { client_id: id },
  }),
  'post, right': ({ client_id: id, client_secret: secret = '' }) => ({
    form: { client_id: id, client_secret: secret },
  }),
  'none: client_id alone': ({ client_id: id }) => ({ form: { client_id: id } }),
  'none: client_id and an empty secret (RFC 6749 §3.2: left out)': ({ client_id: id }) => ({
    form: { client_id: id, client_secret: '' },
  }),
  'basic, wrong secret': ({ client_id: id }) => ({ headers: basic(id, 'cs_wrong') }),
  'basic, empty secret': ({ client_id: id }) => ({ headers: basic(id, '') }),
  "basic, another client's secret": ({ client_id: id }, { client_secret: secret = '' }) => ({
    headers: basic(id, secret),
  }),
  'basic, right, a colon behind the secret': ({ client_id: id, client_secret: secret = '' }) => ({
    headers: basic(id, `${secret}:`),
  }),
  'basic and post at once': ({ client_id: id, client_secret: secret = '' }) => ({
    headers: basic(id, secret),
    form: { client_id: id, client_secret: secret },
  }),
  'basic for one client and client_id of another': ({ client_id: id, client_secret: secret = '' }, other) => ({
    headers: basic(id, secret),
    form: { client_id: other.client_id },
  }),
  'basic, not base64': () => ({ headers: { authorization: 'Basic ü%%' } }),
  'basic without a colon': ({ client_id: id }) => ({ headers: { authorization: `Basic ${btoa(id)}` } }),
  'bearer in place of basic': ({ client_secret: secret = '' }) => ({ headers: { authorization: `Bearer ${secret}` } }),
  'post, wrong secret': ({ client_id: id }) => ({ form: { client_id: id, client_secret: 'cs_wrong' } }),
  "post, another client's secret": ({ client_id: id }, { client_secret: secret = '' }) => ({
    form: { client_id: id, client_secret: secret },
  }),
  'post, the secret of another case': ({ client_id: id, client_secret: secret = '' }) => ({
    form: { client_id: id, client_secret: secret.toUpperCase() },
  }),
  'unknown client': () => ({ form: { client_id: 'unknown', client_secret: 'cs_x' } }),
  'no client at all': () => ({}),
};

/** A public key on the curve (RFC 7515, appendix A.3). */
const signingKey = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};

const anyone = [
  'basic, right',
  'basic, right, scheme in lower case',
  'basic, right, percent-encoded',
  'basic, right, with client_id in the form',
];
const alone = ['none: client_id alone', 'none: client_id and an empty secret (RFC 6749 §3.2: left out)'];

/** What of the above a registered method lets in: itself, and nothing else. */
const kinds: readonly [title: string, metadata: object, accepted: readonly string[]][] = [
  ['client_secret_basic', { token_endpoint_auth_method: 'client_secret_basic' }, anyone],
  ['client_secret_post', { token_endpoint_auth_method: 'client_secret_post' }, ['post, right']],
  ['no method named: either, never both', {}, [...anyone, 'post, right']],
  ['none', { token_endpoint_auth_method: 'none' }, alone],
  // The ways that let these in are in `client-assertions.ts`.
  ['private_key_jwt', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [signingKey] } }, []],
];

/** RFC 6749 §2.3, §5.2; docs/document-gaps.md#the-standard-door. */
export function clientAuthentication(app: AppOf): void {
  /** `invalid_grant` for an unknown refresh token shows that the client was authenticated. */
  function ask(sending: Sending): Promise<Answer> {
    const form = { grant_type: 'refresh_token', refresh_token: 'rt_1.none', ...sending.form };
    return app().send('POST', '/oauth2/token', { headers: sending.headers ?? {}, form });
  }

  for (const [title, metadata, accepted] of kinds) {
    it(`${title}: ${accepted.length} of ${Object.keys(ways).length} methods authenticate the client (T5)`, async () => {
      const client = await registerClient(app(), metadata);
      const other = await registerClient(app(), { token_endpoint_auth_method: 'client_secret_basic' });
      for (const [way, sending] of Object.entries(ways)) {
        // A client of the method none has no secret; its cells are sent with another one's.
        const sent = sending({ ...client, client_secret: client.client_secret ?? other.client_secret ?? '' }, other);
        const answer = await ask(sent);
        if (accepted.includes(way)) {
          assertError(answer, 400, 'invalid_grant');
          continue;
        }
        const challenged = sent.headers?.['authorization'] !== undefined;
        assert.equal(answer.status, challenged ? 401 : 400, `${title}: ${way}: ${answer.text}`);
        assert.equal(answer.body.error, 'invalid_client', `${title}: ${way}`);
        assert.equal(
          answer.headers['www-authenticate'],
          challenged ? 'Basic realm="gatehouse", charset="UTF-8"' : undefined,
          `${title}: ${way}`,
        );
      }
    });
  }

  it('answers an unknown client like a wrong secret, so that ids cannot be probed (L5)', async () => {
    const { client_id: id } = await registerClient(app());
    const same = async (one: Sending, two: Sending) => {
      const [first, second] = [await ask(one), await ask(two)];
      assert.deepEqual([first.status, first.text], [second.status, second.text]);
    };
    await same({ headers: basic(id, 'cs_wrong') }, { headers: basic('unknown', 'cs_wrong') });
    await same(
      { form: { client_id: id, client_secret: 'cs_wrong' } },
      { form: { client_id: 'unknown', client_secret: 'cs_wrong' } },
    );
  });

  it('introspection and revocation authenticate by the same method', async () => {
    const client = await registerClient(app(), { token_endpoint_auth_method: 'client_secret_post' });
    const { client_id: id, client_secret: secret = '' } = client;
    for (const path of ['/oauth2/introspect', '/oauth2/revoke']) {
      const right = { form: { client_id: id, client_secret: secret, token: 'x' } };
      assert.equal((await app().send('POST', path, right)).status, 200);
      const header = await app().send('POST', path, { headers: basic(id, secret), form: { token: 'x' } });
      assertError(header, 401, 'invalid_client');
      assert.ok(header.headers['www-authenticate']);
      assertError(await app().send('POST', path, { form: { client_id: id, token: 'x' } }), 400, 'invalid_client');
      assertError(await app().send('POST', path, { form: { token: 'x' } }), 400, 'invalid_client');
    }
  });

  for (const path of ['/oauth2/token', '/oauth2/introspect', '/oauth2/revoke']) {
    it(`${path}: failures are limited per client and source, and a success resets them`, async () => {
      const one = await app().another({ 'limit.client-auth': '3/h' });
      const client = await registerClient(one);
      const other = await registerClient(one);
      const form = { grant_type: 'client_credentials', token: 'x' };
      const send = (headers: Record<string, string>) => one.send('POST', path, { headers, form });
      const right = ({ client_id: id, client_secret: secret = '' }: RegisteredClient) => basic(id, secret);
      for (let round = 0; round < 3; round += 1) {
        // Go's client tries Basic first and then the form, and the other way round.
        assert.equal((await send(basic(client.client_id, 'wrong'))).status, 401);
        assert.equal((await send(basic(client.client_id, 'wrong'))).status, 401);
        assert.equal((await send(right(client))).status, 200);
      }
      for (let round = 0; round < 3; round += 1)
        assert.equal((await send(basic(client.client_id, 'wrong'))).status, 401);
      const refused = await send(right(client));
      assertError(refused, 429, 'rate_limited');
      assert.ok(Number(refused.headers['retry-after']) > 0);
      assert.equal((await send(right(other))).status, 200, 'another client is not limited');
    });
  }

  it('successful exchanges are not limited', async () => {
    const one = await app().another({ 'limit.client-auth': '1/h' });
    const client = await registerClient(one);
    const headers = basic(client.client_id, client.client_secret ?? '');
    for (let round = 0; round < 5; round += 1) {
      const answer = await one.send('POST', '/oauth2/token', { headers, form: { grant_type: 'client_credentials' } });
      assert.equal(answer.status, 200);
    }
  });
}

function percentEncoded(text: string): string {
  return [...text].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
}
