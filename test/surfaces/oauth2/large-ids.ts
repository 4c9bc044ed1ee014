import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { execute } from '../../support/rows.ts';
import { clientAuthentication, redeem, refresh, signedIn, signInForCode } from '../../support/sign-in.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { issue, makePair } from '../auth-2/pairs.ts';

const beyond32Bits = 2 ** 40;

/** One sequence numbers the tokens of all accounts for as long as the service runs. */
export function largeIds(kind: DatabaseKind): void {
  it('tokens and grants with ids of more than 32 bits are found', async (t) => {
    const app = await openTestApp(kind);
    t.after(() => app.dispose());
    const { client, user, tokens: first } = await signedIn(app);
    const pair = await makePair(app, 'manage_all');
    await issue(app, pair);
    for (const table of ['access_tokens', 'grants', 'credential_tokens']) {
      const statement =
        kind === 'sqlite'
          ? `update sqlite_sequence set seq = ${beyond32Bits} where name = '${table}'`
          : `alter table ${table} alter column id restart with ${beyond32Bits}`;
      await execute(app.url, statement);
    }
    const useToken = (token: string) =>
      app.send('GET', '/oauth2/userinfo', { headers: { authorization: `Bearer ${token}` } });

    const refreshed = await refresh(app, client, first.refresh_token);
    assert.equal((await useToken(refreshed.body.access_token)).status, 200);
    const second = await redeem(app, client, (await signInForCode(app, client, user)).get('code') ?? '');
    const again = await refresh(app, client, second.refresh_token);
    assert.equal(again.status, 200, again.text);
    assert.equal((await useToken(again.body.access_token)).status, 200);

    const own = clientAuthentication(client);
    const form = { ...own.form, token: again.body.access_token };
    const revoked = await app.send('POST', '/oauth2/revoke', { ...own, form });
    assert.equal(revoked.status, 200, revoked.text);
    assert.equal((await useToken(again.body.access_token)).status, 401);

    const headers = { authorization: `Bearer ${await issue(app, pair)}` };
    const all = await app.send('GET', '/api/2/events?action=access_token.revoked', { headers });
    const [event] = all.body;
    assert.ok(event.target.id >= beyond32Bits, JSON.stringify(event));
    const path = `/api/2/events?target=access_token:${event.target.id}`;
    assert.deepEqual((await app.send('GET', path, { headers })).body, [event]);

    const grants = `/api/2/users/${user.id}/grants`;
    const [newest] = (await app.send('GET', grants, { headers })).body;
    assert.ok(newest.id >= beyond32Bits, JSON.stringify(newest));
    assert.equal((await app.send('DELETE', `${grants}/${newest.id}`, { headers })).status, 204);
  });
}
