/**
 * How long a refresh token lives, and what happens to one that is presented again
 * (docs/document-gaps.md#refresh-tokens).
 */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { type RegisteredClient, refresh } from '../../support/sign-in.ts';
import { assertRefusal, signedIn, tokenPath } from './door.ts';

const dayMilliseconds = 86_400_000;
const unauthorized = [401, 'invalid_request', 'Access is unauthorized'] as const;
const otherDoor = '/oauth2/token';

export function refreshTokenLifetime(app: () => TestApp): void {
  async function rotate(at: TestApp, client: RegisteredClient, token: string): Promise<Answer['body']> {
    const answer = await refresh(at, client, token, tokenPath);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }
  async function isActive(at: TestApp, accessToken: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await at.send('GET', '/oauth2/userinfo', { headers })).status === 200;
  }
  /** Asserts that nothing of a grant opens anything, at either door. */
  async function assertDead(
    at: TestApp,
    client: RegisteredClient,
    refreshTokens: readonly string[],
    accessTokens: readonly string[],
  ) {
    for (const token of refreshTokens) {
      assertRefusal(await refresh(at, client, token, tokenPath), ...unauthorized);
      const answer = await refresh(at, client, token, otherDoor);
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_grant']);
    }
    for (const token of accessTokens) assert.equal(await isActive(at, token), false);
  }

  for (const [settings, days] of [
    [{}, 14],
    [{ 'refresh.idle_days': '3' }, 3],
  ] as const) {
    it(`lives ${days} days when it is not used${days === 14 ? '' : ', where the account says so'}`, async () => {
      using _ = app().services.clock.hold();
      const at = await app().another(settings);
      const { client, tokens } = await signedIn(at);
      at.services.clock.advance(days * dayMilliseconds - 1);
      const { refresh_token: next } = await rotate(at, client, tokens.refresh_token);
      at.services.clock.advance(days * dayMilliseconds);
      assertRefusal(await refresh(at, client, next, tokenPath), ...unauthorized);
    });
  }

  for (const [settings, days] of [
    [{}, 90],
    [{ 'refresh.absolute_days': '20' }, 20],
  ] as const) {
    it(`lives ${days} days in all, however often it is used${days === 90 ? '' : ', where the account says so'}`, async () => {
      using _ = app().services.clock.hold();
      const at = await app().another(settings);
      const { client, tokens } = await signedIn(at);
      let current = tokens.refresh_token;
      for (let day = 10; day < days; day += 10) {
        at.services.clock.advance(10 * dayMilliseconds);
        current = (await rotate(at, client, current)).refresh_token;
      }
      at.services.clock.advance(10 * dayMilliseconds - 1);
      current = (await rotate(at, client, current)).refresh_token;
      at.services.clock.advance(1);
      assertRefusal(await refresh(at, client, current, tokenPath), ...unauthorized);
    });
  }

  for (const [settings, seconds] of [
    [{}, 10],
    [{ 'refresh.grace_seconds': '60' }, 60],
  ] as const) {
    it(`answers the same successor to its direct predecessor for ${seconds} s, with new tokens beside it`, async () => {
      using _ = app().services.clock.hold();
      const at = await app().another(settings);
      const { client, tokens } = await signedIn(at);
      const first = await rotate(at, client, tokens.refresh_token);
      const again = await rotate(at, client, tokens.refresh_token);
      at.services.clock.advance(seconds * 1000 - 1);
      const last = await refresh(at, client, tokens.refresh_token, otherDoor);
      assert.equal(last.status, 200, last.text);
      const sets = [first, again, last.body];
      assert.deepEqual(new Set(sets.map((set) => set.refresh_token)).size, 1);
      assert.equal(new Set(sets.map((set) => set.access_token)).size, 3);
      // As good as the first.
      for (const set of sets) assert.equal(await isActive(at, set.access_token), true);
      await rotate(at, client, first.refresh_token);
    });

    it(`revokes the whole grant when a token comes back ${seconds} s after its use`, async () => {
      const at = await app().another(settings);
      const { client, tokens } = await signedIn(at);
      const next = await rotate(at, client, tokens.refresh_token);
      at.services.clock.advance(seconds * 1000);
      assertRefusal(await refresh(at, client, tokens.refresh_token, tokenPath), ...unauthorized);
      await assertDead(
        at,
        client,
        [next.refresh_token, tokens.refresh_token],
        [tokens.access_token, next.access_token],
      );
    });
  }

  it('has no grace period where the account set it to 0: the second use revokes the grant', async () => {
    const at = await app().another({ 'refresh.grace_seconds': '0' });
    const { client, tokens } = await signedIn(at);
    const next = await rotate(at, client, tokens.refresh_token);
    assertRefusal(await refresh(at, client, tokens.refresh_token, tokenPath), ...unauthorized);
    await assertDead(at, client, [next.refresh_token], [tokens.access_token, next.access_token]);
  });

  it('ends the grace period with the first use of the successor: older tokens then revoke the grant', async () => {
    const { client, tokens } = await signedIn(app());
    const second = await rotate(app(), client, tokens.refresh_token);
    const third = await rotate(app(), client, second.refresh_token);
    assertRefusal(await refresh(app(), client, tokens.refresh_token, tokenPath), ...unauthorized);
    await assertDead(
      app(),
      client,
      [second.refresh_token, third.refresh_token],
      [tokens.access_token, second.access_token, third.access_token],
    );
  });

  it('revokes the grant at both doors after reuse at one', async () => {
    const { client, tokens } = await signedIn(app());
    const next = await rotate(app(), client, tokens.refresh_token);
    app().services.clock.advance(10_000);
    assert.equal((await refresh(app(), client, tokens.refresh_token, otherDoor)).body.error, 'invalid_grant');
    await assertDead(app(), client, [next.refresh_token], [next.access_token]);
  });

  it('does not let another client revoke a grant by reusing its token', async () => {
    const { client, tokens } = await signedIn(app());
    const thief = await signedIn(app());
    const next = await rotate(app(), client, tokens.refresh_token);
    app().services.clock.advance(10_000);
    assertRefusal(await refresh(app(), thief.client, tokens.refresh_token, tokenPath), ...unauthorized);
    await rotate(app(), client, next.refresh_token);
  });

  it('revokes nothing while the client does not authenticate, whether the token is old or not', async () => {
    const { client, tokens } = await signedIn(app());
    const next = await rotate(app(), client, tokens.refresh_token);
    app().services.clock.advance(10_000);
    const wrong = { ...client, client_secret: 'wrong' };
    assertRefusal(
      await refresh(app(), wrong, tokens.refresh_token, tokenPath),
      401,
      'invalid_request',
      'Authentication Failed',
    );
    await rotate(app(), client, next.refresh_token);
  });

  it("keeps a user's grants separate: reuse in one does not affect the other", async () => {
    const first = await signedIn(app());
    const second = await signedIn(app());
    await rotate(app(), first.client, first.tokens.refresh_token);
    app().services.clock.advance(10_000);
    assertRefusal(await refresh(app(), first.client, first.tokens.refresh_token, tokenPath), ...unauthorized);
    await rotate(app(), second.client, second.tokens.refresh_token);
  });

  it('gives 20 parallel uses of one token the same successor, and revokes nothing', async () => {
    using _ = app().services.clock.hold();
    const { client, tokens } = await signedIn(app());
    const doors = Array.from(
      { length: 20 },
      (_, index) => (index % 2 === 0 ? tokenPath : otherDoor) as typeof tokenPath,
    );
    const sets = await Promise.all(doors.map((door) => refresh(app(), client, tokens.refresh_token, door)));
    assert.deepEqual(new Set(sets.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(sets.map(({ body }) => body.refresh_token)).size, 1);
    await rotate(app(), client, sets[0]?.body.refresh_token);
  });
}
