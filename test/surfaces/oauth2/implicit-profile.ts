import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { decodeJwt } from 'jose';
import { mapClaims, person } from '../../../scripts/conformance/person.ts';
import type { TestApp } from '../../support/app.ts';
import { byTurns } from '../../support/sample.ts';
import { authorizePath, CookieJar, implicitClient, password, submit, walk } from '../../support/sign-in.ts';
import { type AppOf, assertErrorPage, type Setting, settle } from './asking.ts';
import { assertTold, succeeding } from './certification.ts';
import { implicitAccount } from './implicit.ts';
import { received } from './response-modes.ts';

/** The requests of the test modules of the implicit profile (docs/conformance.md). */
export function implicitProfile(app: AppOf): void {
  let on: TestApp;
  let setting: Setting;
  before(async () => {
    on = await app().another(implicitAccount);
    await mapClaims(on.services, on.account);
    setting = await settle(on, implicitClient, person);
    await setting.code({ scope: 'openid profile email address phone' });
  });

  for (const [row, response_type] of ['id_token', 'id_token token'].entries()) {
    const atTurn = byTurns(it, row, 2);
    const path = (parameters: Record<string, string> = {}) =>
      authorizePath(setting.client, { response_type, ...parameters });

    atTurn(`${response_type}: each request of the implicit profile ends in tokens for the signed-in user`, async () => {
      const { client, user, jar } = setting;
      const first = received((await walk(on, jar, path({ prompt: 'none' }))).answer, 'fragment')['id_token'] ?? '';
      const { auth_time } = decodeJwt(first);
      const essential = response_type === 'id_token' ? '{"id_token":{"name":{"essential":true}}}' : undefined;
      const requests = Object.entries<Readonly<Record<string, string>>>({
        ...succeeding,
        'oidcc-id-token-hint': { prompt: 'none', id_token_hint: first },
        ...(essential && { 'oidcc-claims-essential': { scope: 'openid', claims: essential } }),
      }).filter(([module]) => module !== 'oidcc-ensure-request-without-nonce-succeeds-for-code-flow');
      for (const [module, parameters] of requests) {
        const { answer } = await walk(on, jar, path(parameters));
        const { access_token, id_token = '', state } = received(answer, 'fragment');
        assert.equal(state, 'state-1', module);
        const { iss, aud, sub, nonce, ...claims } = decodeJwt(id_token);
        assert.deepEqual([iss, aud, sub], [on.account.baseUrl, client.client_id, String(user.id)], module);
        assert.deepEqual([nonce, claims['auth_time']], ['nonce-1', auth_time], module);
        const headers = { authorization: `Bearer ${access_token}` };
        const told = access_token ? (await on.send('GET', '/oauth2/userinfo', { headers })).body : claims;
        assertTold(told, parameters, module);
        assert.equal('at_hash' in claims, access_token !== undefined, module);
      }
    });

    atTurn(`${response_type}: errors of the implicit profile are reported to the client`, async () => {
      for (const [module, parameters, error] of [
        ['oidcc-ensure-request-without-nonce-fails', { nonce: '' }, 'invalid_request'],
        ['oidcc-prompt-none-not-logged-in', { prompt: 'none' }, 'login_required'],
        ['oidcc-unsigned-request-object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
        ['oidcc-request-uri-unsigned', { request_uri: 'https://app.example.com/r.jwt' }, 'invalid_request_uri'],
      ] as const) {
        const { answer } = await walk(on, new CookieJar(), path(parameters));
        const { error: told, state } = received(answer, 'fragment');
        assert.deepEqual([told, state], [error, 'state-1'], module);
      }
      const missing = await walk(on, new CookieJar(), path({ response_type: '' }));
      assert.equal(received(missing.answer, 'query')['error'], 'invalid_request');
      assertErrorPage(await on.send('GET', path({ redirect_uri: 'https://app.example.com/other' })), /redirect_uri/);
    });

    atTurn(
      `${response_type}: oidcc-prompt-login and oidcc-max-age-1 ask again, and return the new auth_time`,
      async () => {
        const { user, jar } = setting;
        let last = 0;
        for (const parameters of [{}, { prompt: 'login' }, { max_age: '1' }]) {
          on.services.clock.advance(2_000);
          const asked = await walk(on, jar, path(parameters));
          const isAsked = /type="password"/.test(asked.answer.text);
          assert.equal(isAsked, 'prompt' in parameters || 'max_age' in parameters);
          const typed = { username: user.email ?? '', password };
          const { answer } = isAsked ? await submit(on, asked, typed) : asked;
          const time = Number(decodeJwt(received(answer, 'fragment')['id_token'] ?? '')['auth_time']);
          assert.ok(time > last);
          last = time;
        }
      },
    );
  }
}
