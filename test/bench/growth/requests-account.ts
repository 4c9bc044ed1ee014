/**
 * What an account has little of: policies, second factors, API authorization servers, callers, hooks; and the trail.
 */

import type { Answer } from '../../support/conforms.ts';
import { codeAt } from '../../support/second-factor.ts';
import { until } from '../../support/until.ts';
import { type Caller, counts, manage, managed, type Prepare, pages, type Variant } from './caller.ts';
import { newUser, someApp, someUser } from './requests-users.ts';

/** A new object for a request, created by another one. */
const made =
  <Made>(make: (caller: Caller) => Promise<Made>, write: (made: Made, caller: Caller) => readonly [string, unknown?]) =>
  async (caller: Caller) =>
    managed(caller, ...write(await make(caller), caller));

/** Creates an object and removes it afterwards, since the number is limited. */
const undone = (path: string | ((caller: Caller) => Promise<string>), prepare: Prepare): Variant => ({
  prepare,
  undo: async (caller: Caller, { body }: Answer) =>
    caller.manage('DELETE', `${typeof path === 'string' ? path : await path(caller)}/${body.id}`),
});

const idOf = (path: string, body: (number: number) => object) => async (caller: Caller) => {
  const { id } = await caller.manage('POST', path, body(caller.next()));
  return id as number | string;
};

/** One for the whole run. */
const kept =
  <Made>(name: string, make: (caller: Caller) => Promise<Made>) =>
  (caller: Caller) =>
    caller.once(name, () => make(caller));

/** Two of them are there, so that a list has a second page. */
const twoOf = (path: string, make: (caller: Caller) => Promise<unknown>) =>
  pages(
    (caller) =>
      caller.once(`two of ${path}`, async () => {
        await make(caller);
        await make(caller);
        return path;
      }),
    { limit: 1 },
  );

const policy = (number: number) => ({ name: `Policy ${number}` });
const newPolicy = idOf('/policies', policy);
export const onePolicy = kept('policy', newPolicy);

export const policyRequests = {
  listPolicies: twoOf('/policies', newPolicy),
  createPolicy: undone(
    '/policies',
    manage(({ next }) => ['/policies', policy(next())]),
  ),
  readPolicy: made(onePolicy, (id) => [`/policies/${id}`]),
  updatePolicy: made(onePolicy, (id, { next }) => [`/policies/${id}`, { minimum_password_length: 8 + (next() % 4) }]),
  deletePolicy: made(newPolicy, (id) => [`/policies/${id}`]),
};

interface Device {
  readonly of: string;
  readonly registration: string;
  readonly device: string;
  readonly code: () => string;
}

const newDevice =
  (verified: boolean) =>
  async (caller: Caller): Promise<Device> => {
    const of = `/mfa/users/${(await newUser(caller)).id}`;
    const asked = { factor_id: 1, display_name: 'Phone', ...(verified && { verified }) };
    const { id, device_id: device, factor_data: data } = await caller.manage('POST', `${of}/registrations`, asked);
    return { of, registration: id, device, code: () => codeAt(data.verification_token, Date.now()) };
  };

const oneDevice = kept('device', newDevice(true));

const newVerification = async (caller: Caller) => {
  const device = await newDevice(true)(caller);
  const { id } = await caller.manage('POST', `${device.of}/verifications`, { device_id: device.device });
  return { ...device, path: `${device.of}/verifications/${id}` };
};

export const factorRequests = {
  listFactors: manage((caller) => [`/mfa/users/${someUser(caller)}/factors`]),
  createFactorRegistration: made(newUser, ({ id }) => [
    `/mfa/users/${id}/registrations`,
    { factor_id: 1, display_name: 'Phone' },
  ]),
  readFactorRegistration: made(kept('registration', newDevice(false)), ({ of, registration }) => [
    `${of}/registrations/${registration}`,
  ]),
  acceptFactorRegistration: made(newDevice(false), ({ of, registration, code }) => [
    `${of}/registrations/${registration}`,
    { otp: code() },
  ]),
  listDevices: made(oneDevice, ({ of }) => [`${of}/devices`]),
  deleteDevice: made(newDevice(true), ({ of, device }) => [`${of}/devices/${device}`]),
  createFactorVerification: made(newDevice(true), ({ of, device }) => [`${of}/verifications`, { device_id: device }]),
  readFactorVerification: made(kept('verification', newVerification), ({ path }) => [path]),
  acceptFactorVerification: made(newVerification, ({ path, code }) => [path, { otp: code() }]),
};

const server = (number: number) => ({
  name: `Server ${number}`,
  configuration: { resource_identifier: `https://api.example.com/${number}` },
});
const servers = '/api_authorizations';
const newServer = idOf(servers, server);
const oneServer = kept('server', newServer);

/** Where the parts of the one server are. */
const pathOf = (part: string) => async (caller: Caller) => `${servers}/${await oneServer(caller)}/${part}`;

/** A part of the one server. */
const partOf = (part: string, body: (number: number) => object) => async (caller: Caller) => {
  const path = await pathOf(part)(caller);
  return { path, id: await idOf(path, body)(caller) };
};

const scope = (number: number) => ({ value: `scope:${number}` });
const claim = (number: number) => ({ name: `claim_${number}`, user_attribute_mappings: 'email' });
const newScope = partOf('scopes', scope);
const newClaim = partOf('claims', claim);

async function newLink(caller: Caller) {
  const scopeOfLink = await caller.once('scope of links', () => newScope(caller));
  const app = (await caller.manage('POST', '/apps', { name: `Linked ${caller.next()}` })).id;
  const path = `${servers}/${await oneServer(caller)}/clients`;
  return { app, path, ask: { app_id: app, scopes: [scopeOfLink.id] }, scopes: [scopeOfLink.id] };
}

async function linked(caller: Caller) {
  const link = await newLink(caller);
  await caller.manage('POST', link.path, link.ask);
  return link;
}

/** A list of parts of the one server, which has two at least. */
const listOf = (part: string, make: (caller: Caller) => Promise<{ readonly path: string }>) =>
  pages(
    (caller) =>
      caller.once(`two ${part}`, async () => {
        await make(caller);
        return (await make(caller)).path;
      }),
    { limit: 1 },
  );

export const serverRequests = {
  listApiAuthorizations: twoOf(servers, newServer),
  createApiAuthorization: undone(
    servers,
    manage(({ next }) => [servers, server(next())]),
  ),
  readApiAuthorization: made(oneServer, (id) => [`${servers}/${id}`]),
  updateApiAuthorization: made(oneServer, (id, { next }) => [`${servers}/${id}`, { description: `${next()}` }]),
  deleteApiAuthorization: made(newServer, (id) => [`${servers}/${id}`]),
  listApiAuthorizationScopes: listOf('scopes', newScope),
  createApiAuthorizationScope: undone(
    pathOf('scopes'),
    made(oneServer, (id, { next }) => [`${servers}/${id}/scopes`, scope(next())]),
  ),
  updateApiAuthorizationScope: made(kept('scope', newScope), ({ path, id }, { next }) => [
    `${path}/${id}`,
    { description: `${next()}` },
  ]),
  deleteApiAuthorizationScope: made(newScope, ({ path, id }) => [`${path}/${id}`]),
  listApiAuthorizationClaims: listOf('claims', newClaim),
  createApiAuthorizationClaim: undone(
    pathOf('claims'),
    made(oneServer, (id, { next }) => [`${servers}/${id}/claims`, claim(next())]),
  ),
  updateApiAuthorizationClaim: made(kept('claim', newClaim), ({ path, id }) => [
    `${path}/${id}`,
    { user_attribute_mappings: 'lastname' },
  ]),
  deleteApiAuthorizationClaim: made(newClaim, ({ path, id }) => [`${path}/${id}`]),
  listApiAuthorizationClients: listOf('clients', linked),
  createApiAuthorizationClient: made(newLink, ({ path, ask }) => [path, ask]),
  updateApiAuthorizationClient: made(kept('link', linked), ({ path, app, scopes }) => [`${path}/${app}`, { scopes }]),
  deleteApiAuthorizationClient: made(linked, ({ path, app }) => [`${path}/${app}`]),
};

const newCredential = idOf('/credentials', () => ({ scopes: ['read_users'] }));
const newApiKey = idOf('/api_keys', (number) => ({ name: `Key ${number}` }));

export const callerRequests = {
  listCredentials: twoOf('/credentials', newCredential),
  createCredential: manage(() => ['/credentials', { scopes: ['read_users'] }]),
  deleteCredential: made(newCredential, (id) => [`/credentials/${id}`]),
  listApiKeys: twoOf('/api_keys', newApiKey),
  createApiKey: manage(({ next }) => ['/api_keys', { name: `Key ${next()}` }]),
  deleteApiKey: made(newApiKey, (id) => [`/api_keys/${id}`]),
};

const newAdministrator = async (caller: Caller) => {
  const id = await idOf('/users', (number) => ({ username: `administrator-${number}` }))(caller);
  await caller.manage('PUT', `/administrators/${id}`, { scopes: ['read_all'] });
  return id;
};
const oneAdministrator = kept('administrator', newAdministrator);

export const administratorRequests = {
  listAdministrators: twoOf('/administrators', newAdministrator),
  readAdministrator: made(oneAdministrator, (id) => [`/administrators/${id}`]),
  setAdministrator: made(oneAdministrator, (id) => [`/administrators/${id}`, { scopes: ['read_users'] }]),
  deleteAdministrator: made(newAdministrator, (id) => [`/administrators/${id}`]),
  readCaller: manage(() => ['/caller']),
};

const source = 'exports.handler = async (context) => ({ user: context.user });';
/** It is tested, and runs at no sign-in. */
const hook = { type: 'pre-authentication', function: Buffer.from(source).toString('base64'), disabled: true };
const newHook = idOf('/hooks', () => hook);
const oneHook = kept('hook', newHook);
/** A hook after further writes. */
const after =
  (...writes: readonly (readonly [path: string, body: object])[]) =>
  async (caller: Caller) => {
    const id = await newHook(caller);
    for (const [path, body] of writes) await caller.manage('PUT', `/hooks/${id}${path}`, body);
    return id;
  };
const writtenTwice = after(['', hook]);
const newDrafted = after(['/draft', { function: hook.function }]);
const drafted = kept('drafted hook', newDrafted);
const oneRun = kept('recorded run', async (caller: Caller) => {
  const { id: role } = await caller.manage('POST', '/roles', { name: 'Hooked' });
  const password = 'a fine day for a walk';
  const { email } = await newUser(caller, { role_ids: [role], password, password_confirmation: password });
  const conditions = [{ source: 'roles', operator: '~', value: String(role) }];
  const { id } = await caller.manage('POST', '/hooks', { ...hook, disabled: false, conditions });
  const query = new URLSearchParams({ api_key: caller.grown.apiKey, email, password });
  await caller.call('GET', `/api/v1/delegated_auth?${query}`);
  const [{ request_id: run }] = await caller.manage('GET', `/hooks/${id}/logs`);
  return `/hooks/${id}/logs/${run}`;
});
const variable = (number: number) => ({ name: `VARIABLE_${number}`, value: 'value' });
const newVariable = idOf('/hooks/envs', variable);
const oneVariable = kept('variable', newVariable);

export const hookRequests = {
  listHooks: manage(() => ['/hooks']),
  createHook: undone(
    '/hooks',
    manage(() => ['/hooks', hook]),
  ),
  readHook: made(oneHook, (id) => [`/hooks/${id}`]),
  replaceHook: made(oneHook, (id) => [`/hooks/${id}`, hook]),
  deleteHook: made(newHook, (id) => [`/hooks/${id}`]),
  listHookVersions: made(oneHook, (id) => [`/hooks/${id}/versions`]),
  readHookVersion: made(writtenTwice, (id) => [`/hooks/${id}/versions/1`]),
  rollBackHook: made(writtenTwice, (id) => [`/hooks/${id}/rollback`, {}]),
  readHookDraft: made(drafted, (id) => [`/hooks/${id}/draft`]),
  replaceHookDraft: made(drafted, (id) => [`/hooks/${id}/draft`, { function: hook.function }]),
  deleteHookDraft: made(newDrafted, (id) => [`/hooks/${id}/draft`]),
  promoteHookDraft: made(newDrafted, (id) => [`/hooks/${id}/draft/promote`]),
  readHookDraftResults: made(drafted, (id) => [`/hooks/${id}/draft/results`]),
  listHookLogs: made(oneHook, (id) => [`/hooks/${id}/logs`]),
  streamHookLogs: manage(() => ['/hooks/logs/stream?seconds=1']),
  listHookContexts: manage(() => ['/hooks/contexts']),
  testHookFunction: manage(() => ['/hooks/test', { type: hook.type, function: hook.function, context: {} }]),
  replayHookRun: made(oneRun, (path) => [`${path}/replay`, {}]),
  testHook: made(oneHook, (id) => [`/hooks/${id}/test`, { user: { user_identifier: 'ada', policy_id: 1 } }]),
  listHookVariables: twoOf('/hooks/envs', newVariable),
  createHookVariable: undone(
    '/hooks/envs',
    manage(({ next }) => ['/hooks/envs', variable(next())]),
  ),
  readHookVariable: made(oneVariable, (id) => [`/hooks/envs/${id}`]),
  updateHookVariable: made(oneVariable, (id, { next }) => [`/hooks/envs/${id}`, { value: `${next()}` }]),
  deleteHookVariable: made(newVariable, (id) => [`/hooks/envs/${id}`]),
};

/** The path of what explains a refusal of the browser's request. */
const refusal = (name: string, query: (caller: Caller) => string | Promise<string>) =>
  kept(name, async (caller) => {
    const { headers } = await caller.refused('GET', `/oauth2/authorize?${await query(caller)}`);
    const path = `/refusals/${headers['x-request-id']}`;
    // It is stored a moment later.
    await until(() =>
      caller.manage('GET', path).then(
        () => true,
        () => false,
      ),
    );
    return path;
  });

export const eventRequests = {
  listEvents: {
    ...pages(() => '/events'),
    'of an action': { prepare: manage(() => ['/events?action=grant.issued&limit=50']), grows: counts },
    'of a user': manage((caller) => [`/events?target=user:${someUser(caller)}`]),
    'of an app': manage((caller) => [`/events?target=app:${someApp(caller)}`]),
  },
  explainRefusal: {
    'of an unknown app': made(
      refusal('refusal of an unknown app', () => 'client_id=nobody'),
      (path) => [path],
    ),
    'with an event': made(
      refusal('refusal with an event', async (caller) => {
        const { client_id: id } = await caller.manage('GET', `/apps/${someApp(caller)}`);
        return new URLSearchParams({ client_id: id, redirect_uri: 'https://other.example.com/' }).toString();
      }),
      (path) => [path],
    ),
  },
  readEventChain: manage(() => ['/events/chain']),
  verifyEventChain: {
    '': {
      prepare: manage(() => ['/events/chain/verify', {}]),
      grows: 'it verifies what there is, 10,000 events at most',
    },
  },
};

const setting = '/account-settings/refresh.idle_days';

export const settingRequests = {
  listAccountSettings: pages(() => '/account-settings', { limit: 10 }),
  readAccountSetting: manage(() => [setting]),
  updateAccountSetting: manage(({ next }) => [setting, { value: String(1 + (next() % 365)) }]),
  listSigningKeys: pages(() => '/signing-keys', { limit: 1 }),
  rotateSigningKeys: manage(() => ['/signing-keys/rotate', {}]),
  replaceSigningKeys: manage(() => ['/signing-keys/emergency', {}]),
};

export const usageRequests = {
  listDailyCounts: manage(() => ['/usage/daily']),
  listAppUses: {
    ...pages(() => '/usage/apps', { limit: 50 }),
    unused: { prepare: manage(() => ['/usage/apps?unused_since=2026-01-01&limit=50']), grows: counts },
  },
  listDeprecatedCalls: manage(() => ['/usage/deprecated-calls']),
};
