/**
 * To which addresses a client of this door can be answered: the registered text, and nothing that looks like it (R2).
 */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { authorizePath } from '../../support/sign-in.ts';
import { redirectUri, registered } from './door.ts';
import { registrations, variants } from './redirect-variants.ts';

/** Whether the sign-in continues; a refusal is a page of ours that leads nowhere. */
function isAccepted(answer: Answer, uri: string): boolean {
  const location = answer.headers['location'];
  if (answer.status === 303) {
    assert.match(String(location), /^\/continue\?/, uri);
    return true;
  }
  assert.deepEqual([answer.status, location], [400, undefined], uri);
  return false;
}

export function authorizeRedirects(app: () => TestApp): void {
  it('R2: covers at least 100 variants that no client registered', () => {
    const known = Object.values(registrations).flatMap(({ metadata, free }) => [...metadata.redirect_uris, ...free]);
    const foreign = new Set(variants.filter((uri) => !known.some((one) => one === uri)));
    assert.ok(foreign.size >= 100, `${foreign.size} variants`);
  });

  for (const [what, { metadata, free }] of Object.entries(registrations)) {
    it(`R2: accepts for ${what} only the exact text${free.length > 0 ? ', with any port' : ''}`, async () => {
      const client = await registered(app(), metadata);
      const allowed: readonly string[] = [...metadata.redirect_uris, ...free];
      for (const uri of new Set(variants)) {
        const answer = await app().send('GET', authorizePath(client, { redirect_uri: uri }));
        assert.equal(isAccepted(answer, uri), allowed.includes(uri), `${what}: ${JSON.stringify(uri)}`);
      }
    });
  }

  it('R2: refuses a repeated redirect URI, in any order', async () => {
    const client = await registered(app());
    const path = authorizePath(client);
    for (const more of [
      `&redirect_uri=${encodeURIComponent('https://evil.example/')}`,
      `&redirect_uri=${encodeURIComponent(redirectUri)}`,
    ]) {
      assert.equal(isAccepted(await app().send('GET', path + more), more), false);
      const before = path.replace('?', `?${more.slice(1)}&`);
      assert.equal(isAccepted(await app().send('GET', before), more), false);
    }
  });

  it("R2: refuses another client's redirect URI", async () => {
    const mine = await registered(app());
    const theirs = 'https://other.example.com/callback';
    await registered(app(), { redirect_uris: [theirs] });
    const answer = await app().send('GET', authorizePath(mine, { redirect_uri: theirs }));
    assert.equal(isAccepted(answer, theirs), false);
  });
}
