/** Mapping between columns and fields of the trail. */

import type { AccountCountRecord, DailyCountRecord } from '../counts.ts';
import type { EventRecord } from '../events.ts';
import { shape } from './shape.ts';

export const events = shape<EventRecord>('events', null, {
  accountId: 'account_id',
  id: 'id',
  at: 'at',
  action: 'action',
  outcome: 'outcome',
  actorType: 'actor_type',
  actorId: 'actor_id',
  targetType: 'target_type',
  targetId: 'target_id',
  source: 'source',
  requestId: 'request_id',
  detail: 'detail',
  hash: 'hash',
});

export const dailyCounts = shape<DailyCountRecord>('daily_counts', null, {
  accountId: 'account_id',
  day: 'day',
  kind: 'kind',
  subjectId: 'subject_id',
  count: 'count',
  lastAt: 'last_at',
});

export const accountCounts = shape<AccountCountRecord>('account_counts', null, {
  accountId: 'account_id',
  day: 'day',
  kind: 'kind',
  count: 'count',
  expiresAt: 'expires_at',
});
