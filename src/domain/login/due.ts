/** What a sign-in still requires: the same steps in the same order, however it began and wherever it ends. */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { StoreVerbs } from '../../store/store.ts';
import { type UserRecord, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { isConsole } from '../clients/console-client.ts';
import type { Failure } from '../failure.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { type Demand, findDemand } from '../second-factor/demand.ts';
import { mustReplacePassword } from '../users/set-password.ts';
import type { OpenRequest } from './authorization-request.ts';
import { isMultiFactor, isOfLink, passwordMethods } from './methods.ts';
import { type AccessVerb, afterReplacing, findStandingFailure } from './standing.ts';

/** What a sign-in is for, and what has been decided about it so far. */
export interface Way {
  readonly client: ClientRecord;
  /** The policy that a hook chose for this sign-in; null: none. */
  readonly hookPolicyId: number | null;
  /** The application itself requires a second factor (`acr_values`). */
  readonly wantsSecondFactor: boolean;
  /** The API authorization server that was asked for; null or absent: none. */
  readonly serverId?: number | null;
}

/** The next thing that a sign-in requires. */
export type Due =
  | { readonly due: 'refused'; readonly failure: Failure }
  /** `policy`: the policy in force for the sign-in. */
  | { readonly due: 'nothing' | 'second_factor' | 'enrolment'; readonly policy: PolicyRecord }
  /** `policy`: the policy that the new password must satisfy. */
  | { readonly due: 'new_password'; readonly policy: PolicyRecord };

interface DueServices {
  readonly store: Pick<StoreVerbs, 'policies' | AccessVerb | 'secondFactors'>;
  readonly clock: Services['clock'];
}

/** The `Way` of a sign-in for a request. */
export function wayOf({ record, client }: OpenRequest, { id }: Pick<UserRecord, 'id'>): Way {
  const { hookPolicyId, hookPolicyUserId, parameters } = record;
  return {
    client,
    hookPolicyId: hookPolicyUserId === id ? hookPolicyId : null,
    wantsSecondFactor: parameters.secondFactor === true,
    serverId: parameters.serverId,
  };
}

/** Checks standing and access, then the second factor, then password expiry, for a user who has used these methods. */
export async function findDue(
  services: DueServices,
  account: Account,
  way: Way,
  user: UserRecord,
  methods: readonly string[],
): Promise<Due> {
  const failure = await findStandingFailure(services.store, account, afterReplacing(user), way.client);
  if (failure) return { due: 'refused', failure };
  const policy = await policyOfSignIn(services, account, way, user);
  // The user's own policy is in force unless a hook or the app chose another.
  const isOwn = way.hookPolicyId === null && way.client.policyId === null;
  const own = isOwn ? policy : await effectivePolicy(services, account, user, null);
  // An old password matters only if it was used; a password that was marked as expired always matters.
  const isUsed = methods.some((method) => passwordMethods.includes(method));
  const mustReplace = isUsed
    ? mustReplacePassword(user, own, services.clock.now())
    : user.status === userStatuses.passwordExpired;
  if (!isMultiFactor(methods)) {
    const demand = await demandOf(services, account, way, user, policy, mustReplace || isOfLink(methods));
    if (demand !== 'none') return { due: stepOf(demand), policy };
  }
  return mustReplace ? { due: 'new_password', policy: own } : { due: 'nothing', policy };
}

/**
 * The policy in force for a sign-in: the one that a hook chose, else the one in force in the app. A policy that was
 * removed meanwhile does not count. `ofApp`: the latter, which the caller may have read.
 */
async function policyOfSignIn(
  { store }: Pick<DueServices, 'store'>,
  account: Account,
  { client, hookPolicyId }: Way,
  user: Pick<UserRecord, 'id'>,
  ofApp?: () => Promise<PolicyRecord>,
): Promise<PolicyRecord> {
  if (hookPolicyId !== null) {
    const chosen = (await store.policies.list(account.id)).find(({ id }) => id === hookPolicyId);
    if (chosen) return chosen;
  }
  return ofApp?.() ?? effectivePolicy({ store }, account, user, client);
}

/** Whether a second factor is required beside the policy: by the application, or by the account for its console. */
function isFactorAsked({ settings }: Account, { client, wantsSecondFactor }: Way): boolean {
  return wantsSecondFactor || (isConsole(client) && settings.administratorSecondFactor);
}

/**
 * What a sign-in requires beyond the first factor, by its policy and by the application's request. `anyFactor`: a user
 * who has a factor of any kind is asked for it. A link only proves access to the mailbox, and a password is replaced
 * only with all that its user has, as on the account pages.
 */
async function demandOf(
  services: Pick<DueServices, 'store'>,
  account: Account,
  way: Way,
  { id }: UserRecord,
  policy: PolicyRecord,
  anyFactor: boolean,
): Promise<Demand> {
  const otpRequired = policy.otpRequired || isFactorAsked(account, way);
  const demand = await findDemand(services, account, id, { otpRequired: otpRequired || anyFactor });
  return demand === 'enrol' && !otpRequired ? 'none' : demand;
}

/**
 * How a session can get the second factor that it lacks for an application; null: it lacks nothing. `ofApp`: the policy
 * in force in the app, which the caller may have read.
 */
export async function lacksSecondFactor(
  services: Pick<DueServices, 'store'>,
  account: Account,
  way: Way,
  user: UserRecord,
  methods: readonly string[],
  ofApp?: () => Promise<PolicyRecord>,
): Promise<'second_factor' | 'enrolment' | null> {
  if (isMultiFactor(methods)) return null;
  const { otpRequired } = await policyOfSignIn(services, account, way, user, ofApp);
  // A user who enrolled since is asked at the next sign-in, not here.
  if (!otpRequired && !isFactorAsked(account, way)) return null;
  const demand = await findDemand(services, account, user.id, { otpRequired: true });
  return demand === 'verify' ? 'second_factor' : 'enrolment';
}

function stepOf(demand: Exclude<Demand, 'none'>): 'second_factor' | 'enrolment' {
  switch (demand) {
    case 'verify':
      return 'second_factor';
    case 'enrol':
      return 'enrolment';
  }
}
