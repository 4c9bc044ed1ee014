import type { Addresses, Services } from '../../services.ts';
import type { AccountRecord } from '../../store/accounts.ts';
import type { StoreVerbs } from '../../store/store.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import type { GenerateKeyPair } from '../keys/key-pairs.ts';
import { addFirstKeys, keyAlgorithms, prepareKey } from '../keys/signing-keys.ts';
import { requireRole } from '../roles/full-role.ts';
import { readText } from '../text.ts';
import { requireTexts } from '../users/attribute-texts.ts';
import type { Account } from './account.ts';
import { checkSubdomain, normalizeHost, readBaseUrl, readHost, subdomainOf } from './hosts.ts';
import { type AccountSettings, changeSettings, parseSettings } from './settings.ts';

type AccountServices = Pick<Services, 'store' | 'addresses'>;
type ChangeServices = AccountServices & Pick<Services, 'clock' | 'vault'>;

interface NewAccount {
  readonly subdomain: string;
  /** Shown on the hosted pages; default: the subdomain. */
  readonly name?: string | undefined;
  /** Extra hosts the account answers on. */
  readonly hosts?: readonly string[] | undefined;
  /** Only where it is not `<scheme>://<subdomain>.<service domain>`. */
  readonly baseUrl?: string | undefined;
}

const known = new WeakMap<AccountRecord, { readonly account: Account; readonly addresses: Addresses }>();

/** Resolves a stored account; cached per record. */
export function accountOf(record: AccountRecord, addresses: Addresses): Account {
  const kept = known.get(record);
  if (kept?.addresses === addresses) return kept.account;
  const account = readAccount(record, addresses);
  known.set(record, { account, addresses });
  return account;
}

function readAccount(record: AccountRecord, addresses: Addresses): Account {
  const host = normalizeHost(addresses, `${record.subdomain}.${addresses.serviceDomain}`);
  return {
    id: record.id,
    subdomain: record.subdomain,
    name: record.name,
    baseUrl: record.baseUrl ?? `${addresses.publicScheme}://${host}`,
    hosts: record.hosts,
    settings: parseSettings(record.settings),
    record,
  };
}

/**
 * Creates an account with its data key and its first signing keys. Throws `value_invalid` for a bad name or host,
 * `conflict` (name `subdomain` or `host`) when another account has it.
 */
export async function createAccount(
  services: ChangeServices & { readonly generateKeyPair?: GenerateKeyPair },
  given: NewAccount,
): Promise<Account> {
  const { store, clock, vault, addresses } = services;
  const subdomain = checkSubdomain(given.subdomain);
  const name = readText('name', given.name ?? subdomain, 100);
  const hosts = [...new Set((given.hosts ?? []).map((host) => readHost(addresses, host)))];
  const baseUrl = given.baseUrl === undefined ? null : readBaseUrl(given.baseUrl);
  const sealedKey = vault.newAccountKey(subdomain);
  const { signingKeyBits } = parseSettings({});
  const keys = await Promise.all(
    keyAlgorithms.map((alg) => prepareKey(services, { subdomain, sealedKey }, alg, signingKeyBits)),
  );
  const now = clock.now();
  const record = await store.transaction(async (tx) => {
    const created = await tx.accounts.create({
      subdomain,
      name,
      hosts,
      baseUrl,
      sealedKey,
      settings: {},
      createdAt: now,
    });
    await addFirstKeys(tx, created.id, keys, now);
    const target = { type: 'account', id: created.id } as const;
    await recordEvent(
      tx,
      services,
      { id: created.id, record: created },
      { action: 'account.created', target, detail: {} },
    );
    return created;
  });
  return accountOf(record, addresses);
}

export async function listAccounts({ store, addresses }: AccountServices): Promise<Account[]> {
  return (await store.accounts.list()).map((record) => accountOf(record, addresses));
}

/** The account with this subdomain; throws `not_found`. */
export async function requireAccount({ store, addresses }: AccountServices, subdomain: string): Promise<Account> {
  const record = await store.accounts.findBySubdomain(subdomain);
  if (!record) throw unknownAccount(subdomain);
  return accountOf(record, addresses);
}

/** The settings that name roles. */
const rolesBySetting: Readonly<Record<string, (settings: AccountSettings) => readonly string[]>> = {
  registration_roles: ({ registrationRoles }) => registrationRoles,
  open_registration_roles: ({ openRegistrationRoles }) => openRegistrationRoles,
  client_id_metadata_roles: ({ documentRoles }) => documentRoles,
  hook_migration_roles: ({ hookMigrationRoles }) => hookMigrationRoles,
};

/**
 * Changes settings; an empty value restores the default. Throws `value_invalid`, and `not_found` for account or role.
 */
export async function setAccount(
  services: ChangeServices,
  subdomain: string,
  changes: Readonly<Record<string, string>>,
): Promise<Account> {
  return services.store.transaction(async (tx) => {
    const record = await lockedAccount(tx, subdomain);
    const settings = changeSettings(record.settings, changes);
    const parsed = parseSettings(settings);
    const { claimsMapping } = parsed;
    const roles = Object.entries(rolesBySetting).flatMap(([name, read]) => (name in changes ? read(parsed) : []));
    for (const role of roles) await requireRole(tx, record, role);
    if ('claims_mapping' in changes) await requireTexts(tx, record, claimsMapping.values());
    const changed = await tx.accounts.update(record.id, { settings });
    await recordChange(tx, services, record, Object.keys(changes));
    return accountOf(changed ?? record, services.addresses);
  });
}

/** Read while nobody else writes it: settings are stored together, and another writer's must not be lost. */
async function lockedAccount(tx: StoreVerbs, subdomain: string): Promise<AccountRecord> {
  const found = await tx.accounts.findBySubdomain(subdomain);
  if (!found) throw unknownAccount(subdomain);
  await tx.resources.findLocked(found.id, 'setting', '');
  return (await tx.accounts.find(found.id)) ?? found;
}

/** Replaces an account's base URL and extra hosts. */
export async function moveAccount(
  services: ChangeServices,
  account: Account,
  given: { readonly hosts: readonly string[]; readonly baseUrl: string },
): Promise<Account> {
  const { store, addresses } = services;
  const hosts = given.hosts.map((host) => readHost(addresses, host));
  const baseUrl = readBaseUrl(given.baseUrl);
  return store.transaction(async (tx) => {
    const changed = await tx.accounts.update(account.id, { hosts, baseUrl });
    if (!changed) throw unknownAccount(account.subdomain);
    await recordChange(tx, services, changed, ['hosts', 'base_url']);
    return accountOf(changed, addresses);
  });
}

function recordChange(
  tx: StoreVerbs,
  services: ChangeServices,
  record: AccountRecord,
  fields: readonly string[],
): Promise<void> {
  const target = { type: 'account', id: record.id } as const;
  return recordEvent(
    tx,
    services,
    { id: record.id, record },
    { action: 'account.changed', target, detail: { fields } },
  );
}

/** The account that a Host header names, by its subdomain or an extra host; null when there is none. */
export async function findAccountByHost({ store, addresses }: AccountServices, host: string): Promise<Account | null> {
  const name = normalizeHost(addresses, host);
  const subdomain = subdomainOf(addresses, name);
  const record =
    subdomain === null ? await store.accounts.findByHost(name) : await store.accounts.findBySubdomain(subdomain);
  return record ? accountOf(record, addresses) : null;
}

export function unknownAccount(subdomain: string): Failure {
  return new Failure('not_found', { name: 'account', message: `there is no account ${subdomain}` });
}

/** Whether this service serves a host, with or without a port: below its domain, or as an extra host of an account. */
export async function isServiceHost({ store, addresses }: AccountServices, host: string): Promise<boolean> {
  const domain = addresses.serviceDomain.replace(/:\d+$/, '');
  const name = host.replace(/:\d+$/, '');
  if (name === domain || name.endsWith(`.${domain}`)) return true;
  return (await store.accounts.findByHost(normalizeHost(addresses, host))) !== null;
}
