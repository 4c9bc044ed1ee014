/** What single kinds of requests need of the seeded account, beside its clients and users. */

import type { Account } from '../../src/domain/accounts/account.ts';
import { linkClient } from '../../src/domain/authorization-servers/links.ts';
import { addScope } from '../../src/domain/authorization-servers/scopes.ts';
import { createServer } from '../../src/domain/authorization-servers/servers.ts';
import { issueCredentialToken } from '../../src/domain/callers/credential-tokens.ts';
import { createCredential } from '../../src/domain/callers/credentials.ts';
import { createHook } from '../../src/domain/hooks/hooks.ts';
import { startSession } from '../../src/domain/opening/openers/session.ts';
import { effectivePolicy } from '../../src/domain/policies/effective-policy.ts';
import type { Services } from '../../src/services.ts';
import type { ClientRecord } from '../../src/store/clients.ts';
import type { UserRecord } from '../../src/store/users.ts';
import { scope } from './peer.ts';
import { signIn } from './seeding.ts';

export interface SeededOthers {
  /** Of the usual client. */
  readonly dpopTokens: readonly string[];
  /** A client that gets signed access tokens for an API. */
  readonly api: {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly refreshTokens: readonly string[];
  };
  /** Cookies of browsers in which users are signed in who have consented to the usual client. */
  readonly sessions: readonly string[];
  /** Bearer of the management API that may read and change users. */
  readonly managementToken: string;
  readonly userIds: readonly string[];
}

interface Registered {
  readonly client: ClientRecord;
  readonly clientSecret: string | null;
}

interface Given {
  readonly app: Registered;
  readonly api: Registered;
  readonly users: readonly UserRecord[];
  /** Users with a password, who sign in to the usual client. */
  readonly delegated: readonly UserRecord[];
}

/** Of each kind, if there are as many. */
const fewUsers = 256;
/** Users of single kinds of requests have numbers of their own. */
const firstNumber = 5_000_000;

export async function seedOthers(
  services: Services,
  account: Account,
  { app, api, users, delegated }: Given,
): Promise<SeededOthers> {
  const few = users.slice(0, fewUsers);
  const linked = await linkToApi(services, account, api.client);
  const apiClient = await services.store.clients.findByApp(account.id, api.client.appId);
  const tokensOf = (client: ClientRecord, first: number, at: typeof linked | null) =>
    services.store.transaction(async (tx) => {
      const tokens: string[] = [];
      for (const place of few.keys()) {
        const { started } = await signIn(services, tx, account, client, first + place, at);
        tokens.push(started.refreshToken ?? '');
      }
      return tokens;
    });
  await admit(services, account, app.client, delegated);
  return {
    dpopTokens: await tokensOf(app.client, firstNumber, null),
    api: {
      clientId: api.client.clientId,
      clientSecret: api.clientSecret ?? '',
      refreshTokens: await tokensOf(apiClient ?? api.client, firstNumber + fewUsers, linked),
    },
    sessions: await openSessions(services, account, app.client, few),
    managementToken: await issueManagementToken(services, account),
    userIds: users.map(({ id }) => String(id)),
  };
}

/** An API with one scope, which the client may have. */
async function linkToApi(services: Services, account: Account, { appId }: ClientRecord) {
  const named = { name: 'Orders', resourceIdentifier: 'https://api.example.com/orders' };
  const server = await createServer(services, account, named);
  const added = await addScope(services, account, server.id, { value: 'orders' });
  await linkClient(services, account, server.id, appId, [added.id]);
  const [linked] = await services.store.authorizationServers.ofClient(account.id, appId);
  if (!linked) throw new Error('the client was not linked');
  return linked;
}

/** Gives users access to a client, and their consent. */
async function admit(
  { store, clock }: Services,
  { id }: Account,
  { appId }: ClientRecord,
  users: readonly UserRecord[],
) {
  await store.transaction(async (tx) => {
    for (const user of users) {
      await tx.access.grant(id, appId, { userId: user.id }, clock.now());
      await tx.authorizations.saveConsent(id, user.id, appId, scope.split(' '), clock.now());
    }
  });
}

/** A function that lets everybody in. */
export async function addHook(services: Services, account: Account): Promise<void> {
  const source = 'exports.handler = async ({ user }) => ({ user });';
  await createHook(services, account, { type: 'pre-authentication', function: Buffer.from(source).toString('base64') });
}

/** A session for each of the users, who allow the client what it asks for. */
async function openSessions(
  services: Services,
  account: Account,
  client: ClientRecord,
  users: readonly UserRecord[],
): Promise<string[]> {
  const now = services.clock.now();
  const signedIn = { amr: ['pwd'], authenticatedAt: now };
  return services.store.transaction(async (tx) => {
    const secrets: string[] = [];
    for (const user of users) {
      const policy = await effectivePolicy({ store: tx }, account, user, client);
      await tx.authorizations.saveConsent(account.id, user.id, client.appId, scope.split(' '), now);
      secrets.push((await startSession(services, tx, account, user, policy, signedIn, undefined)).secret);
    }
    return secrets;
  });
}

async function issueManagementToken(services: Services, account: Account): Promise<string> {
  const { clientId } = await createCredential(services, account, ['read_users', 'manage_users']);
  const credential = await services.store.callers.findCredential(account.id, clientId);
  if (!credential) throw new Error('the credential was not stored');
  return (await issueCredentialToken(services, account, credential)).accessToken;
}
