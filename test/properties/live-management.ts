/** Live values of the management API: ids of what is there, names that are not taken, cursors of lists. */

import { unique } from '../store/samples.ts';
import { type Fixtures, variableName } from './fixtures.ts';
import type { Plan } from './requests.ts';
import type { Live, Taken } from './taken.ts';

interface Context {
  readonly fixtures: Fixtures;
  readonly plan: Plan;
  /** The path's parameters. */
  readonly path: Readonly<Record<string, string>>;
}

type Given = Pick<Live, 'body' | 'items' | 'query'>;
type Source = (context: Context) => Given | Promise<Given>;

const password = 'a fine day for a walk';

/** A user; roles and passwords are for the scope `manage_all`. */
async function user({ fixtures, plan: { pick, scheme } }: Context, names: object): Promise<Given> {
  const whole = scheme?.scopes.includes('manage_all');
  const secret = whole && pick % 8 === 0 ? password : undefined;
  return {
    query: { validate_policy: whole && pick % 3 === 0 ? 'false' : undefined },
    body: {
      ...names,
      manager_user_id: pick % 3 ? Number(await fixtures.shared('/users')) : undefined,
      policy_id: pick % 3 ? null : Number(await fixtures.shared('/policies')),
      role_ids: whole ? [Number(await fixtures.shared('/roles'))] : undefined,
      custom_attributes: undefined,
      password: secret,
      password_confirmation: secret,
      password_algorithm: undefined,
      salt: undefined,
    },
  };
}

async function members({ fixtures }: Context): Promise<Given> {
  return { items: [Number(await fixtures.shared('/users'))] };
}

/** A role with its three lists, where `pick` asks for them. */
async function role({ fixtures, plan: { pick } }: Context): Promise<Given> {
  const users = pick % 2 ? [Number(await fixtures.shared('/users'))] : [];
  const apps = pick % 3 ? [Number(await fixtures.shared('/apps'))] : [];
  return { body: { name: unique('role'), users, admins: users, apps } };
}

/** A policy of another name; the default one stays, since all users without another follow it. */
const policy: Source = () => ({ body: { name: unique('policy'), is_default: undefined } });

async function app({ fixtures, plan: { pick } }: Context): Promise<Given> {
  return { body: { role_ids: pick % 2 ? [Number(await fixtures.shared('/roles'))] : undefined } };
}

const claim: Source = ({ plan: { pick } }) => ({
  body: {
    name: unique('claim'),
    label: undefined,
    user_attribute_mappings: pick % 2 ? 'email' : '_macro_',
    user_attribute_macros: pick % 2 ? null : '{firstname} {lastname}',
  },
});

const draft = Buffer.from('exports.handler = async () => null;').toString('base64');

/** A hook that does nothing, since others sign in meanwhile. */
const hook: Source = () => ({
  body: { type: 'pre-authentication', function: '', timeout: 1, env_vars: [], packages: {}, context_version: '1.1.0' },
});

/** None of them is what a new administrator of the fixtures has. */
const someScopes = [
  ['read_users'],
  ['manage_users'],
  ['read_users', 'read_all'],
  ['manage_all'],
  ['manage_users', 'read_all'],
];
let scopesGiven = 0;

/** Other scopes than the last few requests gave. */
function nextScopes(): readonly string[] {
  scopesGiven += 1;
  return someScopes[scopesGiven % someScopes.length] ?? [];
}

const attribute = () => ({ name: 'Badge', shortname: unique('badge') });

function serverBody(): Given {
  const configuration = { resource_identifier: `https://api.example.com/${unique('api')}`, audiences: null };
  return { body: { configuration } };
}

async function scopesOf({ fixtures, path }: Context): Promise<number[]> {
  const scopes = `/api_authorizations/${path['id']}/scopes`;
  return [Number(await fixtures.shared(scopes, '/api_authorizations/{id}/scopes'))];
}

let days = 0;

/** Another number of days than the last one. */
function nextDays(): string {
  days = (days + 1) % 3650;
  return String(days);
}

/** By operation: members that must name what is there, or what is not taken. */
const sources: Readonly<Record<string, Source>> = {
  createUser: (context) => user(context, { email: `${unique('user')}@example.com`, username: unique('user') }),
  updateUser: (context) => user(context, { email: undefined, username: unique('user') }),
  importUsers: () => ({ body: { format: 'csv', content: `email\n${unique('user')}@example.com\n` } }),
  createCustomAttribute: () => ({ body: { user_field: attribute() } }),
  updateCustomAttribute: ({ plan: { pick } }) =>
    pick % 2 ? { body: { shortname: unique('badge'), user_field: undefined } } : { body: { user_field: attribute() } },
  createPolicy: policy,
  updatePolicy: policy,
  createApiAuthorization: serverBody,
  updateApiAuthorization: serverBody,
  createApiAuthorizationScope: () => ({ body: { value: unique('scope') } }),
  updateApiAuthorizationScope: () => ({ body: { value: unique('scope') } }),
  createApiAuthorizationClaim: claim,
  updateApiAuthorizationClaim: claim,
  createApiAuthorizationClient: async (context) => {
    const appId = Number(await context.fixtures.fresh('/apps'));
    return { body: { app_id: appId, scopes: await scopesOf(context) } };
  },
  updateApiAuthorizationClient: async (context) => ({ body: { scopes: await scopesOf(context) } }),
  acceptFactorRegistration: ({ fixtures, path: { registration_id: id = '' } }) => ({
    body: { otp: fixtures.code(id) },
  }),
  createFactorVerification: async ({ fixtures, path: { id } }) => ({
    body: { device_id: await fixtures.fresh(`/mfa/users/${id}/devices`, '/mfa/users/{id}/devices') },
  }),
  acceptFactorVerification: ({ fixtures, path: { verification_id: id = '' } }) => ({
    body: { otp: fixtures.code(id) },
  }),
  createRole: role,
  updateRole: role,
  addRoleUsers: members,
  removeRoleUsers: members,
  addAppUsers: members,
  removeAppUsers: members,
  addRoleAdmins: members,
  removeRoleAdmins: members,
  setRoleApps: async ({ fixtures }) => ({ items: [Number(await fixtures.shared('/apps'))] }),
  setRolePolicy: async ({ fixtures, plan: { pick } }) => ({
    body: { policy_id: pick % 3 ? Number(await fixtures.fresh('/policies')) : null },
  }),
  createHook: hook,
  replaceHook: hook,
  testHookFunction: () => ({
    body: { function: draft, type: 'pre-authentication', runtime: undefined, timeout: 1, env_vars: [], packages: {} },
  }),
  replayHookRun: ({ plan: { pick } }) => ({
    body: { version: undefined, draft: pick % 3 === 0, function: pick % 3 === 1 ? draft : undefined },
  }),
  // It would go on until its token ends.
  streamHookLogs: () => ({ query: { seconds: '1', hook_id: undefined } }),
  rollBackHook: () => ({ body: { version: undefined } }),
  replaceHookDraft: () => ({ body: { function: draft } }),
  createHookVariable: () => ({ body: { name: variableName(), value: 'value' } }),
  updateHookVariable: () => ({ body: { name: undefined, value: 'value' } }),
  createApp: app,
  updateApp: app,
  // Each another one than before.
  updateAccountSetting: () => ({ body: { value: nextDays() } }),
  setAdministrator: () => ({ body: { scopes: nextScopes() } }),
};

/** Now and then the page that a cursor names, in its own list. */
async function page({ fixtures, plan: { operation, pick } }: Context): Promise<Given> {
  const { parameters, template } = operation;
  if (!parameters.some(({ name }) => name === 'cursor')) return {};
  const cursor =
    pick % 4 || template.includes('{') ? undefined : await fixtures.cursor(template.slice('/api/2'.length));
  if (cursor === undefined) return { query: { cursor: undefined } };
  const others = parameters.filter(({ name, in: place }) => place === 'query' && name !== 'limit');
  return { query: { ...Object.fromEntries(others.map(({ name }) => [name, undefined])), cursor } };
}

/** Now and then the resource's own tag, any, or a former one. */
async function ifMatch({ fixtures, plan: { operation, pick }, path }: Context): Promise<Live['headers']> {
  if (!operation.parameters.some(({ name }) => name === 'If-Match')) return {};
  const target = operation.template.slice('/api/2'.length).replace(/\{(\w+)\}/g, (_, name) => path[name] ?? '');
  const current = async () => String((await fixtures.call('GET', target)).headers['etag'] ?? '*');
  const fields = [current, () => '*', () => '"former"'];
  return { 'If-Match': await fields[pick % 6]?.() };
}

/** Now and then a key of its own: one that another request has had is refused. */
function keyFor({ plan: { operation, pick } }: Context): Live['headers'] {
  if (!operation.parameters.some(({ name }) => name === 'Idempotency-Key')) return {};
  return { 'Idempotency-Key': pick % 3 ? undefined : unique('key') };
}

/** What a request of the management API needs. Of a freely made one only the path leads somewhere. */
export async function managed(fixtures: Fixtures, plan: Plan): Promise<Taken> {
  const { operation, freedom, pick } = plan;
  const { operationId, method, template } = operation;
  const { parameters, giveBack } = await fixtures.fill(template, method === 'DELETE');
  const context = { fixtures, plan, path: parameters };
  const given =
    freedom === 'free'
      ? { ...harmless(plan), ...short(plan) }
      : { ...(await page(context)), ...(await sources[operationId]?.(context)) };
  const headers = { ...keyFor(context), ...(freedom === 'free' ? {} : await ifMatch(context)) };
  const inBody = Object.keys(given.body ?? {});
  // The default policy cannot be deleted.
  const path = operationId === 'deletePolicy' && pick % 5 === 0 ? { id: await defaultPolicy(fixtures) } : parameters;
  return {
    live: { ...given, path, headers },
    // Versions are numbered by hook, so that another account's is there too. Another name, or none, is as good; a
    // cursor may be left out, and how long a stream lasts.
    loose: ['version', 'validate_policy', 'If-Match', 'Idempotency-Key', ...inBody.filter((name) => name !== 'app_id')],
    optional: ['validate_policy', 'If-Match', 'Idempotency-Key', 'cursor', 'seconds', ...inBody],
    settle: async ({ status, body }) => {
      if (status >= 400) giveBack();
      // An account has up to 200 of them, or 100, or 500.
      else if (operationId === 'createCustomAttribute')
        await fixtures.call('DELETE', `/users/custom_attributes/${body.id}`);
      else if (operationId === 'createHook') await fixtures.call('DELETE', `/hooks/${body.id}`);
      else if (operationId === 'createHookVariable') await fixtures.call('DELETE', `/hooks/envs/${body.id}`);
    },
  };
}

/** A stream lasts as long as it says, and for ever where it says nothing. */
function short({ operation }: Plan): Given {
  return operation.operationId === 'streamHookLogs' ? { query: { seconds: '1' } } : {};
}

/** What would change the rules for all other requests. */
function harmless({ operation }: Plan): Given {
  return /^(create|update)Policy$/.test(operation.operationId) ? { body: { is_default: undefined } } : {};
}

async function defaultPolicy(fixtures: Fixtures): Promise<string> {
  const { body } = await fixtures.call('GET', '/policies?sort=id&limit=1');
  return String(body[0].id);
}
