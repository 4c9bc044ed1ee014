import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { changeLink } from '../../../src/domain/authorization-servers/links.ts';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { type Api, atGateway, linkApi, makeApi } from '../../support/api.ts';
import type { TestApp } from '../../support/app.ts';
import { codesOf, decideDevice, deviceGrant, poll } from '../../support/devices.ts';
import { makeUser, type RegisteredClient, redirectUri, registerClient, signInForCode } from '../../support/sign-in.ts';
import { type AppOf, askTokens, assertError, codeForm, unlimited } from './asking.ts';

const scope = 'openid write';

/** An API that comes to have the scope that a user was asked about: before, between and after the steps of a consent. */
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

  /** How a client comes to be; each with a user who may use it. */
  const registrations: Readonly<Record<string, () => Promise<RegisteredClient>>> = {
    'a caller': () => registerClient(one, metadata),
    anyone: async () => (await one.send('POST', '/oauth2/register', { json: metadata })).body,
  };

  /** A client of one API with the scope, and what gives it another. */
  async function stage(register: () => Promise<RegisteredClient>, later: 'linked' | 'given the scope') {
    const client = await register();
    const user = await makeUser(one);
    await grantAccess(one.services, one.account, client.app_id, { user: user.email ?? '' });
    const [notes, payments] = [await makeApi(one, ['write']), await makeApi(one, ['other', 'write'])];
    await linkApi(one, client, notes);
    if (later !== 'linked') await linkApi(one, client, payments, ['other']);
    const link = async () => {
      if (later === 'linked') return linkApi(one, client, payments, ['write']);
      await changeLink(one.services, one.account, payments.id, client.app_id, Object.values(payments.scopes));
    };
    const code = async () => (await signInForCode(one, client, user, { scope })).get('code') ?? '';
    const device = async () => {
      const codes = await codesOf(one, client, { scope });
      await decideDevice(one, codes.user_code, user);
      return codes;
    };
    return { client, user, notes, payments, link, code, device };
  }

  for (const [by, register] of Object.entries(registrations)) {
    for (const later of ['linked', 'given the scope'] as const) {
      it(`an API that is ${later} while a code waits is not in it, of a client that ${by} registered`, async () => {
        const { client, payments, link, code, device } = await stage(register, later);
        const [waitingCode, waitingDevice] = [await code(), await device()];
        await link();
        for (const resource of [{}, { resource: payments.resource }]) {
          assertError(await askTokens(one, client, codeForm(waitingCode, resource)), 400, 'invalid_grant');
          assertError(await poll(one, client, waitingDevice, resource), 400, 'invalid_grant');
        }
      });
    }

    it(`what was linked when the user decided is in both codes, of a client that ${by} registered`, async () => {
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
  }
}
