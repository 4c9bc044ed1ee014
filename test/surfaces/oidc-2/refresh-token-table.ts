/**
 * The contract's tables of refusals (docs/document-gaps.md#refresh-at-the-documented-door), row by row: status,
 * error and error_description, and that a refusal uses up nothing.
 */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { basic, type Sent, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { assertRefusal, type SignedIn, signedIn, tokenPath } from './door.ts';
import { grantTypes, malformedHeaders } from './refresh-values.ts';

const formType = 'application/x-www-form-urlencoded';

export function refreshTokenTable(app: () => TestApp): void {
  describe('each row refuses with its own message', () => {
    let held: SignedIn;
    before(async () => {
      held = await signedIn(app(), { token_endpoint_auth_method: 'client_secret_post' });
    });

    function good(): Record<string, string> {
      const { client, tokens } = held;
      const { client_id, client_secret = '' } = client;
      return { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id, client_secret };
    }
    /** The good form without some members, with others in their place. */
    function send(changes: Record<string, string | undefined> = {}, sent: Sent = {}): Promise<Answer> {
      const form = Object.entries({ ...good(), ...changes }).filter(
        (pair): pair is [string, string] => pair[1] !== undefined,
      );
      return app().send('POST', tokenPath, { form, ...sent });
    }
    async function refuses(
      changes: Record<string, string | undefined>,
      status: number,
      error: string,
      words: string,
    ): Promise<void> {
      assertRefusal(await send(changes), status, error, words, JSON.stringify(changes));
    }

    it('400 unsupported_grant_type () when grant_type is missing or empty', async () => {
      for (const grant_type of [undefined, '']) {
        await refuses({ grant_type }, 400, 'unsupported_grant_type', 'unsupported grant_type requested ()');
      }
    });

    it('400 unsupported_grant_type naming the value when it is not refresh_token', async () => {
      for (const [value, named] of grantTypes) {
        await refuses(
          { grant_type: value },
          400,
          'unsupported_grant_type',
          `unsupported grant_type requested (${named})`,
        );
      }
    });

    it('400 invalid_request when refresh_token is missing or empty', async () => {
      for (const refresh_token of [undefined, '']) {
        await refuses({ refresh_token }, 400, 'invalid_request', 'refresh_token is missing');
      }
    });

    it('400 invalid_request naming a repeated member, known or not', async () => {
      for (const name of ['grant_type', 'refresh_token', 'client_id', 'client_secret', 'scope', 'x']) {
        const value = good()[name] ?? 'y';
        for (const second of [value, 'other', '']) {
          const form = `${new URLSearchParams({ ...good(), [name]: value })}&${new URLSearchParams({ [name]: second })}`;
          const answer = await app().send('POST', tokenPath, { form });
          assertRefusal(answer, 400, 'invalid_request', `${name} is given twice`, form.slice(-40));
        }
      }
    });

    it('400 invalid_request for another media type, or none', async () => {
      const words = `Content-Type must be ${formType}`;
      const text = String(new URLSearchParams(good()));
      const types = [
        'application/json',
        'text/plain',
        'multipart/form-data; boundary=x',
        'application/xml',
        'form',
        `${formType}2`,
      ];
      for (const type of types) {
        const answer = await app().send('POST', tokenPath, { headers: { 'content-type': type }, raw: text });
        assertRefusal(answer, 400, 'invalid_request', words, type);
      }
      assertRefusal(await app().send('POST', tokenPath, { json: good() }), 400, 'invalid_request', words, 'JSON');
      assertRefusal(await app().send('POST', tokenPath), 400, 'invalid_request', words, 'nothing at all');
      assertRefusal(await app().send('POST', `${tokenPath}?${text}`), 400, 'invalid_request', words, 'in the query');
    });

    it('400 unsupported_grant_type () for an empty form', async () => {
      const answer = await app().send('POST', tokenPath, { headers: { 'content-type': formType } });
      assertRefusal(answer, 400, 'unsupported_grant_type', 'unsupported grant_type requested ()');
    });

    it('400 Resource not found for an unknown or missing client_id', async () => {
      const { client_id: id } = held.client;
      for (const client_id of [
        undefined,
        '',
        'unknown',
        `${id}x`,
        id.slice(1),
        id.toUpperCase(),
        ` ${id}`,
        `${id}%00`,
        '*',
        "' or 1=1--",
      ]) {
        await refuses({ client_id }, 400, 'invalid_request', 'Resource not found');
      }
      const headers = basic('unknown', held.client.client_secret ?? '');
      const answer = await send({ client_id: undefined, client_secret: undefined }, { headers });
      assertRefusal(answer, 400, 'invalid_request', 'Resource not found');
    });

    it("400 Resource not found for another account's client, and for that account's host", async () => {
      const other = await app().another();
      const answer = await other.send('POST', tokenPath, { form: good() });
      assertRefusal(answer, 400, 'invalid_request', 'Resource not found');
    });

    it('400 for an Authorization header of invalid format', async () => {
      const words = 'invalid authorization header value format';
      for (const authorization of malformedHeaders) {
        for (const changes of [{}, { client_id: undefined, client_secret: undefined }]) {
          const answer = await send(changes, { headers: { authorization } });
          assertRefusal(answer, 400, 'invalid_request', words, authorization);
        }
      }
    });

    it('401 Authentication Failed for a wrong secret', async () => {
      const { client_secret: secret = '' } = held.client;
      for (const client_secret of [
        'wrong',
        `${secret}x`,
        secret.slice(0, -1),
        secret.toLowerCase(),
        ` ${secret}`,
        `${secret} `,
      ]) {
        await refuses({ client_secret }, 401, 'invalid_request', 'Authentication Failed');
      }
    });

    it('401 Access is unauthorized for an invalid refresh token', async () => {
      const { refresh_token: token, access_token: access } = held.tokens;
      const others = ['unknown', 'null', `${token}x`, token.slice(0, -1), token.toUpperCase(), ` ${token}`, access];
      // Another grant's number before the rest of an authentic token, and a text of the right form.
      const forged = [`rt_1a2b.${token.split('.')[1]}`, `rt_zzzzzz.${'A'.repeat(65)}`];
      for (const refresh_token of [...others, ...forged, "' or 1=1--", '../../etc/passwd', '%00']) {
        await refuses({ refresh_token }, 401, 'invalid_request', 'Access is unauthorized');
      }
    });

    it('400 invalid_request naming a member that is too long', async () => {
      for (const [name, most] of Object.entries({
        grant_type: 255,
        client_id: 255,
        client_secret: 255,
        refresh_token: 512,
      })) {
        const answer = await send({ [name]: 'x'.repeat(most + 1) });
        assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request']);
        assert.match(answer.body.error_description, new RegExp(`^${name} `));
      }
    });

    it('400 invalid_request for a control character in a value or a name', async () => {
      for (const form of [
        'grant_type=refresh_token%00',
        'grant_type=refresh_token&x%01=1',
        'grant_type=%ff%fe&a=%1b[2J',
      ]) {
        const answer = await app().send('POST', tokenPath, { form });
        assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request'], form);
      }
    });

    // Runs last: all of the above presented the same refresh token, or none.
    it('a refusal consumes and revokes nothing: after all of these the refresh token still works', async () => {
      const answer = await send();
      assert.equal(answer.status, 200, answer.text);
      const [, id36 = ''] = /^rt_([0-9a-z]+)\./.exec(held.tokens.refresh_token) ?? [];
      const grant = await app().services.store.grants.find(app().account.id, Number.parseInt(id36, 36));
      assert.deepEqual([grant?.generation, grant?.revokedAt], [1, null]);
    });
  });
}
