/**
 * One user with one browser and one client, made for one try: something of theirs is in flight when an ending comes.
 */

import { limitSettings } from '../../../src/domain/accounts/limit-settings.ts';
import type { HookRunner } from '../../../src/domain/hooks/runner.ts';
import { addRoleMembers, createRole } from '../../../src/domain/roles/write-role.ts';
import { grantAccess } from '../../../src/domain/users/access.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { deviceGrant } from '../../support/devices.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  codeVerifier,
  makeUser,
  password,
  type RegisteredClient,
  redirectUri,
  registerClient,
  submit,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { managing } from '../../surfaces/api-2/managing.ts';

export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Hooks answer at once, except for held users: their next sign-in waits in the hook until it is released. */
export interface Gate {
  readonly runner: HookRunner;
  /** From now on; settles once the user's sign-in has reached the hook. */
  hold(email: string): Promise<void>;
  letGo(email: string): void;
  letAllGo(): void;
}

function openGate(): Gate {
  const next = new Map<string, () => Promise<void>>();
  const letGo = new Map<string, () => void>();
  const runner: HookRunner = {
    run: async ({ context }) => {
      const name = JSON.parse(context).user.user_identifier;
      const waiting = next.get(name);
      next.delete(name);
      await waiting?.();
      return { ending: 'success', value: 'null', error: null, output: [], dropped: 0, durationMilliseconds: 1 };
    },
    load: async () => ({ says: 'handler' as const }),
    checkSyntax: async () => ({ says: 'compiles' }),
    warm: async () => {},
    recycle: () => {},
    health: () => ({ state: 'ok', reason: null, layers: [], runtimes: [] }),
    close: async () => {},
  };
  return {
    runner,
    hold: (email) => {
      const free = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      letGo.set(email, free.resolve);
      next.set(email, () => {
        reached.resolve();
        return free.promise;
      });
      return reached.promise;
    },
    letGo: (email) => letGo.get(email)?.(),
    letAllGo: () => {
      for (const go of letGo.values()) go();
    },
  };
}

/** An application whose account has a hook. */
export interface Theatre {
  readonly app: TestApp;
  readonly gate: Gate;
  /** How many calls were answered with 500 or more. */
  faults(): number;
  /** Releases users whom a failed try left held, since the application waits for them. */
  close(): Promise<void>;
}

export async function openTheatre(database: DatabaseKind): Promise<Theatre> {
  const gate = openGate();
  const settings = Object.fromEntries(Object.keys(limitSettings).map((name) => [name, 'off']));
  const app = await openTestApp(database, { services: { hooks: gate.runner }, settings });
  const source = Buffer.from('exports.handler = async () => null;').toString('base64');
  const hook = { type: 'pre-authentication', function: source, timeout: 1, retries: 0 };
  await (await managing(app)).done(201, 'POST', '/hooks', hook);
  let faults = 0;
  const send: TestApp['send'] = async (...call) => {
    const answer = await app.send(...call);
    if (answer.status >= 500) faults += 1;
    return answer;
  };
  const close = () => {
    gate.letAllGo();
    return app.dispose();
  };
  return { app: { ...app, send, bearer: sharedBearer(app) }, gate, faults: () => faults, close };
}

/** Each serves many tries: an account may have a thousand credentials, and a drill makes more tries than that. */
const callsOfBearer = 100;

function sharedBearer(app: TestApp): TestApp['bearer'] {
  const known = new Map<string, { readonly token: Promise<string>; left: number }>();
  return (...scopes) => {
    const name = scopes.join(' ');
    const before = known.get(name);
    const shared = before && before.left > 0 ? before : { token: app.bearer(...scopes), left: callsOfBearer };
    shared.left -= 1;
    known.set(name, shared);
    return shared.token;
  };
}

/** What one try begins with. */
export interface Stage {
  readonly app: TestApp;
  readonly gate: Gate;
  readonly client: RegisteredClient;
  readonly user: UserRecord;
  readonly email: string;
  /** Signed in with consent; everything in flight comes from this browser or a new one. */
  readonly jar: CookieJar;
  /** The code that its sign-in ended with, not redeemed yet. */
  readonly code: string;
  /** The role that gives the app; null: the app is assigned to the user. */
  readonly roleId: number | null;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
}

const online = 'openid profile';
const offline = `${online} offline_access`;

export async function openStage(
  { app, gate }: Theatre,
  { byRole, isOffline, twice }: Readonly<Record<'byRole' | 'isOffline' | 'twice', boolean>>,
): Promise<Stage> {
  const { services, account } = app;
  const client = await registerClient(app, {
    grant_types: ['authorization_code', 'refresh_token', exchangeGrant, deviceGrant],
    token_endpoint_auth_method: 'client_secret_post',
  });
  const user = await makeUser(app, byRole ? undefined : client.app_id);
  const email = user.email ?? '';
  let roleId: number | null = null;
  if (byRole) {
    const { id, name } = await createRole(services, account, { name: `Role ${client.app_id}` });
    await grantAccess(services, account, client.app_id, { role: name });
    await addRoleMembers(services, account, id, 'users', [user.id]);
    roleId = id;
  }
  const jar = new CookieJar();
  let at = await walk(app, jar, authorizePath(client, { scope: isOffline ? offline : online }));
  at = await submit(app, at, { username: email, password });
  at = await submit(app, at, { decision: 'allow' });
  const code = codeOf(at);
  if (code === null) throw new Error(`the stage got no code: ${at.answer.status} ${at.answer.text.slice(0, 300)}`);
  if (twice) {
    const again = await walk(app, jar, authorizePath(client, { scope: online, prompt: 'login' }));
    if (codeOf(await submit(app, again, { username: email, password })) === null) throw new Error('no second code');
  }
  return { app, gate, client, user, email, jar, code, roleId };
}

/** The code that a browser came back to the client with. */
export function codeOf({ answer }: Walk): string | null {
  const location = String(answer.headers['location'] ?? '');
  return location.startsWith(redirectUri) ? new URL(location).searchParams.get('code') : null;
}

/** Asks the token endpoint; null for a refusal. */
export async function ask({ app, client }: Stage, form: Record<string, string>): Promise<Tokens | null> {
  const { headers, form: known } = clientAuthentication(client);
  const answer: Answer = await app.send('POST', '/oauth2/token', { headers, form: { ...known, ...form } });
  return answer.status === 200 ? answer.body : null;
}

export async function redeemCode(stage: Stage, code: string | null): Promise<Tokens | null> {
  if (code === null) return null;
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier };
  return ask(stage, form);
}

/** Whether an access token is good for anything. */
export async function isActive({ app, client }: Stage, token: string): Promise<boolean> {
  const { headers, form } = clientAuthentication(client);
  const answer = await app.send('POST', '/oauth2/introspect', { headers, form: { ...form, token } });
  return answer.status === 200 && answer.body.active === true;
}

/** The same cookies in its own browser, so that two walks at once do not change each other's. */
export function copyOf({ cookies }: CookieJar): CookieJar {
  const jar = new CookieJar();
  for (const [name, value] of cookies) jar.cookies.set(name, value);
  return jar;
}
