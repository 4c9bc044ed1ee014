import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { changeLink } from '../../../src/domain/authorization-servers/links.ts';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { type Api, atGateway, linkApi, makeApi } from '../../support/api.ts';
import type { TestApp } from '../../support/app.ts';
import { codesOf, decideDevice, deviceGrant, poll } from '../../support/devices.ts';
import { isSampled, sampled } from '../../support/sample.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  type RegisteredClient,
  readForm,
  redirectUri,
  registerClient,
  signInForCode,
  submit,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, askTokens, assertClientError, assertError, codeForm, toClient, unlimited } from './asking.ts';

const scope = 'openid write';

/** An API that gains the scope a user was asked about: before, between and after the steps of a consent. */
export function apiConsent(app: AppOf): void {
  let one: TestApp;
  before(async () => {
    one = await app().another({ ...unlimited, registration: 'open' });
  });

  const metadata = {
    client_name: 'Open App',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token', deviceGrant],
  };

  /** How a client is created; each with a user with access. */
  const registrations: Readonly<Record<string, () => Promise<RegisteredClient>>> = {
    'a caller': () => registerClient(one, metadata),
    anyone: async () => (await one.send('POST', '/oauth2/register', { json: metadata })).body,
  };

  /** A client of one API with the scope, and what gives it another. */
  async function stage(register: () => Promise<RegisteredClient>, later: 'linked' | 'given the scope') {
    const client = await register();
    const user = await makeUser(one);
    await grantAccess(one.services, one.account, client.app_id, { user: user.email ?? '' });
    const notes = await makeApi(one, ['write'], { name: 'Notes' });
    const payments = await makeApi(one, ['other', 'write'], { name: 'Payments' });
    await linkApi(one, client, notes);
    if (later !== 'linked') await linkApi(one, client, payments, ['other']);
    const link = async () => {
      if (later === 'linked') return linkApi(one, client, payments, ['write']);
      await changeLink(one.services, one.account, payments.id, client.app_id, Object.values(payments.scopes));
    };
    const code = async () => (await signInForCode(one, client, user, { scope })).get('code') ?? '';
    const page = async (jar = new CookieJar()) => {
      const at = await walk(one, jar, authorizePath(client, { scope }));
      return submit(one, at, { username: user.email ?? '', password });
    };
    const device = async () => {
      const codes = await codesOf(one, client, { scope });
      await decideDevice(one, codes.user_code, user);
      return codes;
    };
    return { client, user, notes, payments, link, code, page, device };
  }

  // Each way of a change with one of the two clients, and with both in a drill.
  for (const [index, [by, register]] of Object.entries(registrations).entries()) {
    for (const later of sampled(['linked', 'given the scope'] as const, 2, index)) {
      it(`an API that is ${later} while a code waits is not in the code (client of ${by})`, async () => {
        const { client, payments, link, code, device } = await stage(register, later);
        const [waitingCode, waitingDevice] = [await code(), await device()];
        await link();
        for (const resource of [{}, { resource: payments.resource }]) {
          assertError(await askTokens(one, client, codeForm(waitingCode, resource)), 400, 'invalid_grant');
          assertError(await poll(one, client, waitingDevice, resource), 400, 'invalid_grant');
        }
      });
    }

    if (isSampled(index, 2))
      it(`APIs linked when the user decided are in both codes (client of ${by})`, async () => {
        const { client, notes, payments, link, code, device } = await stage(register, 'linked');
        await link();
        const given = async (api: Api) => [
          await askTokens(one, client, codeForm(await code(), { resource: api.resource })),
          await poll(one, client, await device(), { resource: api.resource }),
        ];
        for (const api of [notes, payments]) {
          for (const { status, text, body } of await given(api)) {
            assert.equal(status, 200, text);
            assert.equal((await atGateway(one, body.access_token, api.resource))['scope'], scope);
          }
        }
      });

    for (const later of sampled(['linked', 'given the scope'] as const, 2, index + 1)) {
      it(`an API that is ${later} while the page waits is shown before it is allowed (client of ${by})`, async () => {
        const { client, payments, link, page } = await stage(register, later);
        const waiting = await page();
        assert.match(waiting.answer.text, /<bdi>write<\/bdi>/);
        assert.doesNotMatch(waiting.answer.text, /Notes|Payments/);
        await link();
        const again = await submit(one, waiting, { decision: 'allow' });
        assertAsks(again);
        assert.match(again.answer.text, /Notes[\s\S]*Payments/);
        assertAsks(await submit(one, waiting, { decision: 'allow' }));
        const code = toClient((await submit(one, again, { decision: 'allow' })).answer).get('code') ?? '';
        const { status, body } = await askTokens(one, client, codeForm(code, { resource: payments.resource }));
        assert.equal(status, 200);
        assert.equal((await atGateway(one, body.access_token, payments.resource))['scope'], scope);
      });
    }

    if (isSampled(index, 2, 1))
      it(`an API that is linked between a decision and its code is asked about (client of ${by})`, async () => {
        const { link, page } = await stage(register, 'linked');
        const waiting = await page();
        const { action, fields } = readForm(waiting.answer.text);
        const form = { ...fields, decision: 'allow' };
        const decided = await one.send('POST', action, { headers: waiting.jar.header, form });
        await link();
        const again = await walk(one, waiting.jar, String(decided.headers['location']));
        assertAsks(again);
        assert.ok(toClient((await submit(one, again, { decision: 'allow' })).answer).has('code'));
      });
  }

  it('the page tells APIs of one name apart by their identifiers, and shows no other identifier', async () => {
    const { client, notes, payments, link, page } = await stage(() => registerClient(one, metadata), 'linked');
    await link();
    const namesakes = [
      await makeApi(one, ['write'], { name: 'Ledger' }),
      await makeApi(one, ['write'], { name: 'Ledger' }),
    ];
    for (const api of namesakes) await linkApi(one, client, api);
    const { text } = (await page()).answer;
    const shown = [...text.matchAll(/<p class="quiet"><bdi>(.*?)<\/bdi>/g)].map(([, said]) => said);
    const told = namesakes.map(({ resource }) => `Ledger – ${resource}`);
    assert.deepEqual(shown.slice(-4), ['Notes', 'Payments', ...told]);
    for (const { resource } of [notes, payments]) assert.ok(!text.includes(resource));
  });

  it('scopes that the page did not show are not remembered, even when denied on an old page', async () => {
    const { client, user, notes, link, page } = await stage(() => registerClient(one, metadata), 'linked');
    const waiting = await page();
    await link();
    await submit(one, waiting, { decision: 'allow' });
    const { store } = one.services;
    assert.equal(await store.authorizations.findConsent(one.account.id, user.id, client.app_id), null);
    const ask = authorizePath(client, { scope, prompt: 'none', resource: notes.resource });
    assertClientError(one, (await walk(one, waiting.jar, ask)).answer, 'consent_required');
    const denied = await submit(one, waiting, { decision: 'deny' });
    assertClientError(one, denied.answer, 'access_denied');
  });
}

function assertAsks({ answer }: Walk): void {
  assert.match(answer.text, /name="decision" value="allow"/);
}
