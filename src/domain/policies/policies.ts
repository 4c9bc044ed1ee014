import type { Services } from '../../services.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { setFields } from '../audit/events.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { readText } from '../text.ts';
import { type PolicyRules, policyDefaults, readRules } from './rules.ts';

type PolicyServices = Pick<Services, 'store' | 'clock' | 'vault'>;
type Owner = Pick<Account, 'id' | 'record'>;

export interface NewPolicy extends Partial<PolicyRules> {
  readonly name: string;
  /** True: becomes the account's default and replaces the former one. */
  readonly isDefault?: boolean;
}

/**
 * Creates a policy; missing rules have their defaults. Throws `value_invalid` for a rule out of its range, `conflict`
 * (name `name`) when the account has one of this name.
 */
export async function createPolicy(services: PolicyServices, account: Owner, policy: NewPolicy): Promise<PolicyRecord> {
  const { name, isDefault = false, ...given } = policy;
  const rules = { ...policyDefaults, ...readRules(given) };
  const now = services.clock.now();
  const made = { accountId: account.id, name: readText('name', name), ...rules, createdAt: now, updatedAt: now };
  return services.store.transaction(async (tx) => {
    if (isDefault) await endDefault(tx, account, now);
    const created = await tx.policies.create({ ...made, isDefault });
    const target = { type: 'policy', id: created.id } as const;
    const detail = { fields: setFields(policy) };
    await recordEvent(tx, services, account, { action: 'policy.created', target, detail });
    return created;
  });
}

/**
 * Changes the given members. They take effect at the next sign-in. Throws as `createPolicy` does, `not_found` for an
 * unknown policy, and `value_invalid` (name `is_default`) when the account would be left without a default.
 */
export async function changePolicy(
  services: PolicyServices,
  account: Owner,
  policyId: number,
  members: Partial<NewPolicy>,
): Promise<PolicyRecord> {
  const { name, isDefault, ...given } = members;
  const rules = readRules(given);
  const named = name === undefined ? {} : { name: readText('name', name) };
  const now = services.clock.now();
  return services.store.transaction(async (tx) => {
    const policy = await requirePolicy(tx, account, policyId);
    if (policy.isDefault && isDefault === false) {
      const message = 'is_default cannot be cleared: make another policy the default instead';
      throw new Failure('value_invalid', { name: 'is_default', message });
    }
    const promoted = isDefault === true && !policy.isDefault;
    if (promoted) await endDefault(tx, account, now);
    const changes = { ...rules, ...named, ...(promoted && { isDefault }), updatedAt: now };
    const changed = await tx.policies.update(account.id, policyId, changes);
    if (!changed) throw unknownPolicy(policyId);
    const target = { type: 'policy', id: policyId } as const;
    const detail = { fields: setFields(members) };
    await recordEvent(tx, services, account, { action: 'policy.changed', target, detail });
    return changed;
  });
}

/** Removes a policy. Throws `not_found`, and `conflict` (name `policy`) for the default and for one that is in use. */
export async function removePolicy(services: PolicyServices, account: Owner, policyId: number): Promise<void> {
  await services.store.transaction(async (tx) => {
    const { isDefault } = await requirePolicy(tx, account, policyId);
    if (isDefault) {
      throw new Failure('conflict', { name: 'policy', message: 'The default policy cannot be deleted' });
    }
    await tx.policies.remove(account.id, policyId);
    const target = { type: 'policy', id: policyId } as const;
    await recordEvent(tx, services, account, { action: 'policy.removed', target, detail: {} });
  });
}

/** The policy with this id; throws `not_found`. */
export async function requirePolicy(
  store: Pick<StoreVerbs, 'policies'>,
  account: Pick<Account, 'id'>,
  policyId: number,
): Promise<PolicyRecord> {
  const policy = await store.policies.find(account.id, policyId);
  if (!policy) throw unknownPolicy(policyId);
  return policy;
}

/** The id of the policy with this name, null for null; throws `not_found`. */
export async function findPolicyId(
  store: Pick<StoreVerbs, 'policies'>,
  account: Pick<Account, 'id'>,
  name: string | null,
): Promise<number | null> {
  if (name === null) return null;
  const found = (await store.policies.list(account.id)).find((policy) => policy.name === name);
  if (!found) throw new Failure('not_found', { name: 'policy', message: `there is no policy ${name}` });
  return found.id;
}

/** Throws `value_invalid` (name `policy_id`) when the account has no such policy. */
export async function requireFollowed(
  tx: Pick<StoreVerbs, 'policies'>,
  account: Pick<Account, 'id'>,
  { policyId }: { readonly policyId?: number | null },
): Promise<void> {
  if (policyId == null || (await tx.policies.find(account.id, policyId))) return;
  const message = `unknown policy in policy_id: ${policyId}`;
  throw new Failure('value_invalid', { name: 'policy_id', message });
}

async function endDefault(tx: StoreVerbs, account: Pick<Account, 'id'>, now: number): Promise<void> {
  const former = (await tx.policies.list(account.id)).find(({ isDefault }) => isDefault);
  if (former) await tx.policies.update(account.id, former.id, { isDefault: false, updatedAt: now });
}

function unknownPolicy(policyId: number): Failure {
  return new Failure('not_found', { name: 'policy', message: `there is no policy ${policyId}` });
}
