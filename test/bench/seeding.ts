/** What the seeded accounts of the bench have in common. */

import type { Account } from '../../src/domain/accounts/account.ts';
import { createAccount, setAccount } from '../../src/domain/accounts/accounts.ts';
import { limitSettings } from '../../src/domain/accounts/limit-settings.ts';
import { startGrant } from '../../src/domain/opening/openers/grant.ts';
import { scopesOf } from '../../src/domain/tokens/scopes.ts';
import type { Services } from '../../src/services.ts';
import type { LinkedServer } from '../../src/store/authorization-servers.ts';
import type { ClientRecord } from '../../src/store/clients.ts';
import { single } from '../../src/store/knex/single.ts';
import type { StoreVerbs } from '../../src/store/store.ts';
import { benchUser, scope } from './peer.ts';

const accountName = 'bench';

/** An account without limits. */
export async function makeAccount(
  services: Services,
  settings: Readonly<Record<string, string>> = {},
): Promise<Account> {
  await createAccount(services, { subdomain: accountName });
  const off = Object.keys(limitSettings).map((name) => [name, 'off']);
  return setAccount(services, accountName, { ...Object.fromEntries(off), ...settings });
}

/** Creates an active user signed in to the app, at the API too that it is linked to; returns the tokens. */
export async function signIn(
  services: Services,
  tx: StoreVerbs,
  account: Account,
  client: ClientRecord,
  number: number,
  linked: LinkedServer | null = null,
) {
  const now = services.clock.now();
  const named = benchUser(number);
  const user = await single(tx.users.createAll)({
    accountId: account.id,
    ...named,
    emailKey: named.email,
    username: null,
    usernameKey: null,
    status: 1,
    // Nobody signs in with it; as long as a real one.
    passwordDigest: '-'.repeat(97),
    invalidLoginAttempts: 0,
    lockedUntil: null,
    lastLogin: now,
    passwordChangedAt: now,
    activatedAt: now,
    createdAt: now,
    updatedAt: now,
  });
  await tx.access.grant(account.id, client.appId, { userId: user.id }, now);
  const started = await startGrant(
    services,
    tx,
    account,
    client,
    termsOf(services, user.id, linked),
    linked,
    'authorization_code',
  );
  return { user, started };
}

/** What a user grants at a sign-in. */
export function termsOf(services: Services, userId: number, linked: LinkedServer | null = null) {
  const servers = linked ? [linked] : [];
  return {
    userId,
    serverId: null,
    servers: async () => servers,
    scope: [...scope.split(' '), ...scopesOf(servers)],
    sid: services.random.bytes(16).toString('base64url'),
    nonce: null,
    amr: ['pwd'],
    authenticatedAt: services.clock.now(),
  };
}
