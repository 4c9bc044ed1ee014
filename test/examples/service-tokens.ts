/** An example's API behind the running service: with its metadata, its tokens, and its introspection. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { basic } from '../support/basic.ts';
import { freePort, type Service, startService } from '../support/process.ts';
import { type RunningAccount, runningAccount } from '../support/running-account.ts';
import { type Program, startApi } from './resource-cases.ts';

const scopes = ['orders:read', 'orders:write'];

interface Pair {
  readonly id: string;
  readonly secret: string;
}

export async function checkAtService(program: Program): Promise<void> {
  const service = await startService({ database: 'sqlite', demo: true });
  const account = runningAccount(service, 'demo', `localhost:${service.port}`);
  try {
    await check(program, service, account);
  } finally {
    account.close();
    await service.installation.dispose();
  }
}

async function check(program: Program, service: Service, account: RunningAccount): Promise<void> {
  const port = await freePort();
  const resource = `http://localhost:${port}/orders`;
  const { id, client } = await prepare(service, account, resource);
  const GATEHOUSE_METADATA = `http://localhost:${service.port}/oauth2/resource_metadata/${id}`;
  const asking = { GATEHOUSE_CLIENT_ID: client.id, GATEHOUSE_CLIENT_SECRET: client.secret };
  for (const env of [{ GATEHOUSE_METADATA }, { GATEHOUSE_METADATA, ...asking }]) {
    const api = await startApi(program, port, env);
    try {
      const status = async (scope: string, method: string) => {
        const token = await tokenOf(account, client, resource, scope);
        return (await fetch(`${api.base}/orders`, { method, headers: { authorization: `Bearer ${token}` } })).status;
      };
      assert.equal(await status('orders:read', 'GET'), 200);
      assert.equal(await status('orders:read', 'POST'), 403);
      assert.equal(await status('orders:read orders:write', 'POST'), 201);
    } finally {
      await api.close();
    }
  }
}

async function prepare({ folder }: Service, account: RunningAccount, resource: string) {
  const { credential } = JSON.parse(readFileSync(join(folder, 'data/demo.json'), 'utf8'));
  const form = { grant_type: 'client_credentials', ...credential };
  const { body: issued } = await account.send('POST', '/auth/oauth2/v2/token', { form });
  const headers = { authorization: `Bearer ${issued.access_token}` };
  const manage = async (path: string, json: unknown) => (await account.send('POST', path, { headers, json })).body;
  const servers = '/api/2/api_authorizations';
  const configuration = { resource_identifier: resource, resource_metadata: true };
  const { id } = await manage(servers, { name: 'Orders', configuration });
  const ids: number[] = [];
  for (const value of scopes) ids.push((await manage(`${servers}/${id}/scopes`, { value })).id);
  const registered = await manage('/oauth2/register', {
    client_name: 'A program',
    grant_types: ['client_credentials'],
    response_types: [],
  });
  await manage(`${servers}/${id}/clients`, { app_id: registered.app_id, scopes: ids });
  return { id, client: { id: registered.client_id, secret: registered.client_secret } };
}

async function tokenOf(account: RunningAccount, { id, secret }: Pair, resource: string, scope: string) {
  const form = { grant_type: 'client_credentials', resource, scope };
  const { status, body, text } = await account.send('POST', '/oauth2/token', { headers: basic(id, secret), form });
  assert.equal(status, 200, text);
  return body.access_token;
}
