import type { components, operations } from '../../../generated/api-2.ts';
import { type AuditedEvent, pageOfEvents } from '../../domain/audit/list.ts';
import { Failure } from '../../domain/failure.ts';
import type { ListFilter } from '../../domain/listing.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

type Event = components['schemas']['ListedEvent'];

/** GET /api/2/events */
export function listEvents(services: Pick<Services, 'store'>): Handler<operations['listEvents']> {
  return async ({ list, origin: { account } }, respond) => {
    const parties = (['actor', 'target'] as const).flatMap((name) => partyFilters(name, list.filters[name]));
    const query = { ...list.query, filters: [...list.query.filters, ...parties] };
    return respond(200, ...list.answer(await pageOfEvents(services, account, query), represent));
  };
}

/** `<type>:<id>`, or a type for a party without an id. Throws `request_invalid`. */
function partyFilters(name: 'actor' | 'target', text: string | undefined): ListFilter[] {
  if (text === undefined) return [];
  const [, type, id = '-1'] = /^(API|[a-z_]{1,30})(?::(\d{1,16}))?$/.exec(text) ?? [];
  if (type === undefined || !Number.isSafeInteger(Number(id)))
    throw new Failure('request_invalid', { name, message: `${name} must be <type>:<id>` });
  return [
    { field: `${name}_type`, test: 'is', values: [type] },
    { field: `${name}_id`, test: 'is', values: [Number(id)] },
  ];
}

function represent(event: AuditedEvent): Event {
  return {
    id: event.id,
    created_at: new Date(event.at).toISOString(),
    action: event.action as NonNullable<Event['action']>,
    outcome: event.outcome,
    actor: { type: event.actorType, id: event.actorId } as NonNullable<Event['actor']>,
    target: { type: event.targetType, id: event.targetId } as NonNullable<Event['target']>,
    source: event.source,
    request_id: event.requestId,
    detail: event.detail as NonNullable<Event['detail']>,
  };
}
