/** Every door that ends in a session, a code, a user's token or the word "authenticated", walked to its end. */

import assert from 'node:assert/strict';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { codesOf, deviceMetadata, poll, type } from '../../support/devices.ts';
import { chosen, newInvite } from '../../support/invites.ts';
import { givePasskey, passkeyOptionsOf, showPasskey } from '../../support/passkeys.ts';
import { newLink } from '../../support/resets.ts';
import type { ScriptedHooks } from '../../support/scripted-hooks.ts';
import { giveDevice } from '../../support/second-factor.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  makeUser,
  password,
  type RegisteredClient,
  redeem,
  refresh,
  registerClient,
  signInForCode,
  submit,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { delegated } from '../../surfaces/api-v1/delegated.ts';
import { heading, isConsent } from '../../surfaces/pages/browsing.ts';

/** What came of a walk, in the words of the table. */
export type End = 'opened' | 'refused' | 'enrolment first' | 'factor first' | 'saved, nothing opened';

export interface Ground {
  readonly app: TestApp;
  readonly hooks: ScriptedHooks;
  /** For the default policy of each account: one of the same account that demands a second factor. */
  readonly demanding: Map<number, number>;
}

/** Prepares what the door needs, with the hook at rest; what it answers walks through the door. */
export type Door = (ground: Ground) => Promise<() => Promise<End>>;

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', 'password', exchangeGrant];

async function people({ app }: Ground): Promise<{ readonly client: RegisteredClient; readonly user: UserRecord }> {
  const client = await registerClient(app, { grant_types: grantTypes });
  return { client, user: await makeUser(app, client.app_id) };
}

/** By the page or the address at which a browser ended. */
function endOf({ answer }: Walk): End {
  const location = String(answer.headers['location'] ?? '');
  if (/[?&]code=/.test(location) || isConsent(answer)) return 'opened';
  const title = heading(answer);
  const reference = `<code>${answer.headers['x-request-id']}</code>`;
  if (answer.status === 403) assert.ok(answer.text.includes(reference), 'who is refused can say the reference');
  if (title === 'Your password is saved') return 'saved, nothing opened';
  if (title === 'Set up a second factor') return 'enrolment first';
  if (title === 'Enter your code') return 'factor first';
  if (answer.status === 200 && (title === 'You are signed in' || /^Your account$|^Hello/.test(title))) return 'opened';
  assert.deepEqual([answer.status, title], [403, 'You cannot sign in'], location);
  return 'refused';
}

function endOfTokens({ status, body }: Answer): End {
  if (status === 200) return 'opened';
  assert.deepEqual([status, body.error], [400, 'invalid_grant']);
  return 'refused';
}

const signIn = ({ app }: Ground, at: Walk, user: UserRecord): Promise<Walk> =>
  submit(app, at, { username: user.email ?? '', password });

/** A user with a session of the browser, and another app of theirs. */
async function signedIn(ground: Ground) {
  const { client, user } = await people(ground);
  const jar = new CookieJar();
  const query = await signInForCode(ground.app, client, user, {}, jar);
  const tokens = await redeem(ground.app, client, query.get('code') ?? '');
  return { client, user, jar, tokens };
}

/** A second app that the user may use and has never opened. */
async function otherApp({ app }: Ground, user: UserRecord): Promise<RegisteredClient> {
  const other = await registerClient(app);
  await app.services.store.access.grant(app.account.id, other.app_id, { userId: user.id }, app.services.clock.now());
  return other;
}

/** The role that the account gives to users created by a hook. */
export const migratedRole = 'Migrated';

async function migrated({ app }: Ground): Promise<number> {
  const known = await app.services.store.roles.findByName(app.account.id, migratedRole);
  return (known ?? (await createRole(app.services, app.account, { name: migratedRole }))).id;
}

function link(make: (app: TestApp, email: string | null) => Promise<string>): Door {
  return async (ground) => {
    const { app } = ground;
    const user = await makeUser(app);
    const at = await walk(app, new CookieJar(), await make(app, user.email));
    return async () => {
      const end = await submit(app, at, chosen);
      const stored = await app.services.store.users.find(app.account.id, user.id);
      assert.notEqual(stored?.passwordDigest, user.passwordDigest, 'the password is saved in any case');
      return endOf(end);
    };
  };
}

function singleSignOn(setting: string): Door {
  return async (parent) => {
    const app = await parent.app.another({ hook_on_sso: setting, 'limit.api-2': 'off' });
    const ground = { ...parent, app };
    const { user, jar } = await signedIn(ground);
    const other = await otherApp(ground, user);
    await makeHook(ground);
    return async () => endOf(await walk(app, jar, authorizePath(other)));
  };
}

/** The hook of an account, whose answer the test decides, and a policy that it can choose. */
export async function makeHook({ app, demanding }: Ground, type = 'pre-authentication'): Promise<void> {
  const [standard] = await app.services.store.policies.list(app.account.id);
  const demands = await createPolicy(app.services, app.account, { name: `For ${type}`, otpRequired: true });
  demanding.set(standard?.id ?? 0, demands.id);
  const json = { type, function: Buffer.from('exports.handler = async () => null;').toString('base64') };
  const headers = { authorization: `Bearer ${await app.bearer('manage_all')}` };
  const made = await app.send('POST', '/api/2/hooks', { headers, json });
  assert.equal(made.status, 201, made.text);
}

export const doors = {
  'hosted sign-in': async (ground) => {
    const { client, user } = await people(ground);
    const at = await walk(ground.app, new CookieJar(), authorizePath(client));
    return async () => endOf(await signIn(ground, at, user));
  },
  passkey: async (ground) => {
    const { client, user } = await people(ground);
    const { passkey } = await givePasskey(ground.app, user);
    const at = await walk(ground.app, new CookieJar(), authorizePath(client));
    const shown = passkey.get(passkeyOptionsOf(at.answer.text));
    return async () => endOf(await showPasskey(ground.app, at, shown));
  },
  'password grant': async (ground) => {
    const { client, user } = await people(ground);
    const { headers, form } = clientAuthentication(client);
    const asked = { ...form, grant_type: 'password', username: user.email ?? '', password, scope: 'openid' };
    return async () => endOfTokens(await ground.app.send('POST', '/oauth2/token', { headers, form: asked }));
  },
  'reset link': link(newLink),
  'invite link': link(newInvite),
  'delegated authentication': async ({ app }) => {
    const { say } = await delegated(app);
    const user = await makeUser(app);
    return async () => {
      const said = await say(user.email);
      assert.ok(said === 'Success' || said === 'Invalid password', said);
      return said === 'Success' ? 'opened' : 'refused';
    };
  },
  migration: async (ground) => {
    const { app, hooks } = ground;
    const { client } = await people(ground);
    await app.services.store.access.grant(app.account.id, client.app_id, { roleId: await migrated(ground) }, 0);
    const email = `old${Math.random()}@old.example`;
    hooks.migrate = ({ user_identifier, password: typed }) =>
      user_identifier === email
        ? { success: true, user: { email, username: email, password: typed, firstname: 'A', lastname: 'B' } }
        : null;
    const at = await walk(app, new CookieJar(), authorizePath(client));
    return async () => {
      const end = await submit(app, at, { username: email, password });
      const made = await app.services.store.users.findByName(app.account.id, email);
      assert.ok(made, 'the user is created in any case');
      return endOf(end);
    };
  },
  '`prompt=login`': async (ground) => {
    const { client, user, jar } = await signedIn(ground);
    const at = await walk(ground.app, jar, authorizePath(client, { prompt: 'login' }));
    return async () => endOf(await signIn(ground, at, user));
  },
  '`max_age`': async (ground) => {
    const { client, user, jar } = await signedIn(ground);
    ground.app.services.clock.advance(2_000);
    const at = await walk(ground.app, jar, authorizePath(client, { max_age: '1' }));
    return async () => endOf(await signIn(ground, at, user));
  },
  'step-up': async (ground) => {
    const { app } = ground;
    const { client, user, jar } = await signedIn(ground);
    const device = await giveDevice(app, user);
    const asked = { acr_values: 'urn:gatehouse:acr:multi-factor' };
    return async () =>
      endOf(await submit(app, await walk(app, jar, authorizePath(client, asked)), { otp: device.code() }));
  },
  'single sign-on, `hook_on_sso=never`': singleSignOn('never'),
  'single sign-on, `hook_on_sso=each_app`': singleSignOn('each_app'),
  'device: its user signs in': async (ground) => {
    const { app } = ground;
    const client = await registerClient(app, deviceMetadata);
    const user = await makeUser(app, client.app_id);
    const codes = await codesOf(app, client);
    const at = await type(app, codes.user_code);
    return async () => endOf(await signIn(ground, at, user));
  },
  'device: it gets its tokens': async (ground) => {
    const { app } = ground;
    const client = await registerClient(app, deviceMetadata);
    const user = await makeUser(app, client.app_id);
    const codes = await codesOf(app, client);
    await submit(app, await signIn(ground, await type(app, codes.user_code), user), { decision: 'allow' });
    return async () => endOfTokens(await poll(app, client, codes));
  },
  code: async (ground) => {
    const { client, user } = await people(ground);
    const query = await signInForCode(ground.app, client, user);
    return async () => {
      await redeem(ground.app, client, query.get('code') ?? '');
      return 'opened';
    };
  },
  exchange: async (ground) => {
    const { client, tokens } = await signedIn(ground);
    const { headers, form } = clientAuthentication(client);
    const subject = {
      subject_token: tokens.access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    };
    const asked = { ...form, ...subject, grant_type: exchangeGrant };
    return async () => endOfTokens(await ground.app.send('POST', '/oauth2/token', { headers, form: asked }));
  },
  refresh: async (ground) => {
    const { client, tokens } = await signedIn(ground);
    return async () => endOfTokens(await refresh(ground.app, client, tokens.refresh_token));
  },
} as const satisfies Readonly<Record<string, Door>>;
