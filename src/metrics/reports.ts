/** What the parts of the program report to, each in its own words. */

import type { PasswordReport } from '../adapters/hash-places.ts';
import { deprecatedSurfaces } from '../domain/accounts/surface-settings.ts';
import type { ClearingReport } from '../domain/clearing.ts';
import type { PurgeReport } from '../domain/expired-rows.ts';
import type { Failure } from '../domain/failure.ts';
import { rotationSteps } from '../domain/keys/rotation-step.ts';
import { keyAlgorithms } from '../domain/keys/signing-keys.ts';
import type { RoundsReport } from '../domain/limit-portions/rounds.ts';
import type { LimitReport } from '../domain/limits.ts';
import type { Mailer } from '../domain/mail.ts';
import type { RoundReport } from '../housekeeping-round.ts';
import type { Meters } from './meters.ts';
import { refusedReasonOf } from './outcomes.ts';

/** Receives each request when it has ended; the names are those of the contracts. */
export interface RequestReport {
  ended(request: {
    readonly surface: string;
    readonly operation: string;
    readonly status: number;
    /** Whether the answer was sent whole. */
    readonly isWhole: boolean;
    readonly milliseconds: number;
    readonly failure: Failure | null;
    /** Whether the caller showed a valid API key. */
    readonly byApiKey: boolean;
  }): void;
}

/** The status of a failure says more than that nobody waited for it; that of a success would not be true. */
function statusOf(status: number, isWhole: boolean): string {
  return isWhole || status >= 400 ? String(status) : 'aborted';
}

export function requestReport(meters: Meters): RequestReport {
  return {
    ended: ({ surface, operation, status, isWhole, milliseconds, failure, byApiKey }) => {
      const labels = { surface, operation, status: statusOf(status, isWhole) };
      meters.observe('gatehouse_request_seconds', labels, milliseconds / 1000);
      if (failure?.code === 'authorization_request_invalid') {
        const reason = refusedReasonOf(failure.detail.reason);
        meters.count('gatehouse_refused_authorizations_total', { reason });
      }
      const deprecated = byApiKey && deprecatedSurfaces.find((one) => one === surface);
      if (deprecated) meters.count('gatehouse_deprecated_calls_total', { surface: deprecated });
    },
  };
}

export function purgeReport(meters: Meters): PurgeReport {
  return {
    deleted: (table, rows) => meters.count('gatehouse_expired_rows_deleted_total', { table }, rows),
    overdue: (table, milliseconds) =>
      meters.set('gatehouse_expired_rows_overdue_seconds', { table }, milliseconds / 1000),
  };
}

export function clearingReport(meters: Meters): ClearingReport {
  return {
    cleared: (kind, rows) => meters.count('gatehouse_removed_rows_cleared_total', { kind }, rows),
    waiting: (count, milliseconds) => {
      meters.set('gatehouse_removals_waiting', {}, count);
      meters.set('gatehouse_removals_oldest_seconds', {}, milliseconds / 1000);
    },
  };
}

export function passwordReport(meters: Meters): PasswordReport {
  return {
    waiting: (change) => meters.change('gatehouse_password_queue_waiting', {}, change),
    waited: (milliseconds) => meters.observe('gatehouse_password_queue_seconds', {}, milliseconds / 1000),
    refused: () => meters.count('gatehouse_password_queue_refused_total', {}),
    hashed: (milliseconds) => meters.observe('gatehouse_password_hash_seconds', {}, milliseconds / 1000),
  };
}

export function limitReport(meters: Meters): LimitReport {
  return { refused: (limit) => meters.count('gatehouse_limit_refusals_total', { limit }) };
}

export function limitRoundsReport(meters: Meters): RoundsReport {
  return { told: (outcome) => meters.count('gatehouse_limit_batches_total', { outcome }) };
}

export function roundReport(meters: Meters): RoundReport {
  return {
    keys: (accounts) => {
      for (const algorithm of keyAlgorithms) {
        for (const step of rotationSteps) {
          meters.set('gatehouse_signing_keys', { algorithm, step }, accounts.get(`${algorithm} ${step}`) ?? 0);
        }
      }
    },
    unverified: (milliseconds) => meters.set('gatehouse_audit_unverified_seconds', {}, milliseconds / 1000),
    messages: (queue, count, overdueMilliseconds) => {
      meters.set('gatehouse_messages_waiting', { queue }, count);
      meters.set('gatehouse_messages_overdue_seconds', { queue }, overdueMilliseconds / 1000);
    },
  };
}

export function meterMailer({ send }: Mailer, meters: Meters): Mailer {
  return {
    send: async (mail) => {
      const startedAt = performance.now();
      let outcome: 'sent' | 'failed' = 'failed';
      try {
        await send(mail);
        outcome = 'sent';
      } finally {
        meters.observe('gatehouse_mail_seconds', { outcome }, (performance.now() - startedAt) / 1000);
      }
    },
  };
}
