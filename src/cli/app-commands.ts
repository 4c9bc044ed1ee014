import type { Command } from 'commander';
import type { Account } from '../domain/accounts/account.ts';
import type { AppInput } from '../domain/clients/app-input.ts';
import { authMethods } from '../domain/clients/client-methods.ts';
import { grantTypesOf } from '../domain/clients/grant-types.ts';
import {
  createApp,
  type FullApp,
  listFullApps,
  readFullApp,
  removeApp,
  rotateSecret,
  updateApp,
} from '../domain/clients/managed-apps.ts';
import { displayName } from '../domain/clients/represent-metadata.ts';
import { matching } from '../domain/listing.ts';
import { findPolicyId } from '../domain/policies/policies.ts';
import { requireRoleIds } from '../domain/roles/full-role.ts';
import type { Services } from '../services.ts';
import { accountOption, addCommand, addGroup, type OfAccount, type Outlet, readId } from './command.ts';
import { addYesOption, type Confirmable, confirm } from './confirm.ts';
import { addLimitOption, type Limited, listItems, readLimit } from './listing.ts';
import { fields, isoTime, table } from './output.ts';
import { keysOf, type PairReaders, readMembers, readOne, readSwitch, readWhole, readWords } from './pairs.ts';
import { withAccount } from './session.ts';

/** What is typed of an app: roles and the policy by their names. */
interface AppChanges extends AppInput {
  readonly roles?: readonly string[];
  readonly policy?: string | null;
}

const readers: PairReaders<AppChanges> = {
  name: (text) => ({ name: text }),
  description: (text) => ({ description: text || null }),
  redirect_uris: (text) => ({ redirectUri: readWords(text).join('\n') }),
  post_logout_redirect_uris: (text) => ({ postLogoutRedirectUri: readWords(text).join('\n') }),
  login_url: (text) => ({ loginUrl: text || null }),
  application_type: (text, key) => ({ applicationType: readOne(text, key, ['web', 'native']) }),
  token_endpoint_auth_method: (text, key) => ({ authMethod: readOne(text, key, authMethods) }),
  visible: (text, key) => ({ visible: readSwitch(text, key) }),
  roles: (text) => ({ roles: readWords(text) }),
  policy: (text) => ({ policy: text || null }),
  access_token_minutes: (text, key) => ({ accessTokenMinutes: readWhole(text || '0', key) }),
  refresh_token_minutes: (text, key) => ({ refreshTokenMinutes: readWhole(text || '0', key) }),
};

const keys = `${keysOf(readers)}
Several redirect_uris, post_logout_redirect_uris or roles have commas between them; an empty value clears.`;

export function addAppCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'app', 'apps in which users sign in, each with its client');
  addLists(group, outlet);
  addCommand<OfAccount>(
    group,
    'create <name> [pairs...]',
    'create an app: key=value; its secret is shown once',
    outlet,
    async ({ args: [name, pairs], options }) => {
      const changes = await readMembers(pairs as string[], readers);
      return withAccount(options.account, async (services, account) => {
        const input = await inputOf(services, account, { name: String(name), ...changes });
        const { app, clientSecret } = await createApp(services, account, input);
        const json = { id: app.appId, client_id: app.clientId, client_secret: clientSecret };
        return { json, text: fields(json) };
      });
    },
  )
    .requiredOption(...accountOption)
    .addHelpText('after', keys);
  addCommand<OfAccount>(
    group,
    'set <app_id> <pairs...>',
    'change an app: key=value',
    outlet,
    async ({ args: [id, pairs], options }) => {
      const appId = readId('app_id', String(id));
      const changes = await readMembers(pairs as string[], readers);
      return withAccount(options.account, async (services, account) => {
        const app = await updateApp(services, account, appId, await inputOf(services, account, changes));
        return shown(services, account, app);
      });
    },
  )
    .requiredOption(...accountOption)
    .addHelpText('after', keys);
  addEndings(group, outlet);
}

function addLists(group: Command, outlet: Outlet): void {
  const list = addCommand<OfAccount & Limited & { name?: string }>(
    group,
    'list',
    'list apps',
    outlet,
    ({ options: { account: subdomain, limit: most, name } }) => {
      const limit = readLimit(most);
      const filters = name === undefined ? [] : [matching('name', name)];
      return withAccount(subdomain, async (services, account) => {
        const read = (query: Parameters<typeof listFullApps>[2]) => listFullApps(services, account, query);
        const apps = await listItems(read, { sort: 'id', filters, limit });
        const json = apps.map((app) => ({ id: app.appId, client_id: app.clientId, name: displayName(app) }));
        const rows = json.map(({ id, client_id: clientId, name: shownName }) => [id, shownName, clientId]);
        return { json, text: table(['id', 'name', 'client id'], rows) };
      });
    },
  );
  addLimitOption(list.requiredOption(...accountOption)).option(
    '--name <name>',
    'only apps of this name; * at an end stands for anything',
  );
  addCommand<OfAccount>(group, 'show <app_id>', 'show an app', outlet, ({ args: [id], options }) => {
    const appId = readId('app_id', String(id));
    return withAccount(options.account, async (services, account) =>
      shown(services, account, await readFullApp(services.store, account, appId)),
    );
  }).requiredOption(...accountOption);
}

function addEndings(group: Command, outlet: Outlet): void {
  const rotate = addCommand<OfAccount & { overlap: string }>(
    group,
    'rotate-secret <app_id>',
    'give an app a new secret, which is shown once',
    outlet,
    ({ args: [id], options }) => {
      const appId = readId('app_id', String(id));
      const overlap = readWhole(options.overlap, 'overlap');
      return withAccount(options.account, async (services, account) => {
        const { clientId, clientSecret, previousExpiresAt } = await rotateSecret(services, account, appId, overlap);
        const until = isoTime(previousExpiresAt);
        const json = { client_id: clientId, client_secret: clientSecret, previous_secret_expires_at: until };
        return { json, text: fields(json) };
      });
    },
  );
  rotate
    .requiredOption(...accountOption)
    .option('--overlap <minutes>', 'for how long the former secret is valid', '60');
  const remove = addCommand<OfAccount & Confirmable>(
    group,
    'delete <app_id>',
    'delete an app with its client, grants and tokens',
    outlet,
    ({ args: [id], options }) => {
      const appId = readId('app_id', String(id));
      return withAccount(options.account, async (services, account) => {
        const app = await readFullApp(services.store, account, appId);
        await confirm(`the app ${displayName(app)} is deleted with its grants and tokens`, options);
        await removeApp(services, account, appId);
        return { json: { id: appId, deleted: true }, text: `app ${appId} is deleted\n` };
      });
    },
  );
  addYesOption(remove.requiredOption(...accountOption));
}

/** Throws `not_found` for a role or a policy that the account does not have. */
async function inputOf(
  { store }: Pick<Services, 'store'>,
  account: Account,
  { roles, policy, ...input }: AppChanges,
): Promise<AppInput> {
  return {
    ...input,
    ...(roles && { roleIds: await requireRoleIds(store, account, roles) }),
    ...(policy !== undefined && { policyId: await findPolicyId(store, account, policy) }),
  };
}

async function shown({ store }: Pick<Services, 'store'>, account: Account, app: FullApp) {
  const roles = await Promise.all(app.roleIds.map((id) => store.roles.find(account.id, id)));
  const policy = app.policyId === null ? null : await store.policies.find(account.id, app.policyId);
  const json = {
    id: app.appId,
    client_id: app.clientId,
    name: displayName(app),
    description: app.description,
    registered_by: app.registeredBy,
    redirect_uris: app.redirectUris,
    post_logout_redirect_uris: app.postLogoutRedirectUris,
    login_url: app.extra.login_url ?? null,
    application_type: app.applicationType,
    token_endpoint_auth_method: app.authMethod,
    grant_types: grantTypesOf(app),
    visible: app.visible ? 'on' : 'off',
    roles: roles.flatMap((role) => role?.name ?? []),
    policy: policy?.name ?? null,
    access_token_minutes: app.accessTokenMinutes,
    refresh_token_minutes: app.refreshTokenMinutes,
    created_at: isoTime(app.createdAt),
  };
  return { json, text: fields(json) };
}
