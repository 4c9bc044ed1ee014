/** Client authentication (the document's §5, rows 2 to 4; T5): only by the registered method. */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { basic, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import type { RegisteredClient } from '../../support/sign-in.ts';
import { assertRefusal, type SignedIn, signedIn, signInAgain, tokenPath } from './door.ts';
import { answers, type Known, methods, type Presentation, presentations } from './presentations.ts';

export function refreshTokenClients(app: () => TestApp): void {
  for (const method of methods) {
    describe(`T5: a client whose method is ${method}`, () => {
      let held: SignedIn;
      let known: Known;
      before(async () => {
        held = await signedIn(app(), method === 'not named' ? {} : { token_endpoint_auth_method: method });
        const other = await signedIn(app());
        known = {
          id: held.client.client_id,
          secret: held.client.client_secret ?? 'cs_sent-for-none',
          otherId: other.client.client_id,
          otherSecret: other.client.client_secret ?? '',
        };
      });

      function send({ authorization, form = {} }: Presentation, refreshToken: string): Promise<Answer> {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
        return app().send('POST', tokenPath, {
          headers,
          form: { grant_type: 'refresh_token', refresh_token: refreshToken, ...form },
        });
      }

      for (const [name, { sent, serves, otherwise }] of Object.entries(presentations)) {
        const served = serves.includes(method);
        it(`${served ? 'is served' : `is refused (${otherwise})`} by: ${name}`, async () => {
          const tokens = served ? await signInAgain(app(), held.client as RegisteredClient, held.user) : held.tokens;
          const answer = await send(sent(known), tokens.refresh_token);
          if (served) return assert.equal(answer.status, 200, answer.text);
          const [status, error, words] = answers[otherwise];
          assertRefusal(answer, status, error, words, name);
        });
      }

      it('T5: the refusals used nothing up', async () => {
        const right = Object.values(presentations).find(({ serves }) => serves.includes(method));
        assert.ok(right);
        assert.equal((await send(right.sent(known), held.tokens.refresh_token)).status, 200);
      });
    });
  }

  describe('limits', () => {
    it('answers 429 with Retry-After after too many failed authentications of one client, and serves the others', async () => {
      const limited = await app().another({ 'limit.client-auth': '3/h' });
      const [first, second] = [await signedIn(limited), await signedIn(limited)];
      const form = (one: SignedIn) => ({ grant_type: 'refresh_token', refresh_token: one.tokens.refresh_token });
      const send = (one: SignedIn, secret: string) =>
        limited.send('POST', tokenPath, { headers: basic(one.client.client_id, secret), form: form(one) });
      for (let count = 0; count < 3; count += 1) assert.equal((await send(first, 'wrong')).status, 401);
      for (const secret of ['wrong', first.client.client_secret ?? '']) {
        const answer = await send(first, secret);
        assert.equal(answer.status, 429);
        assert.deepEqual(Object.keys(answer.body), ['error', 'error_description']);
        assert.match(String(answer.headers['retry-after']), /^[1-9]\d{0,3}$/);
      }
      assert.equal((await send(second, second.client.client_secret ?? '')).status, 200);
    });

    it('resets failures after a success, and never limits successes', async () => {
      const limited = await app().another({ 'limit.client-auth': '2/h' });
      const { client, tokens } = await signedIn(limited);
      let current = tokens.refresh_token;
      for (let count = 0; count < 6; count += 1) {
        const form = { grant_type: 'refresh_token', refresh_token: current };
        assert.equal(
          (await limited.send('POST', tokenPath, { headers: basic(client.client_id, 'wrong'), form })).status,
          401,
        );
        const answer = await limited.send('POST', tokenPath, {
          headers: basic(client.client_id, client.client_secret ?? ''),
          form,
        });
        assert.equal(answer.status, 200, answer.text);
        current = answer.body.refresh_token;
      }
    });

    it('allows 60 failures a minute by default', async () => {
      const { account } = await app().another();
      assert.deepEqual(account.settings.limits['client-auth'], { points: 60, windowSeconds: 60 });
    });
  });
}
