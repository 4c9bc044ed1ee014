import type { Services } from '../../services.ts';
import type { ClientRecord, NewClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { newEvent, recordEvent } from '../audit/record.ts';
import type { Caller } from '../callers/caller.ts';
import { Failure } from '../failure.ts';
import { networkSourceOf } from '../network-source.ts';
import { digestOf, newSecret, secretPrefixes } from '../secrets.ts';
import { newClientId } from './client-id.ts';
import { hasSecret } from './client-methods.ts';
import { invalid } from './extra-metadata.ts';
import type { ClientMetadata, RegistrationRules } from './metadata.ts';
import { readProfiledMetadata } from './profiled-registration.ts';
import type { RegistrationRequest } from './registration-request.ts';
import { withSector } from './sector.ts';

/**
 * Who registers: a caller with a bearer token that permits it, or anyone at an address if the account's registration is
 * open.
 */
interface Registrant {
  readonly caller: Caller | null;
  readonly source: string;
  /** Whether this endpoint lets anyone register if the account's registration is open. */
  readonly openAllowed: boolean;
  /** Of the account's registration roles those that get access; undefined: all of them. Callers alone can say less. */
  readonly roles?: readonly string[] | undefined;
}

export interface Registration {
  readonly client: ClientRecord;
  /** Shown once; null for clients without a secret. */
  readonly clientSecret: string | null;
  /** The client manages its registration with it; null where it gets none. */
  readonly registrationToken: string | null;
}

/**
 * Registers a client and creates its app, to which access must be assigned (the document's §1.2), unless the account's
 * settings name roles that get it. Throws `registration_closed`, `caller_unauthenticated`, `rate_limited`,
 * `redirect_uri_invalid`, `client_metadata_invalid`.
 */
export async function registerClient(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'limits' | 'vault' | 'egress'>,
  account: Account,
  registrant: Registrant,
  request: RegistrationRequest,
  rules: RegistrationRules,
): Promise<Registration> {
  await admit(services, account, registrant);
  const registeredBy = registrant.caller ? 'token' : 'open';
  const read = readProfiledMetadata(request, rules, {
    registeredBy,
    linkedServers: 0,
    ...account.settings,
  });
  const roles = rolesOf(account, registrant);
  const metadata = await withSector(services, account, read, { registeredBy });
  const made = newClient(services, account, metadata, registeredBy);
  const registrationToken = rules.standard ? newSecret(services.random, secretPrefixes.registrationToken) : null;
  const registrationTokenDigest = registrationToken && digestOf(registrationToken);
  const client = await create(services, account, roles, { ...made.client, registrationTokenDigest });
  return { client, clientSecret: made.clientSecret, registrationToken };
}

/** A client with its identifier and, if its method has one, its secret; not stored yet. */
export function newClient(
  { clock, random }: Pick<Services, 'clock' | 'random'>,
  account: Pick<Account, 'id'>,
  metadata: ClientMetadata,
  registeredBy: ClientRecord['registeredBy'],
): { readonly client: NewClientRecord; readonly clientSecret: string | null } {
  const clientSecret = hasSecret(metadata.authMethod) ? newSecret(random, secretPrefixes.clientSecret) : null;
  const client = {
    ...metadata,
    accountId: account.id,
    clientId: newClientId({ clock, random }),
    secretDigest: clientSecret && digestOf(clientSecret),
    policyId: null,
    registeredBy,
    createdAt: clock.now(),
  };
  return { client, clientSecret };
}

/** Names of the roles whose users may use the new app. */
function rolesOf({ settings }: Account, { caller, roles }: Registrant): readonly string[] {
  if (!caller) return settings.openRegistrationRoles;
  const offered = settings.registrationRoles;
  const unknown = roles?.findIndex((name) => !offered.includes(name)) ?? -1;
  if (unknown >= 0) throw invalid(`registration_roles[${unknown}]`, "must be one of the account's registration_roles");
  return roles ? offered.filter((name) => roles.includes(name)) : offered;
}

/** The app is assigned to the roles in the same transaction. */
async function create(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  roles: readonly string[],
  client: NewClientRecord,
): Promise<ClientRecord> {
  const origin = currentAuditContext();
  const about = (appId: number) => ({
    // In open registration the client itself is the actor.
    ...(client.registeredBy === 'open' && { actor: { type: 'client', id: appId } as const }),
    target: { type: 'app', id: appId } as const,
  });
  const eventOf = (appId: number) => {
    const detail = { registered_by: client.registeredBy };
    return newEvent(services, account, { ...about(appId), action: 'app.registered', detail }, origin);
  };
  if (roles.length === 0) return services.store.clients.register({ client, eventOf });
  return services.store.transaction(async (tx) => {
    const created = await tx.clients.create(client);
    const { appId, createdAt } = created;
    await tx.events.append(eventOf(appId));
    for (const name of roles) {
      const role = await tx.roles.findByName(account.id, name);
      if (!role || !(await tx.access.grant(account.id, appId, { roleId: role.id }, createdAt))) continue;
      const detail = { role_id: role.id };
      await recordEvent(tx, services, account, { ...about(appId), action: 'access.granted', detail });
    }
    return created;
  });
}

async function admit(services: Pick<Services, 'limits'>, account: Account, registrant: Registrant): Promise<void> {
  const { registration } = account.settings;
  if (registration === 'closed') throw new Failure('registration_closed');
  if (registrant.caller) {
    await services.limits.take(account, 'register', registrant.caller.limitedBy);
  } else if (registration === 'open' && registrant.openAllowed) {
    await services.limits.take(account, 'register-open', { source: networkSourceOf(registrant.source) });
  } else {
    throw new Failure('caller_unauthenticated');
  }
}
