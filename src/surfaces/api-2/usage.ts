import type { components, operations } from '../../../generated/api-2.ts';
import {
  type DeprecatedCalls,
  type DeprecatedOperation,
  reportDeprecatedCalls,
} from '../../domain/callers/deprecated-report.ts';
import { type AppUse, firstDay, pageOfAppUses } from '../../domain/clients/app-uses.ts';
import { Failure } from '../../domain/failure.ts';
import type { ListFilter, ListQuery } from '../../domain/listing.ts';
import { type ItemListing, pageOfItems } from '../../domain/page-of-items.ts';
import type { Handlers, List } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { optionalTime, time } from './represent-user.ts';

type UsageOperations = Pick<operations, 'listDailyCounts' | 'listAppUses' | 'listDeprecatedCalls'>;
type DailyCount = Awaited<ReturnType<Services['store']['counts']['listOfAccount']>>[number];

const shownDays = 30;

const dailyListing: ItemListing<DailyCount> = {
  fields: { day: ({ day }) => day, kind: ({ kind }) => kind },
  keyOf: ({ day, kind }) => `${day} ${kind}`,
};

const callListing: ItemListing<DeprecatedCalls> = {
  fields: {
    last_called_at: ({ lastAt }) => lastAt ?? 0,
    calls: ({ calls }) => calls,
    surface: ({ surface }) => surface,
    api_key_id: ({ apiKeyId }) => apiKeyId,
  },
  keyOf: ({ operationId, apiKeyId }) => `${operationId} ${apiKeyId}`,
};

/** A day of the calendar, as the contract's pattern lets it through. Throws `request_invalid`. */
function readDay(name: string, text: string): string {
  const at = Date.parse(text);
  if (!Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text) return text;
  throw new Failure('request_invalid', { name, message: `${name} must be a day, such as 2026-11-21` });
}

/** As it was sent, or as the cursor has it. */
function daysOf({ filters }: List): number {
  return Number(filters['days'] ?? shownDays);
}

function representUse({ client, lastUsedDay, days, expiresAt, isExpired }: AppUse): components['schemas']['AppUse'] {
  return {
    id: client.appId,
    name: client.name,
    client_id: client.clientId,
    registered_by: client.registeredBy,
    created_at: time(client.createdAt),
    last_used_on: lastUsedDay,
    uses: days.reduce((sum, { count }) => sum + count, 0),
    by_day: days.map(({ day, count }) => ({ day, count })),
    expires_at: optionalTime(expiresAt),
    expired: isExpired,
  };
}

function representCalls(one: DeprecatedCalls): components['schemas']['DeprecatedCalls'] {
  return {
    api_key: { id: one.apiKeyId, name: one.apiKeyName },
    surface: one.surface as components['schemas']['DeprecatedCalls']['surface'],
    call: one.call,
    successor: one.successor,
    calls: one.calls,
    last_called_at: optionalTime(one.lastAt),
    by_day: one.days.map(({ day, calls }) => ({ day, count: calls })),
  };
}

export function usage(
  { store, clock }: Services,
  deprecated: readonly DeprecatedOperation[],
): Handlers<UsageOperations> {
  return {
    /** GET /api/2/usage/daily */
    listDailyCounts: async ({ list, origin: { account } }, respond) => {
      const now = clock.now();
      const from = readDay('from', list.filters['from'] ?? firstDay(now, shownDays));
      const to = readDay('to', list.filters['to'] ?? firstDay(now, 1));
      const counts = await store.counts.listOfAccount(account.id, from, to);
      const represent = ({ day, kind, count }: DailyCount) => ({ day, kind, count });
      return respond(200, ...(await list.answer(async (query) => pageOfItems(counts, dailyListing, query), represent)));
    },

    /** GET /api/2/usage/apps */
    listAppUses: async ({ list, origin: { account } }, respond) => {
      const since = list.filters['unused_since'];
      const unused: ListFilter[] =
        since === undefined ? [] : [{ field: 'unused_since', test: 'is', values: [readDay('unused_since', since)] }];
      const days = daysOf(list);
      const read = (query: ListQuery) =>
        pageOfAppUses({ store, clock }, account, { ...query, filters: [...query.filters, ...unused] }, days);
      return respond(200, ...(await list.answer(read, representUse)));
    },

    /** GET /api/2/usage/deprecated-calls */
    listDeprecatedCalls: async ({ list, origin: { account } }, respond) => {
      const calls = await reportDeprecatedCalls({ store, clock }, account, deprecated, daysOf(list));
      return respond(
        200,
        ...(await list.answer(async (query) => pageOfItems(calls, callListing, query), representCalls)),
      );
    },
  };
}
