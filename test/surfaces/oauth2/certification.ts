import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeJwt } from 'jose';
import { mapClaims, person } from '../../../scripts/conformance/person.ts';
import { byTurns } from '../../support/sample.ts';
import { authorizePath, CookieJar, password, redeem, redirectUri, submit, walk } from '../../support/sign-in.ts';
import { type AppOf, settle } from './asking.ts';
import { received } from './response-modes.ts';

const modes = ['query', 'form_post'] as const;

/** What each module of the certification plans asks for besides what every request has; all of it must succeed. */
export const succeeding: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': { nonce: '' },
  'oidcc-scope-profile': { scope: 'openid profile' },
  'oidcc-scope-email': { scope: 'openid email' },
  'oidcc-scope-address': { scope: 'openid address' },
  'oidcc-scope-phone': { scope: 'openid phone' },
  'oidcc-scope-all': { scope: 'openid profile email address phone' },
  'scopes in another order': { scope: 'email openid' },
  'oidcc-display-page': { display: 'page' },
  'oidcc-display-popup': { display: 'popup' },
  'oidcc-prompt-none-logged-in': { prompt: 'none' },
  'oidcc-max-age-10000': { max_age: '10000' },
  'oidcc-ensure-request-with-unknown-parameter-succeeds': { extra: 'foobar' },
  'oidcc-login-hint': { login_hint: 'somebody@example.com' },
  'oidcc-ui-locales': { ui_locales: 'se' },
  'oidcc-claims-locales': { claims_locales: 'se' },
  'oidcc-ensure-request-with-acr-values-succeeds': { acr_values: '1 2' },
  'oidcc-claims-essential': { scope: 'openid', claims: '{"userinfo":{"name":{"essential":true}}}' },
  'oidcc-ensure-request-with-valid-pkce-succeeds': {},
};

/** Asserts that these are the claims of the scopes that were asked for, all of which the account maps. */
export function assertTold(claims: object, parameters: Readonly<Record<string, string>>, module: string): void {
  const scope = parameters['scope'] ?? 'profile email';
  assert.equal('name' in claims, scope.includes('profile') || 'claims' in parameters, module);
  assert.equal('email' in claims, scope.includes('email'), module);
  assert.equal('address' in claims, scope.includes('address'), module);
  assert.equal('phone_number' in claims, scope.includes('phone'), module);
}

/** The requests of the OpenID Foundation's test modules, answered in the query and by a form (docs/conformance.md). */
export function certification(app: AppOf): void {
  for (const [row, mode] of modes.entries()) {
    const atTurn = byTurns(it, row, modes.length);
    atTurn(`${mode}: each request of the basic profile ends in tokens for the signed-in user`, async () => {
      const one = await app().another({ 'limit.register': 'off' });
      await mapClaims(one.services, one.account);
      const { client, user, jar, code } = await settle(one, {}, person);
      const first = await redeem(one, client, await code({ scope: 'openid profile email address phone' }));
      const { auth_time } = decodeJwt(first.id_token);
      const requests = Object.entries<Readonly<Record<string, string>>>({
        ...succeeding,
        'oidcc-id-token-hint': { prompt: 'none', id_token_hint: first.id_token },
      });
      for (const [module, parameters] of requests) {
        const asked = authorizePath(client, { response_mode: mode, ...parameters });
        const { answer } = await walk(one, jar, asked);
        const { code: given = '', ...rest } = received(answer, mode);
        assert.deepEqual(rest, { state: 'state-1', iss: one.account.baseUrl }, module);
        const tokens = await redeem(one, client, given);
        const { iss, aud, sub, nonce, ...claims } = decodeJwt(tokens.id_token);
        assert.deepEqual([iss, aud, sub], [one.account.baseUrl, client.client_id, String(user.id)], module);
        assert.equal(nonce, parameters['nonce'] === '' ? undefined : 'nonce-1', module);
        assert.equal(claims['auth_time'], auth_time, `${module}: nobody signed in again`);
        const headers = { authorization: `Bearer ${tokens.access_token}` };
        const { body } = await one.send('GET', '/oauth2/userinfo', { headers });
        assertTold(body, parameters, module);
      }
    });

    atTurn(
      `${mode}: oidcc-ensure-post-request-succeeds, and oidcc-codereuse revokes the tokens of the code`,
      async () => {
        const { client, jar, code } = await settle(app());
        await redeem(app(), client, await code());
        const form = Object.fromEntries(
          new URL(authorizePath(client, { response_mode: mode }), redirectUri).searchParams,
        );
        // A form of another site: the browser's cookies come with the next step.
        const begun = await app().send('POST', '/oauth2/authorize', { form });
        jar.keep(begun);
        const { answer } = await walk(app(), jar, String(begun.headers['location']));
        const { code: given = '' } = received(answer, mode);
        const tokens = await redeem(app(), client, given);
        const headers = { authorization: `Bearer ${tokens.access_token}` };
        assert.equal((await app().send('GET', '/oauth2/userinfo', { headers })).status, 200);
        await assert.rejects(redeem(app(), client, given), /invalid_grant/);
        assert.equal((await app().send('GET', '/oauth2/userinfo', { headers })).status, 401);
      },
    );

    atTurn(`${mode}: errors of the basic profile are reported to the client`, async () => {
      const { client } = await settle(app());
      for (const [module, parameters, error] of [
        ['oidcc-response-type-missing', { response_type: '' }, 'invalid_request'],
        ['oidcc-prompt-none-not-logged-in', { prompt: 'none' }, 'login_required'],
      ] as const) {
        const asked = authorizePath(client, { response_mode: mode, ...parameters });
        const { answer } = await walk(app(), new CookieJar(), asked);
        const { error: told, state } = received(answer, mode);
        assert.deepEqual([told, state], [error, 'state-1'], module);
      }
    });

    atTurn(`${mode}: oidcc-prompt-login and oidcc-max-age-1 ask again, and return the new auth_time`, async () => {
      const one = await app().another({ 'limit.register': 'off' });
      const { client, user, jar, code } = await settle(one);
      const before = decodeJwt((await redeem(one, client, await code())).id_token)['auth_time'];
      let last = Number(before);
      for (const parameters of [{ prompt: 'login' }, { max_age: '1' }]) {
        one.services.clock.advance(2_000);
        const asked = await walk(one, jar, authorizePath(client, { response_mode: mode, ...parameters }));
        assert.match(asked.answer.text, /type="password"/);
        const { answer } = await submit(one, asked, { username: user.email ?? '', password });
        const tokens = await redeem(one, client, received(answer, mode)['code'] ?? '');
        const time = Number(decodeJwt(tokens.id_token)['auth_time']);
        assert.ok(time > last);
        last = time;
      }
    });
  }
}
