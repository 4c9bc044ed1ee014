/** X7, R6: no secret is written to the log or kept in plain text, by whatever way it came in and whatever broke. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Sent } from '../support/app.ts';
import { type Installation, install, type Service } from '../support/process.ts';
import { dump } from '../support/rows.ts';
import { openAccount, type RunningAccount } from '../support/running-account.ts';
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
import { databases } from '../support/stores.ts';
import { breakTables, type Carried, carriedThrough, type Secrets, sendAll, sendUnreadable } from './canary.ts';

/** What a line of the log may hold (`src/adapters/log.ts`), and nothing else. */
const allowedFields = new Set([
  ...['level', 'time', 'event', 'requestId', 'account', 'method', 'route', 'operation', 'status', 'milliseconds'],
  ...['failure', 'reason', 'appId', 'userId', 'grantId', 'count', 'port', 'host', 'version', 'signal', 'stack'],
]);

/** What is about a person or a request and no secret: it is stored, but never written to the log. */
const personal = ['email', 'username', 'firstname', 'state', 'nonce'];
const metricsToken = 'canary-metrics-token-1d9f';
/** The tables that an account is found by stay. */
const kept = ['accounts', 'account_hosts', 'facts', 'signing_keys', 'sqlite_sequence'];

for (const database of databases) {
  describe(`a canary on ${database}`, () => {
    let installation: Installation;
    let service: Service;
    let account: RunningAccount;
    let secrets: Secrets;
    let wellFormed: readonly Carried[];
    before(async () => {
      installation = await install(database, { LOG_LEVEL: 'debug', METRICS_TOKEN: metricsToken });
      service = await installation.serve();
      const names = ['sign-in', 'client-auth', 'register', 'register-open', 'delegated', 'invite'];
      const limits = names.map((name) => `limit.${name}=off`);
      account = await openAccount(service, ['grant.password=on', ...limits]);
      ({ secrets, wellFormed } = await plant(account, installation));
    });
    after(async () => {
      account.close();
      await installation.dispose();
    });

    it('R6: the database holds no secret in plain text', async () => {
      const stored = await dump(installation.databaseUrl);
      assert.deepEqual(findIn(stored, omit(secrets, personal)), []);
    });

    it('X7: every route, with the secrets in every place of a request', async () => {
      const statuses = await sendAll(account.wire, carriedThrough(secrets));
      assert.equal(statuses.get(500), undefined);
      await sendUnreadable(service.port, account.host, secrets);
    });

    it('X7: the same while the database is broken', async () => {
      const stored = JSON.parse(await dump(installation.databaseUrl));
      const tables = Object.keys(stored).filter((table) => !kept.includes(table));
      await breakTables(installation.databaseUrl, tables);
      // Well-formed ones get as far as the database; so do some of the others.
      const statuses = await sendAll(account.wire, [...wellFormed, ...carriedThrough(secrets)]);
      assert.ok((statuses.get(500) ?? 0) >= wellFormed.length, 'errors inside the service were provoked');
    });

    it('X7: nothing of it in the output; each line is JSON and holds allowed fields only', async () => {
      await service.stop();
      const output = service.output();
      const lines = output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.ok(
        lines.some(({ event, stack }) => event === 'internal error' && stack),
        'stacks were logged',
      );
      const surplus = lines.flatMap((line) => Object.keys(line)).filter((name) => !allowedFields.has(name));
      assert.deepEqual(surplus, []);
      assert.deepEqual(findIn(output, secrets), []);
    });
  });
}

interface Planted {
  /** By the names that requests give them. */
  readonly secrets: Secrets;
  /** Requests as they should be, which ask the database about the secrets in them. */
  readonly wellFormed: readonly Carried[];
}

/** Walks through the service with secrets that nobody else has. */
async function plant(account: RunningAccount, { cli, run, folder }: Installation): Promise<Planted> {
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
    metrics_token: metricsToken,
    master_key: readFileSync(join(folder, 'data/master.key'), 'utf8').trim(),
  };
  const signIn = { ...page.fields, username: given.username, password: given.password };
  const wellFormed = [
    ...wellFormedCalls(secrets, client, pair),
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
  ];
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function omit(secrets: Secrets, names: readonly string[]): Secrets {
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => !names.includes(name)));
}

/** Names of the secrets that a text holds, as they are or in the forms that requests give them. */
function findIn(text: string, secrets: Secrets): string[] {
  return Object.entries(secrets)
    .filter(([name, secret]) => {
      assert.ok(secret.length >= 8, `${name} is too short to be looked for`);
      // Of tokens the random part alone: the log cuts what looks like a whole one.
      const forms = [secret, encodeURIComponent(secret), secret.slice(-20), JSON.stringify(secret).slice(1, -1)];
      const encodings = [Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('base64url')];
      return [...forms, ...encodings.map((form) => form.slice(0, -4))].some((form) => text.includes(form));
    })
    .map(([name]) => name);
}
