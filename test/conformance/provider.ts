/** The demo account of a service, as a developer with a client library meets it: its issuer resolves everywhere. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from '../support/process.ts';
import { runningAccount } from '../support/running-account.ts';
import { authorizePath, CookieJar, redeem, redirectUri, submit, walk } from '../support/sign-in.ts';
import type { DatabaseKind } from '../support/stores.ts';

/** What every client of these tests registers; the method of its secret comes on top. */
export const metadata = {
  client_name: 'A library',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
};

/** The ways a client registers for its secret; null names none. */
export const methods = ['client_secret_basic', 'client_secret_post', 'none', null] as const;

export interface Provider {
  readonly issuer: URL;
  /** A bearer that may register clients (RFC 7591 §3). */
  readonly initialAccessToken: string;
  readonly email: string;
  /** The pair behind that bearer. */
  readonly credential: { readonly client_id: string; readonly client_secret: string };
  /** Lets the user use the app of a registered client. */
  assign(appId: unknown): Promise<void>;
  /** Changes a setting of the account, `name=value`. */
  set(setting: string): Promise<void>;
  /** Links the app to a new API authorization server with this resource identifier and these scopes. */
  link(appId: unknown, resource: string, scopes: readonly string[]): Promise<void>;
  /** What the user does in a browser: signs in, consents, and is sent to this address of the client. */
  browse(authorizationUrl: URL): Promise<URL>;
  /** What the user does in a browser with the address that a device shows. */
  allowDevice(verificationUri: URL): Promise<void>;
  /** Signs in without a library; answers the first refresh token. A secret is sent by Basic. */
  signIn(client: { readonly client_id: string; readonly client_secret?: string }): Promise<string>;
  close(): Promise<void>;
}

export async function openProvider(
  database: DatabaseKind,
  env: Readonly<Record<string, string>> = {},
): Promise<Provider> {
  const service = await startService({ database, demo: true, env });
  const demo = JSON.parse(readFileSync(join(service.folder, 'data/demo.json'), 'utf8'));
  const issuer = new URL(demo.issuer);
  const account = runningAccount(service, 'demo', issuer.host);
  const form = { grant_type: 'client_credentials', ...demo.credential };
  const pair = await account.send('POST', '/auth/oauth2/v2/token', { form });
  async function browse({ origin, pathname, search }: URL): Promise<URL> {
    assert.equal(origin, issuer.origin, 'the authorization endpoint is the issuer’s');
    const form = await walk(account, new CookieJar(), pathname + search);
    const consent = await submit(account, form, { username: demo.user.email, password: demo.user.password });
    const asked = /value="allow"/.test(consent.answer.text);
    const { answer } = asked ? await submit(account, consent, { decision: 'allow' }) : consent;
    assert.equal(answer.status, 303, answer.text);
    return new URL(String(answer.headers['location']));
  }

  return {
    issuer,
    initialAccessToken: pair.body.access_token,
    email: demo.user.email,
    credential: demo.credential,
    assign: async (appId) => {
      await service.cli('access', 'grant', '--account', 'demo', '--app', String(appId), '--user', demo.user.email);
    },
    set: async (setting) => {
      await service.cli('account', 'set', 'demo', setting);
    },
    link: async (appId, resource, scopes) => {
      const headers = { authorization: `Bearer ${pair.body.access_token}` };
      const post = async (path: string, json: object) =>
        (await account.send('POST', `/api/2/api_authorizations${path}`, { headers, json })).body;
      const { id } = await post('', { name: 'Orders', configuration: { resource_identifier: resource } });
      const ids: number[] = [];
      for (const value of scopes) ids.push((await post(`/${id}/scopes`, { value })).id);
      assert.equal((await post(`/${id}/clients`, { app_id: appId, scopes: ids })).app_id, appId);
    },
    browse,
    allowDevice: async ({ pathname, search }) => {
      const code = await submit(account, await walk(account, new CookieJar(), pathname + search), {});
      const consent = await submit(account, code, { username: demo.user.email, password: demo.user.password });
      const { answer } = await submit(account, consent, { decision: 'allow' });
      assert.match(answer.text, /Your device is signed in/);
    },
    signIn: async (client) => {
      const { searchParams } = await browse(new URL(authorizePath(client), issuer));
      const token_endpoint_auth_method = client.client_secret ? 'client_secret_basic' : 'none';
      const registered = { ...client, app_id: 0, token_endpoint_auth_method };
      return (await redeem(account, registered, searchParams.get('code') ?? '')).refresh_token;
    },
    close: async () => {
      account.close();
      await service.installation.dispose();
    },
  };
}
