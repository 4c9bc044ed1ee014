/**
 * `npm run conformance -- --account <subdomain>`: makes the account of a certification run, or sets it again, and
 * answers what to enter into the OpenID Foundation's conformance suite. docs/certify.md leads through the run.
 */

import type { Account } from '../../src/domain/accounts/account.ts';
import { createAccount, listAccounts, setAccount } from '../../src/domain/accounts/accounts.ts';
import { issueCredentialToken } from '../../src/domain/callers/credential-tokens.ts';
import { createCredential, listCredentials } from '../../src/domain/callers/credentials.ts';
import { Failure } from '../../src/domain/failure.ts';
import { requireRoleIds } from '../../src/domain/roles/full-role.ts';
import { createRole } from '../../src/domain/roles/write-role.ts';
import { listUsers } from '../../src/domain/users/users.ts';
import { createUser, updateUser } from '../../src/domain/users/write-user.ts';
import type { Services } from '../../src/services.ts';
import { makeCertificates } from './certificates.ts';
import { mapClaims, person } from './person.ts';
import { fapiPlans } from './plans.ts';
import { fapiConfiguration, openIdConfiguration, type Suite } from './suite.ts';

const role = 'Everyone';
const email = 'user@example.com';

/** By them clients can be used as soon as they are registered, and the plans find what they ask for in discovery. */
const settings = {
  registration: 'open',
  registration_roles: role,
  open_registration_roles: role,
  open_registration_consent: 'remembered',
  'grant.implicit': 'on',
  id_token_claims: 'minimal',
  'limit.register': 'off',
  'limit.register-open': 'off',
} as const;

type Configuration = ReturnType<typeof openIdConfiguration> | Awaited<ReturnType<typeof fapiConfiguration>>;

/**
 * `mutualTls`: where the proxy asks for certificates; null: nowhere. Throws `value_invalid` for what is no such address,
 * and for an account that has other people: it would be open to everybody who registers a client.
 */
export async function certify(services: Services, subdomain: string, suite: Suite, mutualTls: string | null) {
  const account = await setUp(services, subdomain, mutualTls);
  const password = services.random.bytes(18).toString('base64url');
  await setUser(services, account, password);
  const caller = await registrar(services, account);
  const { accessToken, expiresInSeconds } = await issueCredentialToken(services, account, caller.actor);
  const certificates = mutualTls === null ? [] : await makeCertificates(services.clock.now());
  const registering = { caller, suite, certificates };
  const configurations: Record<string, Configuration> = { openid: openIdConfiguration(account, email, accessToken) };
  for (const plan of fapiPlans(mutualTls !== null)) {
    configurations[plan.id] = await fapiConfiguration(services, account, registering, plan);
  }
  return {
    issuer: account.baseUrl,
    user: { email, password },
    initial_access_token: accessToken,
    expires_in: expiresInSeconds,
    configurations,
  };
}

async function setUp(services: Services, subdomain: string, mutualTls: string | null): Promise<Account> {
  const found = (await listAccounts(services)).find((one) => one.subdomain === subdomain);
  const account = found ?? (await createAccount(services, { subdomain, name: 'Conformance' }));
  if ((await listUsers(services, account)).some((user) => user.email !== email)) {
    const message = `the account ${subdomain} has people in it, and the run would open it to everybody; name another one`;
    throw new Failure('value_invalid', { name: 'account', message });
  }
  const present = await services.store.roles.findByName(account.id, role);
  if (!present) await createRole(services, account, { name: role });
  await mapClaims(services, account);
  // The suite makes certificates of its own kind, so the proxy cannot know who signed them.
  const accepted = { mutual_tls: mutualTls === null ? 'off' : 'any', mutual_tls_origin: mutualTls ?? '' };
  return setAccount(services, subdomain, { ...settings, ...accepted });
}

/** The person who signs in; in another run with another password. */
async function setUser(services: Services, account: Account, password: string): Promise<void> {
  const roleIds = await requireRoleIds(services.store, account, [role]);
  const input = { ...person, email, password, roleIds, validatePolicy: true, authority: 'all' } as const;
  const [user] = await listUsers(services, account);
  if (user) await updateUser(services, account, user.id, input);
  else await createUser(services, account, input);
}

/** Who registers clients with a token. */
async function registrar(services: Services, account: Account) {
  const isRegistrar = ({ scopes }: { readonly scopes: readonly string[] }) => scopes.includes('register_clients');
  const found = (await listCredentials(services, account)).find(isRegistrar);
  const { id, clientId, scopes } = found ?? (await createCredential(services, account, ['register_clients']));
  const actor = { type: 'credential', id } as const;
  return { accountId: account.id, actor, limitedBy: { credential: clientId }, scopes };
}
