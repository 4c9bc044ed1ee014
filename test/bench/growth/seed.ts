/**
 * Fills the database that the environment names with an account of so many users and all that they have, and writes
 * what callers need to know of it into a file. Tells of its steps on standard error.
 *
 *     node test/bench/growth/seed.ts <file> <users>
 */
import { writeFileSync } from 'node:fs';
import { withServices } from '../../../src/cli/session.ts';
import type { Account } from '../../../src/domain/accounts/account.ts';
import { createAccount, setAccount } from '../../../src/domain/accounts/accounts.ts';
import { limitSettings } from '../../../src/domain/accounts/limit-settings.ts';
import { createApiKey } from '../../../src/domain/callers/api-keys.ts';
import { issueCredentialToken } from '../../../src/domain/callers/credential-tokens.ts';
import { createCredential } from '../../../src/domain/callers/credentials.ts';
import { addRoleMembers, createRole } from '../../../src/domain/roles/write-role.ts';
import type { Services } from '../../../src/services.ts';
import { basicAuthorization } from '../servers.ts';
import { makeMany } from './batches.ts';
import { type Filled, fillAccount, giveGrant, makeApp } from './fill.ts';
import { type Sizes, sizesOf } from './sizes.ts';

/** What is known of the account. */
export interface Grown extends Filled {
  readonly sizes: Sizes;
  readonly accountId: number;
  readonly host: string;
  /** `Authorization` of an administrator. */
  readonly bearer: string;
  /** The client that is refreshed meanwhile, and a refresh token of each of its users. */
  readonly beside: { readonly authorization: string; readonly tokens: readonly string[] };
  readonly credential: { readonly clientId: string; readonly clientSecret: string };
  readonly apiKey: string;
}

const subdomain = 'growth';
/** For ten seconds of refreshes, however long an answer takes. */
const usersBeside = 1_000;

async function makeBeside(services: Services, account: Account, userIds: readonly number[]): Promise<Grown['beside']> {
  const { app, clientSecret } = await makeApp(services, account, 'Beside');
  const { id: role } = await createRole(services, account, { name: 'Beside', apps: [app.appId] });
  await addRoleMembers(services, account, role, 'users', userIds);
  const tokens = await makeMany(services, userIds.length, (joined, number) =>
    giveGrant(joined, account, app, userIds[number] as number),
  );
  return { authorization: basicAuthorization(app.clientId, clientSecret ?? ''), tokens };
}

async function seed(services: Services, users: number): Promise<Grown> {
  await createAccount(services, { subdomain });
  const off = Object.keys(limitSettings).map((name) => [name, 'off']);
  const account = await setAccount(services, subdomain, Object.fromEntries([...off, ['grant.password', 'on']]));
  const sizes = sizesOf(users);
  const startedAt = performance.now();
  const filled = await fillAccount(services, account, sizes, (step) => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    process.stderr.write(`        ${services.store.kind}: ${step} after ${seconds} s\n`);
  });
  const credential = await createCredential(services, account, ['manage_all']);
  const stored = await services.store.callers.findCredential(account.id, credential.clientId);
  if (!stored) throw new Error('the credential was not stored');
  const { accessToken } = await issueCredentialToken(services, account, stored);
  const beside = await makeBeside(services, account, filled.userIds.slice(0, usersBeside));
  // What a server does every hour.
  await services.store.refreshStatistics();
  return {
    ...filled,
    sizes,
    accountId: account.id,
    host: new URL(account.baseUrl).host,
    bearer: `Bearer ${accessToken}`,
    beside,
    credential: { clientId: credential.clientId, clientSecret: credential.clientSecret },
    apiKey: (await createApiKey(services, account, 'growth')).apiKey,
  };
}

const [file = '', users = '0'] = process.argv.slice(2);
writeFileSync(file, JSON.stringify(await withServices((services) => seed(services, Number(users)))), { mode: 0o600 });
