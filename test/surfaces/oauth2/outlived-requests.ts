import assert from 'node:assert/strict';
import { it } from 'node:test';
import { currentStep } from '../../../src/domain/login/current-step.ts';
import { finishRequest } from '../../../src/domain/login/finish.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { codesOf, decideDevice, deviceMetadata, poll } from '../../support/devices.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  type RegisteredClient,
  readForm,
  redirectUri,
  registerClient,
  submit,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, askTokens, assertError, assertErrorPage, codeForm, toClient } from './asking.ts';

const removed = 'https://former.example.com/callback';
const grants = ['authorization_code', 'refresh_token'];

/** What a client loses between its request and the tokens. */
const losses: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'its redirect URI': { redirect_uris: [redirectUri] },
  'a scope': { scope: 'openid' },
};

/** A client gets only what its registration allows at that time, whatever it allowed at the request. */
export function outlivedRequests(app: AppOf): void {
  type Registered = RegisteredClient & { readonly registration_access_token: string };

  async function setting(metadata: object = {}) {
    const given = { redirect_uris: [redirectUri, removed], grant_types: grants, ...metadata };
    const client: Registered = Object(await registerClient(app(), given));
    const change = async (loss: object) => {
      const { status, text } = await app().send('PUT', `/oauth2/register/${client.client_id}`, {
        headers: { authorization: `Bearer ${client.registration_access_token}` },
        json: { client_id: client.client_id, client_name: 'Test App', ...given, ...loss },
      });
      assert.equal(status, 200, text);
    };
    return { client, user: await makeUser(app(), client.app_id), change };
  }

  const begin = (client: RegisteredClient, more: Record<string, string> = {}) =>
    walk(app(), new CookieJar(), authorizePath(client, { redirect_uri: removed, ...more }));
  const signIn = (at: Walk, { email }: UserRecord) => submit(app(), at, { username: email ?? '', password });
  const allow = (at: Walk) => submit(app(), at, { decision: 'allow' });
  const claims = { scope: 'openid', claims: JSON.stringify({ userinfo: { email: null } }) };

  for (const [what, loss] of Object.entries(losses)) {
    it(`a request whose client has lost ${what} ends on a page, before and after the sign-in`, async () => {
      const { client, user, change } = await setting();
      const [before, after, single] = [
        await begin(client),
        await signIn(await begin(client), user),
        await signIn(await begin(client, claims), user),
      ];
      await change(loss);
      for (const at of [await signIn(before, user), await allow(after), await allow(single)]) {
        assertErrorPage(at.answer);
        assert.equal(at.answer.text.match(/go back to/gi)?.length, 1, 'the remedy is logged once');
      }
      await change({});
      assert.ok(toClient((await allow(await signIn(await begin(client), user))).answer, removed).has('code'));
    });

    it(`no code is given if the client loses ${what} after the last check`, async () => {
      const { services, account } = app();
      const { client, user, change } = await setting();
      const at = await signIn(await begin(client), user);
      const form = readForm(at.answer.text);
      await app().send('POST', form.action, { headers: at.jar.header, form: { ...form.fields, decision: 'allow' } });
      const browser = {
        requestId: form.fields['request'],
        browserSecret: at.jar.cookies.get('__Host-tx'),
        sessionSecret: at.jar.cookies.get('__Host-sid'),
      };
      const current = await currentStep(services, account, browser);
      assert.ok(current.step === 'granted');
      await change(loss);
      assert.equal(await finishRequest(services, account, current.request, current), null);
      await change({});
      assert.ok(await finishRequest(services, account, current.request, current));
    });

    it(`a code is refused once its client has lost ${what}`, async () => {
      const { client, user, change } = await setting();
      const code = async () => {
        const at = await signIn(await begin(client, { prompt: 'consent' }), user);
        return toClient((await allow(at)).answer, removed).get('code') ?? '';
      };
      const [lost, kept] = [await code(), await code()];
      await change(loss);
      const redeem = (text: string) => askTokens(app(), client, codeForm(text, { redirect_uri: removed }));
      assertError(await redeem(lost), 400, 'invalid_grant');
      await change({});
      assert.equal((await redeem(kept)).status, 200);
    });
  }

  it('a device whose client has lost a scope gets nothing', async () => {
    const { client, user, change } = await setting(deviceMetadata);
    const codes = await codesOf(app(), client, { scope: 'openid email' });
    await decideDevice(app(), codes.user_code, user);
    await change({ scope: 'openid' });
    assertError(await poll(app(), client, codes), 400, 'invalid_grant');
  });

  it('a native client may still be answered at another port of its loopback address', async () => {
    const loopback = 'http://127.0.0.1/callback';
    const native = { application_type: 'native', token_endpoint_auth_method: 'none', redirect_uris: [loopback] };
    const { client, user } = await setting(native);
    const uri = 'http://127.0.0.1:49152/callback';
    const { answer } = await allow(await signIn(await begin(client, { redirect_uri: uri }), user));
    const code = toClient(answer, uri).get('code') ?? '';
    assert.equal((await askTokens(app(), client, codeForm(code, { redirect_uri: uri }))).status, 200);
  });
}
