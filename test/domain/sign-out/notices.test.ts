/** OpenID Connect Back-Channel Logout 1.0, through the guard that every request of the service passes. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createLocalJWKSet, type JWTPayload, jwtVerify, type ProtectedHeaderParameters } from 'jose';
import { createOwnEgress } from '../../../src/adapters/egress/policies.ts';
import { createLogoutNotices } from '../../../src/domain/sign-out/notices.ts';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { removeUser } from '../../../src/domain/users/users.ts';
import { updateUser } from '../../../src/domain/users/write-user.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { everywhere, type Internet, openInternet, patientMilliseconds } from '../../support/internet.ts';
import { readTable } from '../../support/rows.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { redeem, registerClient, signInForCode } from '../../support/sign-in.ts';
import { beginSignOut, type SignedInBrowser, signedInBrowser } from '../../support/sign-out.ts';
import { toldBy } from '../audit/told.ts';

const second = 1_000;
const minute = 60 * second;

interface Heard {
  readonly url: string;
  readonly header: ProtectedHeaderParameters;
  readonly claims: JWTPayload;
}

for (const kind of sampledDatabases) {
  describe(`back-channel logout on ${kind}`, () => {
    let app: TestApp;
    let internet: Internet;
    let heard: Heard[] = [];
    let status = 200;
    before(async () => {
      app = await openTestApp(kind, { settings: { 'limit.register': 'off' } });
      internet = await openInternet();
      internet.handle(async (req, res) => {
        let body = '';
        for await (const chunk of req) body += chunk;
        const token = new URLSearchParams(body).get('logout_token') ?? '';
        const keys = createLocalJWKSet({ keys: [...(await app.services.signer.published(app.account))] });
        const options = {
          issuer: app.account.baseUrl,
          typ: 'logout+jwt',
          currentDate: new Date(app.services.clock.now()),
        };
        const { payload, protectedHeader } = await jwtVerify(token, keys, options);
        heard.push({ url: `https://${req.headers.host}${req.url}`, header: protectedHeader, claims: payload });
        assert.equal(req.headers['content-type'], 'application/x-www-form-urlencoded');
        res.writeHead(status).end();
      });
    });
    after(async () => {
      await app.dispose();
      await internet.close();
    });

    /** What the service would send, had it this Internet; what it tried by itself before has failed. */
    async function send(): Promise<Heard[]> {
      const egress = createOwnEgress(everywhere, internet.network, patientMilliseconds);
      heard = [];
      await createLogoutNotices({ ...app.services, egress }).run();
      return heard;
    }

    async function signOut({ jar, tokens }: SignedInBrowser): Promise<void> {
      await beginSignOut(app, jar, { id_token_hint: tokens.id_token });
      await app.services.logoutNotices.run();
    }

    const left = async () => (await readTable(app.url, 'logout_notices')).length;

    test('every client of the session that registered for it is notified of its end, once', async () => {
      const uri = (name: string) => ({ backchannel_logout_uri: `https://${name}.example.com/ended?x=1` });
      const browser = await signedInBrowser(app, uri('one'));
      const others = [
        await registerClient(app, { ...uri('two'), id_token_signed_response_alg: 'ES256' }),
        await registerClient(app),
      ];
      const stranger = await registerClient(app, uri('never'));
      for (const client of others) {
        await grantAccess(app.services, app.account, client.app_id, { user: browser.user.email ?? '' });
        const query = await signInForCode(app, client, browser.user, {}, browser.jar);
        await redeem(app, client, query.get('code') ?? '');
      }
      assert.ok(stranger.client_id);
      const told = await toldBy(app, () => signOut(browser));
      assert.deepEqual(
        told.map(({ action, actorType, actorId, detail }) => [action, actorType, actorId, detail]),
        [
          [
            'sign_out.succeeded',
            'user',
            browser.user.id,
            `{"app_id":${browser.client.app_id},"grants_revoked":3,"clients_told":2}`,
          ],
        ],
      );
      using _ = app.services.clock.hold();
      app.services.clock.advance(10 * second);
      const all = await send();
      assert.deepEqual(all.map(({ url }) => url).sort(), [
        'https://one.example.com/ended?x=1',
        'https://two.example.com/ended?x=1',
      ]);
      const sid = JSON.parse(Buffer.from(browser.tokens.id_token.split('.')[1] ?? '', 'base64url').toString()).sid;
      const now = Math.floor(app.services.clock.now() / second);
      for (const { url, header, claims } of all) {
        const [client, alg] = url.includes('one') ? [browser.client, 'RS256'] : [others[0], 'ES256'];
        assert.deepEqual([header.typ, header.alg], ['logout+jwt', alg]);
        const { jti, ...rest } = claims;
        assert.match(String(jti), /^[\da-f-]{36}$/);
        assert.deepEqual(rest, {
          iss: app.account.baseUrl,
          aud: client?.client_id,
          iat: now,
          exp: now + 120,
          events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
          sub: String(browser.user.id),
          sid,
        });
      }
      assert.equal(new Set(all.map(({ claims }) => claims.jti)).size, 2);
      app.services.clock.advance(24 * 60 * minute);
      assert.deepEqual([await send(), await left()], [[], 0]);
    });

    test('is sent when the user is suspended, gets a new password from an administrator, or is removed', async () => {
      const { services, account } = app;
      const input = { validatePolicy: false, authority: 'all' } as const;
      const endings = [
        (id: number) => updateUser(services, account, id, { ...input, status: 2 }),
        (id: number) => updateUser(services, account, id, { ...input, password: 'seven brown bears at tea' }),
        (id: number) => removeUser(services, account, id),
      ];
      for (const ending of endings) {
        const browser = await signedInBrowser(app, { backchannel_logout_uri: 'https://one.example.com/ended' });
        await ending(browser.user.id);
        await services.logoutNotices.run();
        app.services.clock.advance(10 * second);
        const [told, ...more] = await send();
        assert.deepEqual([told?.claims.sub, more], [String(browser.user.id), []]);
      }
    });

    test('is retried with growing pauses, survives a restart, and ends; the trail records it', async () => {
      const browser = await signedInBrowser(app, { backchannel_logout_uri: 'https://down.example.com/ended' });
      status = 503;
      await signOut(browser);
      const tried: number[] = [];
      const start = app.services.clock.now();
      const told = await toldBy(app, async () => {
        for (let at = 0; at < 10 * 60; at += 1) {
          // Each round has its own sender: pending work is only in the store.
          if ((await send()).length > 0) tried.push(Math.round((app.services.clock.now() - start) / second));
          app.services.clock.advance(at < 12 ? 5 * second : minute);
        }
      });
      status = 200;
      // After 10 s, 1, 10 and 60 minutes and 6 hours; the first attempt was the service's own.
      assert.equal(tried.length, 5);
      const pauses = tried.map((at, index) => at - (tried[index - 1] ?? 0));
      for (const [index, least] of [10, 60, 600, 3600, 21_600].entries()) {
        assert.ok((pauses[index] ?? 0) >= least && (pauses[index] ?? 0) <= least + 65, `${pauses}`);
      }
      assert.deepEqual(
        told.map(({ action, targetId, actorType, detail }) => [action, targetId, actorType, detail]),
        [['logout_notice.abandoned', browser.client.app_id, 'system', '{"attempts":6}']],
      );
      assert.equal(await left(), 0);
    });

    test('two processes send it once; a removed client is not notified', async () => {
      const browser = await signedInBrowser(app, { backchannel_logout_uri: 'https://one.example.com/ended' });
      await signOut(browser);
      app.services.clock.advance(10 * second);
      const egress = createOwnEgress(everywhere, internet.network, patientMilliseconds);
      heard = [];
      const senders = Array.from({ length: 4 }, () => createLogoutNotices({ ...app.services, egress }));
      await Promise.all(senders.map((sender) => sender.run()));
      assert.equal(heard.length, 1);
      const second_ = await signedInBrowser(app, { backchannel_logout_uri: 'https://two.example.com/ended' });
      await signOut(second_);
      await app.services.store.clients.remove(app.account.id, second_.client.app_id, 1_000);
      app.services.clock.advance(10 * second);
      assert.deepEqual([await send(), await left()], [[], 0]);
    });

    test('an internal address is never contacted (S9): the guard refuses it, as for every request', async () => {
      const uri = 'https://inside.example.com/ended';
      internet.names.set('inside.example.com', ['169.254.169.254']);
      const browser = await signedInBrowser(app, { backchannel_logout_uri: uri });
      await signOut(browser);
      app.services.clock.advance(10 * second);
      internet.forget();
      assert.deepEqual([await send(), internet.attempts.length], [[], 0]);
    });
  });
}
