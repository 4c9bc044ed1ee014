import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLocalJWKSet, type JWTVerifyOptions, jwtVerify } from 'jose';
import { basic, type TestApp } from '../../support/app.ts';
import { authorizePath, redeem, walk } from '../../support/sign-in.ts';
import { type AppOf, settle, toClient } from './asking.ts';

/** The claims of a JWT that another library verifies with the published keys. */
async function read(app: TestApp, text: string, options: JWTVerifyOptions) {
  const { body } = await app.send('GET', '/oauth2/jwks');
  const currentDate = new Date(app.services.clock.now());
  const keys = createLocalJWKSet(body);
  return jwtVerify(text, keys, { issuer: app.account.baseUrl, currentDate, ...options });
}

/** Answers that the client can show to others: JARM and RFC 9701. */
export function signedAnswers(app: AppOf): void {
  for (const [alg, members] of [
    ['RS256', {}],
    ['PS256', { authorization_signed_response_alg: 'PS256' }],
    ['ES256', { authorization_signed_response_alg: 'ES256' }],
  ] as const) {
    it(`response_mode=jwt: code and errors are one JWT for the client, ${alg}`, async () => {
      const { client, code, jar } = await settle(app(), members);
      // The browser is signed in, and the consent is there.
      await code();
      const answered = async (parameters: Record<string, string>) => {
        const path = authorizePath(client, { response_mode: 'jwt', ...parameters });
        const query = toClient((await walk(app(), jar, path)).answer);
        assert.deepEqual([...query.keys()], ['response']);
        const { payload, protectedHeader } = await read(app(), query.get('response') ?? '', {
          audience: client.client_id,
          requiredClaims: ['exp'],
        });
        assert.equal(protectedHeader.alg, alg);
        return payload;
      };
      const { code: given, state, exp = 0, sub } = await answered({ state: 'signed' });
      assert.deepEqual([state, sub], ['signed', undefined]);
      assert.ok(exp * 1000 - app().services.clock.now() <= 120_000);
      assert.ok((await redeem(app(), client, String(given))).access_token);
      const refused = await answered({ state: 'signed', prompt: 'none', scope: 'nothing' });
      assert.deepEqual([refused['error'], refused['state']], ['invalid_scope', 'signed']);
    });
  }

  it('the other signed modes deliver the JWT their own way, and none puts tokens into a query', async () => {
    const { client, code, jar } = await settle(app());
    const authorize = async (parameters: Record<string, string>) =>
      (await walk(app(), jar, authorizePath(client, parameters))).answer;
    await code();
    const fragment = String((await authorize({ response_mode: 'fragment.jwt' })).headers['location']);
    assert.match(fragment, /^[^?#]+#response=eyJ[\w.-]+$/);
    assert.ok(toClient(await authorize({ response_mode: 'query.jwt' })).get('response'));
    const posted = await authorize({ response_mode: 'form_post.jwt' });
    assert.equal(posted.status, 200);
    assert.match(posted.text, /name="response" value="eyJ/);
    assert.doesNotMatch(posted.text, /name="(code|state|iss)"/);
    const refused = await authorize({ response_mode: 'query.jwt', response_type: 'id_token' });
    assert.match(String(refused.headers['location']), /#error=/);
    const unknown = toClient(await authorize({ response_mode: 'web_message.jwt' }));
    assert.equal(unknown.get('error'), 'invalid_request');
  });

  it('introspection answers a JWT where Accept names it (RFC 9701), of an inactive token too', async () => {
    const { client, code } = await settle(app(), { introspection_signed_response_alg: 'ES256' });
    const { access_token: token } = await redeem(app(), client, await code());
    const ask = async (accept: string, sent: string) =>
      app().send('POST', '/oauth2/introspect', {
        headers: { ...basic(client.client_id, client.client_secret ?? ''), accept },
        form: { token: sent },
      });
    const signed = 'application/token-introspection+jwt';
    const plain = await ask('application/json, */*', token);
    assert.equal(plain.body.active, true);
    assert.equal((await ask(`${signed}, application/json`, token)).body.active, true);
    for (const [sent, expected] of [
      [token, plain.body],
      ['unknown', { active: false }],
    ] as const) {
      const answer = await ask(`text/html, ${signed.toUpperCase()};q=0.9`, sent);
      assert.equal(answer.headers['content-type'], signed);
      const { payload, protectedHeader } = await read(app(), answer.text, {
        audience: client.client_id,
        typ: 'token-introspection+jwt',
      });
      assert.equal(protectedHeader.alg, 'ES256');
      const { token_introspection: inner, iat, ...rest } = payload;
      assert.deepEqual(inner, expected);
      assert.equal(typeof iat, 'number');
      assert.deepEqual(Object.keys(rest).sort(), ['aud', 'iss']);
    }
  });
}
