/**
 * Every metric that Gatehouse itself has. `docs/operations.md` shows them as a table (`node scripts/settings-table.ts`).
 * Labels take values from lists in the program and its contracts, never from a request: their number is bounded.
 */

import { limitNames } from '../domain/accounts/limit-settings.ts';
import { deprecatedSurfaces } from '../domain/accounts/surface-settings.ts';
import { signInMethods, signInOutcomes } from '../domain/audit/sign-ins.ts';
import { rotationSteps } from '../domain/keys/rotation-step.ts';
import { keyAlgorithms } from '../domain/keys/signing-keys.ts';
import type { PolicyLimit } from '../domain/limits.ts';
import { messageQueues } from '../store/messages.ts';
import { expiringTables, sweptTables } from '../store/purge.ts';
import { removalKinds } from '../store/removals.ts';
import { connectionPools, connectionStates } from '../store/usage.ts';
import type { Meter } from './meters.ts';
import { hookOutcomes, type RefreshOutcome, refusedReasons } from './outcomes.ts';

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** From a flush of the disk to the time limit of a statement. */
const storeBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** From a free place to what no browser waits for. */
const queueBuckets = [0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** From one request to a full batch (src/domain/gather.ts). */
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];

const refreshOutcomes = [
  'rotated',
  'repeated',
  'reused',
  'unknown',
  'other_client',
  'expired',
  'revoked',
  'proof_used',
  'scope_exceeded',
  'user_locked',
  'user_suspended',
  'user_inactive',
  'access_not_assigned',
  'unavailable',
] as const satisfies readonly RefreshOutcome[];

const batches = ['refresh', 'access_token', 'registration', 'pushed_request'] as const;

const limits = [...limitNames, 'migration' satisfies PolicyLimit['name']] as const;

const batchOutcomes = ['stored', 'failed'] as const;

export const catalogue = {
  gatehouse_request_seconds: {
    type: 'histogram',
    labels: {
      surface: { told: 'a surface, or `none`' },
      operation: { told: 'an operation of its contract, or `none`' },
      status: {
        told: 'the status of the answer, or `aborted` where it was below 400 and the answer was not sent whole',
      },
    },
    buckets: requestBuckets,
    meaning: 'time from the request line to the end of the answer',
  },
  gatehouse_refused_authorizations_total: {
    type: 'counter',
    labels: { reason: refusedReasons },
    meaning:
      'authorization requests without a usable client or redirect URI; `sign_in_ended` once the sign-in had begun',
  },
  gatehouse_refreshes_total: {
    type: 'counter',
    labels: { outcome: refreshOutcomes },
    meaning:
      'refresh tokens that the store judged. `rotated` and `repeated` gave tokens, `reused` ended a family, the others ' +
      'are the reasons of refusals. What is no refresh token of the account, or comes without its client, is not judged',
  },
  gatehouse_sign_ins_total: {
    type: 'counter',
    labels: { outcome: signInOutcomes, method: signInMethods },
    meaning:
      'sign-ins, by the events of the trail. `refused` is after a right first factor, `wrong_second_factor` also counts ' +
      'codes that were checked for a caller of the API; the method of the latter, and of what a hook ends, is `unknown`',
  },
  gatehouse_password_queue_waiting: {
    type: 'gauge',
    labels: {},
    meaning: 'attempts that wait for a place to have a password checked; at most 64 and the number of threads',
  },
  gatehouse_password_queue_refused_total: {
    type: 'counter',
    labels: {},
    meaning: 'attempts that were turned away because too many waited (503)',
  },
  gatehouse_password_queue_seconds: {
    type: 'histogram',
    labels: {},
    buckets: queueBuckets,
    meaning: 'how long attempts waited for their place, those that were turned away included',
  },
  gatehouse_password_hash_seconds: {
    type: 'histogram',
    labels: {},
    buckets: queueBuckets,
    meaning: 'time of one digest on its thread',
  },
  gatehouse_hook_run_seconds: {
    type: 'histogram',
    labels: { outcome: hookOutcomes },
    buckets: queueBuckets,
    meaning: 'time of each run of a hook in a sign-in, retries included; drafts and test runs are not counted',
  },
  gatehouse_mail_seconds: {
    type: 'histogram',
    labels: { outcome: ['sent', 'failed'] },
    buckets: queueBuckets,
    meaning: 'time until the mail server accepted a message or the attempt failed',
  },
  gatehouse_messages_waiting: {
    type: 'gauge',
    labels: { queue: messageQueues },
    meaning: 'messages of all accounts that are not delivered yet, at most 10,000; read once a minute',
  },
  gatehouse_messages_overdue_seconds: {
    type: 'gauge',
    labels: { queue: messageQueues },
    meaning: 'for how long the oldest of them that is due has been waiting; 0 when none is due. Read once a minute',
  },
  gatehouse_audit_unverified_seconds: {
    type: 'gauge',
    labels: {},
    meaning:
      'the longest time since the trail of an account was verified (`gatehouse audit verify`), or since the account was ' +
      'made where it never was; 100 accounts are read each minute, and it is set when all of them were',
  },
  gatehouse_signing_keys: {
    type: 'gauge',
    labels: { algorithm: keyAlgorithms, step: rotationSteps },
    meaning:
      'accounts by the step of the rotation of their keys: `signing` (one key), `published` (the next one is announced), ' +
      '`replaced` (the former one still verifies), `overdue` (90 days without a successor), `missing`. Read as the above',
  },
  gatehouse_database_connections: {
    type: 'gauge',
    labels: { pool: connectionPools, state: connectionStates },
    meaning:
      'connections of this process in use and free, and calls that wait for one; `reading` is for lists, searches and ' +
      'exports (threads on SQLite)',
  },
  gatehouse_database_batch_items: {
    type: 'histogram',
    labels: { batch: batches },
    buckets: batchBuckets,
    meaning: 'requests that shared one commit',
  },
  gatehouse_database_batch_seconds: {
    type: 'histogram',
    labels: { batch: batches },
    buckets: storeBuckets,
    meaning: 'time of such a commit, failed ones included',
  },
  gatehouse_limit_refusals_total: {
    type: 'counter',
    labels: { limit: limits },
    meaning: 'requests that found a limit used up ("Limits"), and runs of hooks that waited for theirs in vain',
  },
  gatehouse_limit_batches_total: {
    type: 'counter',
    labels: { outcome: batchOutcomes },
    meaning: 'statements that told other nodes what this one counted of limits ("Limits across nodes"); none on SQLite',
  },
  gatehouse_deprecated_calls_total: {
    type: 'counter',
    labels: { surface: deprecatedSurfaces },
    meaning: 'calls of a deprecated surface with a valid API key',
  },
  gatehouse_expired_rows_deleted_total: {
    type: 'counter',
    labels: { table: [...expiringTables, ...sweptTables] },
    meaning: 'rows that housekeeping deleted ("What is deleted when")',
  },
  gatehouse_expired_rows_overdue_seconds: {
    type: 'gauge',
    labels: { table: [...expiringTables, ...sweptTables] },
    meaning: 'how long ago the oldest row of the table should have been deleted; 0 when none should',
  },
  gatehouse_removed_rows_cleared_total: {
    type: 'counter',
    labels: { kind: removalKinds },
    meaning: 'cleared rows that depended on something removed',
  },
  gatehouse_removals_waiting: {
    type: 'gauge',
    labels: {},
    meaning: 'removals that have rows left to clear',
  },
  gatehouse_removals_oldest_seconds: {
    type: 'gauge',
    labels: {},
    meaning: 'how long ago the oldest of them began; 0 when there is none',
  },
} as const satisfies Readonly<Record<string, Meter>>;
