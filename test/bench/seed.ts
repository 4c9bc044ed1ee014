/**
 * Fills the database that the environment names with an account without limits, a client and signed-in users, as the
 * service itself would, and writes what callers need to know of it into a file.
 *
 *     node test/bench/seed.ts <file> <users>             each made by the service's own verbs
 *     node test/bench/seed.ts <file> <users> multiplied  one made so, and copied (SQLite only)
 *     node test/bench/seed.ts <file> <users> hooked      with a hook that runs at each sign-in
 */
import { writeFileSync } from 'node:fs';
import { withServices } from '../../src/cli/session.ts';
import { readConfig } from '../../src/config.ts';
import type { Account } from '../../src/domain/accounts/account.ts';
import { createApiKey } from '../../src/domain/callers/api-keys.ts';
import { issueCredentialToken } from '../../src/domain/callers/credential-tokens.ts';
import { createCredential } from '../../src/domain/callers/credentials.ts';
import { registerClient } from '../../src/domain/clients/register.ts';
import type { RegistrationRequest } from '../../src/domain/clients/registration-request.ts';
import type { Services } from '../../src/services.ts';
import type { UserRecord } from '../../src/store/users.ts';
import { multiplyUsers } from './multiply-users.ts';
import { benchPassword } from './peer.ts';
import { addHook, type SeededOthers, seedOthers } from './seed-others.ts';
import { makeAccount, signIn } from './seeding.ts';

export type SeededAs = 'usual' | 'multiplied' | 'hooked';

/** What a caller of the seeded account knows. */
export interface Seeded {
  readonly host: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshTokens: readonly string[];
  readonly accessTokens: readonly string[];
  /** Bearer for registrations. */
  readonly registrationToken: string;
  /** A client that has a secret and no users: it asks about the tokens of others. */
  readonly gatewayId: string;
  readonly gatewaySecret: string;
  /** A client whose id tokens are signed with ES256. */
  readonly es256: Pick<Seeded, 'clientId' | 'clientSecret' | 'refreshTokens'>;
  readonly apiKey: string;
  /** Users with `benchPassword`. */
  readonly delegates: readonly string[];
  /** What single kinds of requests need. */
  readonly others: SeededOthers;
}

/** As many as virtual clients at once, and more. */
const delegates = 128;

/** Users of the client with ES256, if the others are as many. */
const es256Users = 256;

/** A bearer for registrations, and the clients registered with it. */
async function registerAll(services: Services, account: Account) {
  const { clientId, scopes } = await createCredential(services, account, ['register_clients']);
  const credential = await services.store.callers.findCredential(account.id, clientId);
  if (!credential) throw new Error('the credential was not stored');
  const token = await issueCredentialToken(services, account, credential);
  const caller = {
    accountId: account.id,
    actor: { type: 'credential', id: credential.id },
    limitedBy: { credential: clientId },
    scopes,
  } as const;
  const register = (name: string, more: RegistrationRequest = {}) =>
    registerClient(
      services,
      account,
      { caller, source: '127.0.0.1', openAllowed: false },
      {
        client_name: name,
        redirect_uris: ['https://app.example.com/callback'],
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
        ...more,
      },
      { nameRequired: true, redirectUrisRequired: true, defaultGrantTypes: [], defaultResponseTypes: [] },
    );
  return {
    registrationToken: token.accessToken,
    app: await register('Bench App'),
    gateway: await register('Gateway'),
    es256: await register('ES256 App', { id_token_signed_response_alg: 'ES256' }),
    api: await register('API App'),
  };
}

/** Users with a password that is really theirs; one digest for all, for it takes long. */
async function addDelegates({ store, clock, passwords }: Services, account: Account): Promise<readonly UserRecord[]> {
  const passwordDigest = await passwords.digest(benchPassword, { accountId: account.id, source: 'bench' });
  const now = clock.now();
  return store.transaction(async (tx) => {
    const emails = Array.from({ length: delegates }, (_, number) => `delegate${number}@example.com`);
    const standing = { status: 1, passwordDigest, invalidLoginAttempts: 0, lockedUntil: null } as const;
    const times = { lastLogin: null, passwordChangedAt: now, activatedAt: now, createdAt: now, updatedAt: now };
    const users = emails.map((email) => ({
      ...{ accountId: account.id, email, emailKey: email, username: null, usernameKey: null },
      ...{ firstname: 'Ada', lastname: 'Lovelace', ...standing, ...times },
    }));
    return tx.users.createAll(users);
  });
}

async function seed(services: Services, users: number, how: SeededAs): Promise<Seeded> {
  const multiplied = how === 'multiplied';
  const account = await makeAccount(services);
  const { app, gateway, es256, api, registrationToken } = await registerAll(services, account);
  const signedIn = await services.store.transaction(async (tx) => {
    const made: Awaited<ReturnType<typeof signIn>>[] = [];
    for (let number = 1; number <= (multiplied ? 1 : users); number += 1) {
      made.push(await signIn(services, tx, account, app.client, number));
    }
    return made;
  });
  const others = await services.store.transaction(async (tx) => {
    const tokens: string[] = [];
    for (let number = 1; number <= (multiplied ? 0 : Math.min(es256Users, users)); number += 1) {
      const { started } = await signIn(services, tx, account, es256.client, users + number);
      tokens.push(started.refreshToken ?? '');
    }
    return tokens;
  });
  // Before others get rows: those of the copies follow the one that they are copied from.
  const refreshTokens = multiplied
    ? multiplyUsers(services, account, readConfig().databaseUrl, users)
    : signedIn.map(({ started }) => started.refreshToken ?? '');
  const delegated = await addDelegates(services, account);
  if (how === 'hooked') await addHook(services, account);
  return {
    host: new URL(account.baseUrl).host,
    clientId: app.client.clientId,
    clientSecret: app.clientSecret ?? '',
    refreshTokens,
    accessTokens: await Promise.all(signedIn.map(({ started, user }) => started.accessToken(user))),
    registrationToken,
    gatewayId: gateway.client.clientId,
    gatewaySecret: gateway.clientSecret ?? '',
    es256: { clientId: es256.client.clientId, clientSecret: es256.clientSecret ?? '', refreshTokens: others },
    apiKey: (await createApiKey(services, account, 'bench')).apiKey,
    delegates: delegated.map(({ email }) => email ?? ''),
    others: await seedOthers(services, account, { app, api, users: signedIn.map(({ user }) => user), delegated }),
  };
}

const [file = '', users = '0', how = 'usual'] = process.argv.slice(2);
const seeded = await withServices((services) => seed(services, Number(users), how as SeededAs));
writeFileSync(file, JSON.stringify(seeded), { mode: 0o600 });
