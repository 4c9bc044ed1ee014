import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, execute } from '../../support/rows.ts';
import {
  clientAuthentication,
  type RegisteredClient,
  redeem,
  registerClient,
  signInForCode,
} from '../../support/sign-in.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { findDatabaseFaults } from '../half-applied.ts';
import { assertFewRefreshedAgain, doors, type Nodes, openNodes, tryRefresh } from '../nodes.ts';

/** Rows that hang on each: together seconds of work for the slices. */
const rowCount = 4_000;
/** Until the kill, at most: part of the rows are gone by then. */
const killWithinMilliseconds = 300;
/** A machine that is so slow that it needs longer is broken. */
const lookMilliseconds = 100;

/** D9: the process dies while what hangs on something removed is cleared. */
export const drill: Drill = {
  id: 'D9',
  title:
    'kill -9 in the middle of each long removal, restart: no token of what was removed works, the work is finished',
  rounds: 20,
  // Tests of clearing show that what was begun is finished, `lifecycle.test.ts` and D1 that nothing is lost.
  quickRounds: null,
  run: (options) => onEachDatabase((database) => runOn(database, options), options.databases),
};

/** Tokens that must be invalid, and their holders. */
interface Family {
  readonly of: string;
  readonly client: RegisteredClient;
  readonly refreshToken: string;
  readonly accessToken: string;
}

async function runOn(database: DatabaseKind, { rounds, log }: DrillOptions): Promise<DrillResult> {
  const limits = ['sign-in', 'client-auth', 'register'].map((name) => `limit.${name}=off`);
  const nodes = await openNodes(database, limits, 1);
  const { databaseUrl } = nodes.installation;
  const figures = { kills: 0, 'removals waiting at a kill': 0, 'looks at tokens': 0 };
  const faults: string[] = [];
  try {
    let service = nodes.services[0];
    const headers = { authorization: `Bearer ${await nodes.account.bearer('manage_all')}` };
    for (let round = 1; round <= rounds; round += 1) {
      const { families, removals, left } = await prepare(nodes, headers, round);
      const lookAt = async (when: string) => {
        figures['looks at tokens'] += 1;
        for (const family of families) {
          if (await isAlive(nodes, family)) faults.push(`round ${round}: a token of ${family.of} works ${when}`);
        }
      };
      for (const remove of removals) await remove();
      await lookAt('after the removal');
      await delay(randomInt(0, killWithinMilliseconds));
      await service?.kill();
      figures.kills += 1;
      figures['removals waiting at a kill'] += await countRows(databaseUrl, 'removals');
      service = await nodes.installation.serve();
      do {
        await lookAt('after the restart');
        await delay(lookMilliseconds);
      } while ((await countRows(databaseUrl, 'removals')) > 0);
      await lookAt('at the end');
      for (const from of left) {
        const count = await countRows(databaseUrl, from);
        if (count > 0) faults.push(`round ${round}: ${count} rows are left: ${from}`);
      }
      const { damage } = await findDatabaseFaults(databaseUrl);
      faults.push(...damage);
    }
    assertFewRefreshedAgain(nodes, 1);
    for (const fault of faults) log(`${database}: ${fault}`);
    return {
      figures: { ...figures, faults: faults.length },
      holds: faults.length === 0 && figures['removals waiting at a kill'] > 0,
    };
  } finally {
    await nodes.dispose();
  }
}

async function countRows(url: string, from: string): Promise<number> {
  const [row] = await ask(url, `select count(*) as number from ${from}`);
  return Number(row?.['number']);
}

/** Whether either token of the family is good for anything. */
async function isAlive(nodes: Nodes, { client, refreshToken, accessToken }: Family): Promise<boolean> {
  const headers = { authorization: `Bearer ${accessToken}` };
  const { status } = await nodes.wires[0].send('GET', '/oidc/2/me', { headers });
  if (status === 200) return true;
  return (await tryRefresh(nodes, refreshToken, doors[0], { client })).outcome === 'success';
}

/** Repeats what is selected for numbers `n`. */
function repeated(insert: string, select: string): string {
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rowCount})`;
  return `insert into ${insert} ${numbers} select ${select}`;
}

/**
 * Makes what is to be removed: a user, an app, a role, access that a role gives, an API, an app's link to an API, and a
 * custom attribute.
 */
async function prepare(nodes: Nodes, headers: Readonly<Record<string, string>>, round: number) {
  const { account, installation } = nodes;
  const { databaseUrl: url } = installation;
  const [found] = await ask(url, `select id from accounts where subdomain = '${account.subdomain}'`);
  const accountId = Number(found?.['id']);
  const prefix = `filler-${round}-`;
  await execute(
    url,
    repeated(
      'users (account_id, username, username_key, status, invalid_login_attempts, created_at, updated_at)',
      `${accountId}, '${prefix}' || n, '${prefix}' || n, 1, 0, 0, 0 from numbers`,
    ),
  );
  const fillers = `from users where account_id = ${accountId} and username like '${prefix}%'`;
  const far = Date.now() * 2;
  const grants = (appId: number, userId: string | number, serverId: number | null = null) =>
    `insert into grants (account_id, app_id, user_id, server_id, scope, amr, authenticated_at, generation, idle_expires_at,
      absolute_expires_at, created_at) select ${accountId}, ${appId}, ${userId}, ${serverId}, '[]', '[]', 0, 0, ${far}, ${far}, 0 ${fillers}`;

  const call = async (method: string, path: string, json?: object) => {
    const answer = await account.send(method, `/api/2${path}`, { headers, ...(json && { json }) });
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const families: Family[] = [];
  const signIn = async (of: string, client: RegisteredClient, email: string, parameters = {}) => {
    const query = await signInForCode(account, client, { email }, parameters);
    const tokens = await redeem(account, client, query.get('code') ?? '');
    families.push({ of, client, refreshToken: tokens.refresh_token, accessToken: tokens.access_token });
  };
  const idOf = async (email: string) =>
    Number((await ask(url, `select id from users where email = '${email}'`))[0]?.['id']);

  const ofUser = await registerClient(account);
  const user = await account.makeUser(ofUser.app_id);
  const userId = await idOf(user.email);
  await execute(url, grants(ofUser.app_id, userId));
  await signIn('a removed user', ofUser, user.email);

  const app = await registerClient(account);
  await execute(url, grants(app.app_id, 'id'));
  await signIn('a removed app', app, (await account.makeUser(app.app_id)).email);

  const byRole = async (of: string) => {
    const client = await registerClient(account);
    const members = 'insert into role_users (account_id, role_id, user_id, assigned_at)';
    const member = await account.makeUser();
    const { id } = await call('POST', '/roles', { name: `${of} ${round}`, apps: [client.app_id] });
    await execute(url, `${members} select ${accountId}, ${id}, id, 0 ${fillers}`);
    await execute(url, grants(client.app_id, 'id'));
    await call('POST', `/roles/${id}/users`, [await idOf(member.email)]);
    await signIn(of, client, member.email);
    return { id, appId: client.app_id };
  };
  const role = await byRole('a removed role');
  const emptied = await byRole('a role that lost its app');

  const forApi = async (of: string) => {
    const client = await registerClient(account);
    const resource = `https://api.example.com/${client.app_id}`;
    const configuration = { resource_identifier: resource };
    const { id } = await call('POST', '/api_authorizations', { name: of, configuration });
    await call('POST', `/api_authorizations/${id}/clients`, { app_id: client.app_id, scopes: [] });
    await execute(url, grants(client.app_id, 'id', id));
    await signIn(of, client, (await account.makeUser(client.app_id)).email, { resource });
    return { id, appId: client.app_id };
  };
  const api = await forApi('a removed API');
  const unlinked = await forApi('an API that its app was unlinked from');

  const field = { name: `Field ${round}`, shortname: `field_${round}` };
  const attribute = await call('POST', '/users/custom_attributes', { user_field: field });
  const values = 'user_attributes (account_id, attribute_id, user_id, value)';
  await execute(url, `insert into ${values} select ${accountId}, ${attribute.id}, id, 'value' ${fillers}`);
  for (const family of families) {
    const { client, accessToken: token } = family;
    const { headers: own, form } = clientAuthentication(client);
    const { body } = await account.send('POST', '/oauth2/introspect', { headers: own, form: { ...form, token } });
    if (body.active !== true) throw new Error(`a token of ${family.of} never worked`);
  }
  return {
    families,
    removals: [
      () => call('DELETE', `/users/${userId}`),
      () => call('DELETE', `/apps/${app.app_id}`),
      () => call('DELETE', `/roles/${role.id}`),
      () => call('PUT', `/roles/${emptied.id}`, { apps: [] }),
      () => call('DELETE', `/api_authorizations/${api.id}`),
      () => call('DELETE', `/api_authorizations/${unlinked.id}/clients/${unlinked.appId}`),
      () => call('DELETE', `/users/custom_attributes/${attribute.id}`),
    ],
    left: [
      `users where id = ${userId}`,
      `grants where user_id = ${userId}`,
      `clients where app_id = ${app.app_id}`,
      `grants where app_id = ${app.app_id}`,
      `roles where id = ${role.id}`,
      `role_users where role_id = ${role.id}`,
      `authorization_servers where id = ${api.id}`,
      `grants where app_id in (${[role, emptied, api, unlinked].map(({ appId }) => appId)}) and revoked_at is null`,
      `custom_attributes where id = ${attribute.id}`,
      `user_attributes where attribute_id = ${attribute.id}`,
    ],
  };
}
