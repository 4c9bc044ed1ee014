/** The only way in which roles are created, changed and removed. */

import type { Services } from '../../services.ts';
import type { RoleLink, RoleRecord } from '../../store/roles.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { type AuditEvent, setFields } from '../audit/events.ts';
import { recordEvent } from '../audit/record.ts';
import { endUnassigned } from '../endings/end-app.ts';
import { requireFollowed } from '../policies/policies.ts';
import { readText } from '../text.ts';
import { unknownRole } from './full-role.ts';
import { addLinks, type LinkVerb, removeLinks } from './links.ts';

/** Undefined members stay as they are; null empties a list. */
interface RoleInput extends Partial<Readonly<Record<RoleLink, readonly number[] | null | undefined>>> {
  readonly name?: string | undefined;
}

type AccountId = Pick<Account, 'id'>;
type Audited = Pick<Account, 'id' | 'record'>;
type RoleServices = Pick<Services, 'store' | 'clock' | 'vault'>;

const linkNames = ['apps', 'users', 'admins'] as const satisfies readonly RoleLink[];

/** Throws `conflict` with name `name`, and `value_invalid` for a bad name or an unknown reference. */
export function createRole(
  services: RoleServices,
  account: Audited,
  input: RoleInput & { readonly name: string },
): Promise<RoleRecord> {
  const name = readText('name', input.name);
  const now = services.clock.now();
  return services.store.transaction(async (tx) => {
    const role = await tx.roles.create({ accountId: account.id, name, createdAt: now });
    const target = { type: 'role', id: role.id } as const;
    await recordEvent(tx, services, account, { action: 'role.created', target, detail: { fields: setFields(input) } });
    for (const link of linkNames) await addLinks(services, tx, account, role.id, link, input[link] ?? [], now);
    return role;
  });
}

/**
 * Changes the given members. A user who loses an app with its last role loses the grants for it. Throws as `createRole`
 * does, and `not_found`.
 */
export async function updateRole(
  services: RoleServices,
  account: Audited,
  id: number,
  input: RoleInput,
): Promise<void> {
  const name = input.name === undefined ? undefined : readText('name', input.name);
  const now = services.clock.now();
  await changing(services, account, id, async (tx) => {
    if (name !== undefined) await tx.roles.rename(account.id, id, name);
    // Grants that survive through a new app or user must not end in between, so all links are added first.
    const lost: Record<RoleLink, readonly number[]> = { apps: [], users: [], admins: [] };
    for (const link of linkNames) {
      const wanted = input[link];
      if (wanted !== undefined) lost[link] = await setLinks(services, tx, account, id, link, wanted ?? [], now);
    }
    const ofUsers = await endUnassigned(tx, account, { userIds: lost.users }, now);
    const ended = ofUsers + (await endUnassigned(tx, account, { appIds: lost.apps }, now));
    return { action: 'role.changed', detail: { fields: setFields(input), grants_revoked: ended } };
  });
}

/** Sets the policy that the role names; null for none. Throws `not_found`, and `value_invalid` for an unknown policy. */
export async function setRolePolicy(
  services: RoleServices,
  account: Audited,
  id: number,
  policyId: number | null,
): Promise<void> {
  await changing(services, account, id, async (tx) => {
    await requireFollowed(tx, account, { policyId });
    await tx.policies.assign(account.id, { roleId: id }, policyId);
    return { action: 'policy.assigned', detail: { policy_id: policyId } };
  });
}

/** Removes the role, and the grants for apps that only it gave. Throws `not_found`. */
export async function removeRole(services: RoleServices, account: Audited, id: number): Promise<void> {
  await services.store.transaction(async (tx) => {
    const ended = await tx.roles.remove(account.id, id, services.clock.now());
    if (ended === null) throw unknownRole();
    const detail = { grants_revoked: ended };
    await recordEvent(tx, services, account, { action: 'role.removed', target: { type: 'role', id }, detail });
  });
}

/** Idempotent. Throws `not_found`, and `value_invalid` for an unknown id. */
export async function addRoleMembers(
  services: RoleServices,
  account: Audited,
  id: number,
  link: 'users' | 'admins',
  userIds: readonly number[],
): Promise<void> {
  await changing(services, account, id, async (tx) => {
    await addLinks(services, tx, account, id, link, userIds, services.clock.now());
    return { action: 'role.members_added', detail: { link, user_ids: userIds } };
  });
}

/** Removes the members among the given users, and the grants of those who thereby lose an app. Throws `not_found`. */
export async function removeRoleMembers(
  services: RoleServices,
  account: Audited,
  id: number,
  link: 'users' | 'admins',
  userIds: readonly number[],
): Promise<void> {
  await changing(services, account, id, async (tx) => {
    const removed = await removeLinks(services, tx, account, id, link, userIds);
    const lost = link === 'users' ? removed : [];
    const ended = await endUnassigned(tx, account, { userIds: lost }, services.clock.now());
    return { action: 'role.members_removed', detail: { link, user_ids: userIds, grants_revoked: ended } };
  });
}

type RoleEvent = Extract<AuditEvent, { action: `role.${'changed' | `members_${string}`}` | 'policy.assigned' }>;
type Told<Event> = Event extends RoleEvent ? Pick<Event, 'action' | 'detail'> : never;

/** Changes a role that exists and cannot be removed until the change is committed; records the change. */
async function changing(
  services: RoleServices,
  account: Audited,
  id: number,
  change: (tx: StoreVerbs) => Promise<Told<RoleEvent>>,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    if (!(await tx.roles.lock(account.id, id))) throw unknownRole();
    const told = await change(tx);
    await recordEvent(tx, services, account, { ...told, target: { type: 'role', id } });
  });
}

async function linkedTo(
  tx: Pick<StoreVerbs, 'roles'>,
  account: AccountId,
  id: number,
  link: RoleLink,
): Promise<readonly number[]> {
  return (await tx.roles.linked(account.id, link, [id])).get(id) ?? [];
}

/** Returns the ids that were linked before and no longer are. */
async function setLinks(
  services: RoleServices,
  tx: Pick<StoreVerbs, LinkVerb>,
  account: Audited,
  id: number,
  link: RoleLink,
  ids: readonly number[],
  now: Milliseconds,
): Promise<readonly number[]> {
  const wanted = new Set(ids);
  const surplus = (await linkedTo(tx, account, id, link)).filter((one) => !wanted.has(one));
  await addLinks(services, tx, account, id, link, ids, now);
  return removeLinks(services, tx, account, id, link, surplus);
}
