import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { UserStatus } from '../../../src/store/users.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  codeVerifier,
  password,
  redeem,
  redirectUri,
  refresh,
  signInForCode,
  submit,
  type Tokens,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, heading, isConsent, isSignIn, type Setting, settle, unlimited } from './browsing.ts';

/** What each door says to a user of a status, in a word or two (docs/users.md). */
interface Row {
  readonly signIn: string;
  readonly session: string;
  readonly code: string;
  readonly refreshDocumented: string;
  readonly refreshStandard: string;
  readonly passwordGrant: string;
  readonly userinfo: string;
  readonly introspection: string;
}

const closed = {
  code: '400 invalid_grant',
  refreshDocumented: '401 Access is unauthorized',
  refreshStandard: '400 invalid_grant',
  passwordGrant: '400 invalid_grant',
  userinfo: '401 invalid_token',
  introspection: 'inactive inactive',
} as const;

const inactive = { ...closed, signIn: '403 not active', session: '403 not active' };

const table: Readonly<Record<UserStatus, Row>> = {
  0: inactive,
  1: {
    signIn: 'goes on',
    session: 'goes on',
    code: 'tokens',
    refreshDocumented: 'tokens',
    refreshStandard: 'tokens',
    passwordGrant: 'tokens',
    userinfo: 'claims',
    introspection: 'active active',
  },
  2: {
    ...closed,
    signIn: '403 suspended',
    session: '403 suspended',
    refreshDocumented: '401 Access is unauthorized: user is suspended',
  },
  3: {
    ...closed,
    signIn: '403 locked',
    session: '403 locked',
    refreshDocumented: '401 Access is unauthorized: user is locked',
  },
  4: { ...closed, signIn: 'new password', session: 'sign-in' },
  5: inactive,
  7: inactive,
};

interface Held {
  readonly setting: Setting;
  /** A browser that is signed in. */
  readonly jar: CookieJar;
  readonly code: string;
  readonly tokens: Tokens;
}

function said({ status, body }: Answer, good: string): string {
  if (status === 200) return good;
  return `${status} ${body.error === 'invalid_request' ? body.error_description : body.error}`;
}

function shown({ answer }: Walk): string {
  if (/name="new_password"/.test(answer.text)) return 'new password';
  if (isConsent(answer) || /[?&]code=/.test(String(answer.headers['location']))) return 'goes on';
  if (isSignIn(answer)) return answer.status === 200 ? 'sign-in' : String(answer.status);
  return `${answer.status} ${heading(answer).replace('Your account is ', '')}`;
}

/** What a status means at every door (docs/users.md#what-a-status-means-at-each-door). */
export function statuses(app: AppOf): void {
  let one: TestApp;
  before(async () => {
    one = await app().another({ ...unlimited, 'limit.client-auth': 'off', 'grant.password': 'on' });
  });

  async function hold(): Promise<Held> {
    const setting = await settle(one, { token_endpoint_auth_method: 'client_secret_post' });
    const jar = new CookieJar();
    const codeNow = async () => (await signInForCode(one, setting.client, setting.user, {}, jar)).get('code') ?? '';
    const tokens = await redeem(one, setting.client, await codeNow());
    return { setting, jar, tokens, code: await codeNow() };
  }

  async function ask({ setting, jar, code, tokens }: Held): Promise<Row> {
    const { client, user } = setting;
    const { form } = clientAuthentication(client);
    const token = async (more: Record<string, string>) =>
      said(await one.send('POST', '/oauth2/token', { form: { ...form, ...more } }), 'tokens');
    const introspect = async (text: string) =>
      (await one.send('POST', '/oauth2/introspect', { form: { ...form, token: text } })).body.active
        ? 'active'
        : 'inactive';
    const bearer = { authorization: `Bearer ${tokens.access_token}` };
    const username = user.email ?? '';
    const renewed = await refresh(one, client, tokens.refresh_token, '/oidc/2/token');
    const live = renewed.status === 200 ? renewed.body.refresh_token : tokens.refresh_token;
    return {
      introspection: `${await introspect(tokens.access_token)} ${await introspect(live)}`,
      userinfo: said(await one.send('GET', '/oauth2/userinfo', { headers: bearer }), 'claims'),
      refreshDocumented: said(renewed, 'tokens'),
      refreshStandard: said(await refresh(one, client, live), 'tokens'),
      code: await token({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      }),
      passwordGrant: await token({ grant_type: 'password', username, password, scope: 'openid' }),
      session: shown(await walk(one, jar, authorizePath(client))),
      signIn: shown(await submit(one, await setting.begin(), { username, password })),
    };
  }

  for (const [status, row] of Object.entries(table)) {
    it(`status ${status} (A6)`, async () => {
      const held = await hold();
      const { store } = one.services;
      await store.users.update(one.account.id, held.setting.user.id, { status: Number(status) as UserStatus });
      assert.deepEqual(await ask(held), row);
      if (status === '1') return;
      // A refusal used nothing up.
      await store.users.update(one.account.id, held.setting.user.id, { status: 1 });
      assert.deepEqual(await ask(held), table[1]);
    });
  }
}
