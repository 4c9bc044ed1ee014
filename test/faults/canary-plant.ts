/** The secrets of the canary test, carried into a service by all that it does with such. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sent } from '../support/app.ts';
import type { Installation } from '../support/process.ts';
import type { RunningAccount } from '../support/running-account.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  codeVerifier,
  type RegisteredClient,
  readForm,
  redeem,
  redirectUri,
  refresh,
  registerClient,
  submit,
  walk,
} from '../support/sign-in.ts';
import type { Carried, Secrets } from './canary.ts';
import { plantDevice, plantHooks } from './canary-hooks.ts';

export interface Planted {
  /** By the names that requests give them. */
  readonly secrets: Secrets;
  /** Requests as they should be, which ask the database about the secrets in them. */
  readonly wellFormed: readonly Carried[];
}

/** Uses the whole service with unique secrets. */
export async function plant(account: RunningAccount, { cli, run, folder }: Installation): Promise<Planted> {
  const { service, subdomain } = account;
  const given = {
    password: 'canary password 7be1 ümlaut',
    email: 'canary-person@example.com',
    username: 'canary-username',
    firstname: 'Canarina',
    state: 'canary-state-4410',
    nonce: 'canary-nonce-98aa',
  };
  const names = ['--email', given.email, '--username', given.username, '--firstname', given.firstname];
  const options = ['--account', subdomain, ...names, '--password', '-'];
  const made = await run(['user', 'create', ...options], { input: `${given.password}\n` });
  assert.equal(made.exitCode, 0, made.stderr);
  const credential = await cli('credential', 'create', '--account', subdomain, '--scope', 'manage_all');
  const { api_key } = await cli('api-key', 'create', '--account', subdomain);
  const pair = { client_id: credential.client_id, client_secret: credential.client_secret };
  const token = { grant_type: 'client_credentials', ...pair };
  const { access_token } = (await account.send('POST', '/auth/oauth2/v2/token', { form: token })).body;
  const client = await registerClient(account);
  await service.cli('access', 'grant', '--account', subdomain, '--app', String(client.app_id), '--user', given.email);

  const jar = new CookieJar();
  const form = await walk(account, jar, authorizePath(client, { state: given.state, nonce: given.nonce }));
  const page = readForm(form.answer.text);
  const { csrf = '' } = page.fields;
  const signedOut = { ...jar.header };
  const consent = await submit(account, form, { username: given.username, password: given.password });
  const { answer } = await submit(account, consent, { decision: 'allow' });
  const code = new URL(String(answer.headers['location'])).searchParams.get('code') ?? '';
  const tokens = await redeem(account, client, code);
  const next = await refresh(account, client, tokens.refresh_token);
  const cookies = [
    ...signedOut.cookie.split('; ').map((pair) => pair.slice(pair.indexOf('=') + 1)),
    ...jar.cookies.values(),
  ];
  const invite = { json: { api_key, email: given.email } };
  const [link] = (await account.send('POST', '/api/v3/invites/get_invite_link', invite)).body.data;
  const hooks = await plantHooks(account, client, access_token, given);
  const secrets = {
    ...given,
    wrong_password: 'canary wrong password 55d0',
    api_key,
    token: new URL(link).searchParams.get('token') ?? '',
    credential_secret: credential.client_secret,
    credential_token: access_token,
    client_secret: client.client_secret ?? '',
    code,
    code_verifier: codeVerifier,
    access_token: tokens.access_token,
    refresh_token: tokens.refresh_token,
    successor: next.body.refresh_token,
    id_token: tokens.id_token,
    csrf,
    ...Object.fromEntries(cookies.map((cookie, index) => [`cookie${index}`, cookie])),
    ...hooks.secrets,
    device_secret: await plantDevice(account, access_token, given.email),
    master_key: readFileSync(join(folder, 'data/master.key'), 'utf8').trim(),
  };
  const signIn = { ...page.fields, username: given.username, password: given.password };
  const wellFormed = [
    ...wellFormedCalls(secrets, client, pair),
    ...hooks.calls,
    { method: 'POST', path: page.action, sent: { headers: signedOut, form: signIn } },
    { method: 'GET', path: authorizePath(client, { state: given.state }), sent: { headers: jar.header } },
  ];
  return { secrets, wellFormed };
}

function wellFormedCalls(
  secrets: Secrets,
  client: RegisteredClient,
  pair: { readonly client_id: string; readonly client_secret: string },
): Carried[] {
  const { headers } = clientAuthentication(client);
  const { code = '', successor = '', access_token = '', credential_token = '', username = '', password = '' } = secrets;
  const { id_token = '' } = secrets;
  const grants: readonly Record<string, string>[] = [
    { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier },
    { grant_type: 'refresh_token', refresh_token: successor },
    { grant_type: 'password', username, password, scope: 'openid' },
    { grant_type: 'client_credentials' },
  ];
  const post = (path: string, sent: Sent): Carried => ({ method: 'POST', path, sent });
  const get = (path: string, token: string): Carried => ({ method: 'GET', path, sent: { headers: bearer(token) } });
  const metadata = { client_name: 'Another', redirect_uris: [redirectUri] };
  const { api_key = '', email = '', token = '' } = secrets;
  const delegated = new URLSearchParams({ api_key, email, password });
  return [
    ...grants.map((form) => post('/oauth2/token', { headers, form })),
    post('/oidc/2/token', { headers, form: { grant_type: 'refresh_token', refresh_token: successor } }),
    post('/oauth2/introspect', { headers, form: { token: successor } }),
    post('/oauth2/revoke', { headers, form: { token: access_token } }),
    post('/oauth2/register', { headers: bearer(credential_token), json: metadata }),
    post('/oidc/2/register', { headers: bearer(credential_token), json: metadata }),
    post('/auth/oauth2/v2/token', { form: { grant_type: 'client_credentials', ...pair } }),
    post('/auth/oauth2/revoke', { json: { ...pair, access_token: credential_token } }),
    get('/oauth2/userinfo', access_token),
    get('/auth/rate_limit', credential_token),
    { method: 'GET', path: `/api/v1/delegated_auth?${delegated}`, sent: {} },
    post('/api/v3/invites/get_invite_link', { json: { api_key, email } }),
    post('/api/1/invites/get_invite_link', { headers: bearer(credential_token), json: { email } }),
    { method: 'GET', path: `/password/reset?${new URLSearchParams({ token })}`, sent: {} },
    { method: 'GET', path: `/oauth2/logout?${new URLSearchParams({ id_token_hint: id_token })}`, sent: {} },
  ];
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
