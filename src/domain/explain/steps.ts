/** What an explanation is made of. */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { displayName } from '../clients/represent-metadata.ts';
import type { RunServices } from '../hooks/one-run.ts';
import { isOwnPages } from '../login/own-pages.ts';
import { fullName } from '../users/names.ts';

export type ExplainServices = RunServices & Pick<Services, 'clientDocuments' | 'signer'>;

export type Method = 'password' | 'passkey' | 'sso' | 'device' | 'delegated' | 'password_grant' | 'refresh';

export interface Question {
  readonly method: Method;
  /** Null: the account pages, or no app at all for `delegated`. */
  readonly clientId: string | null;
  /** The address that the sign-in would come from; null: unknown. */
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly redirectUri: string | null;
  readonly scope: string | null;
}

export type StepName =
  | 'client'
  | 'request'
  | 'clock'
  | 'attempts'
  | 'credential'
  | 'user'
  | 'access'
  | 'session'
  | 'grant'
  | 'hooks'
  | 'policy'
  | 'second_factor'
  | 'password_age'
  | 'consent';

export type Cause =
  | 'account_pages'
  | 'client_found'
  | 'client_unknown'
  | 'client_expired'
  | 'client_document_unusable'
  | 'client_document_unavailable'
  | 'grant_type_not_allowed'
  | 'request_valid'
  | 'redirect_uri_missing'
  | 'redirect_uri_differs'
  | 'request_invalid'
  | 'clock_not_seen'
  | 'clock_differs'
  | 'attempts_open'
  | 'attempts_paused'
  | 'source_limited'
  | 'credential_there'
  | 'no_password'
  | 'no_passkey'
  | 'user_active'
  | 'user_locked'
  | 'user_suspended'
  | 'user_inactive'
  | 'access_direct'
  | 'access_by_role'
  | 'access_open'
  | 'access_not_assigned'
  | 'session_there'
  | 'no_session'
  | 'session_not_enough'
  | 'grant_there'
  | 'no_grant'
  | 'no_hook'
  | 'hooks_passed'
  | 'hook_refused'
  | 'hook_timed_out'
  | 'hook_failed'
  | 'policy_of_user'
  | 'policy_of_app'
  | 'policy_of_role'
  | 'policy_of_account'
  | 'policy_of_hook'
  | 'no_second_factor_demanded'
  | 'second_factor_shown'
  | 'second_factor_due'
  | 'second_factor_closed'
  | 'second_factor_missing'
  | 'password_current'
  | 'new_password_due'
  | 'consent_given'
  | 'consent_needed'
  | 'consent_withdrawn'
  | 'consent_each_time'
  | 'refused_before';

/** A change that would turn a step; the surface says which operation makes it. */
export type Remedy =
  | { readonly by: 'unlock_user' | 'activate_user' | 'invite_user' | 'register_factor' }
  | { readonly by: 'assign_app'; readonly appId: number }
  | { readonly by: 'set_redirect_uri'; readonly appId: number; readonly uris: readonly string[] }
  | { readonly by: 'release_policy'; readonly of: 'user' }
  | { readonly by: 'release_policy'; readonly of: 'app'; readonly id: number }
  | { readonly by: 'change_policy'; readonly policyId: number; readonly rule: 'otp_required' | 'expiration' }
  | { readonly by: 'disable_hook'; readonly uuid: string }
  | { readonly by: 'create_app' };

export interface Step {
  readonly step: StepName;
  readonly outcome: 'passes' | 'asks' | 'refuses' | 'skipped' | 'unknown';
  readonly cause: Cause;
  readonly message: string;
  readonly remedy: Remedy | null;
}

export interface Explanation {
  readonly outcome: 'passes' | 'asks' | 'refuses' | 'unknown';
  /** Of the step that decides: the first that refuses, else that is unknown, else that asks; null: all pass. */
  readonly cause: Cause | null;
  readonly steps: readonly Step[];
}

/** What all steps know. */
export interface Known {
  readonly account: Account;
  readonly user: UserRecord;
  readonly client: ClientRecord;
  readonly question: Question;
}

const make =
  (outcome: Step['outcome']) =>
  (step: StepName, cause: Cause, message: string, remedy: Remedy | null = null): Step => ({
    step,
    outcome,
    cause,
    message,
    remedy,
  });

export const passes = make('passes');
export const asks = make('asks');
export const refuses = make('refuses');
export const skipped = make('skipped');
export const unknown = make('unknown');

/** The user's name in messages. */
export function named(user: UserRecord): string {
  return user.email ?? user.username ?? (fullName(user) || `user ${user.id}`);
}

export function namedApp(client: ClientRecord): string {
  return isOwnPages(client) ? 'the account pages' : `${displayName(client)} (app ${client.appId})`;
}

export function conclude(steps: readonly Step[]): Explanation {
  for (const outcome of ['refuses', 'unknown', 'asks'] as const) {
    const decisive = steps.find((step) => step.outcome === outcome);
    if (decisive) return { outcome, cause: decisive.cause, steps };
  }
  return { outcome: 'passes', cause: null, steps };
}

export function isRefused(steps: readonly Step[]): boolean {
  return steps.some(({ outcome }) => outcome === 'refuses');
}
