/** What the hooks of a sign-in decide: nothing is stored here, and nothing is refused. */

import { randomUUID } from 'node:crypto';
import type { StoredHook } from '../../store/hooks.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { RoleRecord } from '../../store/roles.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import type { AuditEvent } from '../audit/events.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { type PolicyAnswer, readPolicyAnswer } from './answers.ts';
import { holds } from './conditions.ts';
import { preAuthenticationContext, type SigningIn } from './context.ts';
import { findFacts } from './facts.ts';
import { findLiveHooks } from './live.ts';
import { prepareHook, type RunnableHook, type RunServices } from './one-run.ts';
import type { SignInTraits } from './risk.ts';
import { type Asked, type NewExecution, type Ran, runHook } from './run-hook.ts';
import { type Shadow, tellOutcome } from './shadow.ts';
import { sourceOf } from './source.ts';

/** The combined result of all hooks of one sign-in. */
export interface Firing {
  /** The policy chosen last; null if none was chosen. */
  readonly chosen: PolicyRecord | null;
  readonly refused: 'hook refused' | 'hook failed' | null;
  readonly executions: readonly NewExecution[];
  readonly events: readonly AuditEvent[];
}

/** What the hooks decided, and what is to be done about it. */
export interface Decided extends Firing {
  /** The traits that the risk was computed from; null if no hook asked for the risk. */
  readonly traits: SignInTraits | null;
  /** Drafts that should run beside the hooks. */
  readonly shadows: readonly Shadow[];
  /** How many hooks ran. */
  readonly ran: number;
}

/** Runs the hooks of a sign-in whose first factor was right, or would be, each with the policy chosen so far. */
export async function decidePreAuthentication(
  services: RunServices,
  account: Account,
  signingIn: SigningIn,
): Promise<Decided> {
  let result: Firing = { chosen: null, refused: null, executions: [], events: [] };
  const { hooks, variables } = await findLiveHooks(services, account, 'pre-authentication');
  if (hooks.length === 0) return { ...result, traits: null, shadows: [], ran: 0 };
  const inForce = await effectivePolicy(services, account, signingIn.user, signingIn.client);
  const roles = await rolesOf(services, signingIn, hooks);
  const firing = { services, account, signingIn, correlationId: currentAuditContext().requestId ?? randomUUID() };
  const policies = await services.store.policies.list(account.id);
  let traits: SignInTraits | null = null;
  const shadows: Shadow[] = [];
  let count = 0;
  for (const stored of hooks) {
    if (!holds(stored.definition.conditions, roles)) continue;
    count += 1;
    const runnable = await prepareHook(services, account, stored, variables);
    const before = result.chosen ?? inForce;
    const facts = await findFacts(services, account, stored, signingIn);
    traits = facts.traits ?? traits;
    const asked = askedOf(firing, stored, policies, before, facts.members);
    const ran = await runHook(services, account, runnable, asked);
    shadows.push(...shadowOf(runnable, asked, ran, before.id));
    result = follow(firing, result, stored, policies, ran);
    if (result.refused) break;
  }
  return { ...result, traits, shadows, ran: count };
}

interface FiringOf {
  readonly account: Account;
  readonly signingIn: SigningIn;
  readonly correlationId: string;
}

function askedOf(
  { signingIn, correlationId }: FiringOf,
  stored: StoredHook,
  policies: readonly PolicyRecord[],
  before: PolicyRecord,
  facts: Readonly<Record<string, unknown>>,
): Asked<PolicyAnswer> {
  const ids = new Set(policies.map(({ id }) => id));
  return {
    correlationId,
    contextOf: (requestId) => preAuthenticationContext(stored, signingIn, before, { requestId, correlationId }, facts),
    read: (value) => readPolicyAnswer(value, ids),
    refuses: ({ says }) => says === 'refuse',
    runFor: signingIn,
  };
}

/** The draft that should run beside the hook, if there is one. */
function shadowOf(
  hook: RunnableHook,
  asked: Asked<PolicyAnswer>,
  { answer, outcome, executions }: Ran<PolicyAnswer>,
  policyId: number,
): readonly Shadow[] {
  const { shadowFunction } = hook.stored.hook;
  const last = executions.at(-1);
  if (shadowFunction === null || !last) return [];
  const draft = { ...hook, source: sourceOf(shadowFunction) };
  return [{ draft, asked, policyId, requestId: last.requestId, lived: tellOutcome(answer, outcome, policyId) }];
}

/** Combines one hook's answer with those before it. */
function follow(
  { account, signingIn }: FiringOf,
  so: Firing,
  { hook }: StoredHook,
  policies: readonly PolicyRecord[],
  { answer, outcome, isCrowdedOut, executions }: Ran<PolicyAnswer>,
): Firing {
  const target = { type: 'hook', id: hook.id } as const;
  const detail = { hook_id: hook.uuid, user_id: signingIn.user.id };
  const all = { ...so, executions: [...so.executions, ...executions] };
  if (answer === null) {
    const denied = isCrowdedOut || account.settings.hookFailure === 'deny';
    const failed = { ...detail, reason: outcome, sign_in: denied ? 'denied' : 'continued' } as const;
    const events: readonly AuditEvent[] = [...so.events, { action: 'hook.failed', target, detail: failed }];
    return { ...all, events, refused: denied ? 'hook failed' : null };
  }
  if (answer.says === 'refuse') {
    const events: readonly AuditEvent[] = [...so.events, { action: 'hook.sign_in_refused', target, detail }];
    return { ...all, events, refused: 'hook refused' };
  }
  const chosen = answer.says === 'choose' ? policies.find(({ id }) => id === answer.policyId) : undefined;
  if (!chosen) return all;
  const told = { ...detail, policy_id: chosen.id };
  return { ...all, chosen, events: [...so.events, { action: 'hook.policy_chosen', target, detail: told }] };
}

async function rolesOf(
  { store }: Pick<RunServices, 'store'>,
  { user }: SigningIn,
  hooks: readonly StoredHook[],
): Promise<readonly RoleRecord[]> {
  const asked = hooks.some(({ definition }) => definition.conditions.length > 0);
  return asked ? store.roles.ofUser(user.accountId, user.id) : [];
}
