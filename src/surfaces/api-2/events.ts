import type { components, operations } from '../../../generated/api-2.ts';
import { type AuditedEvent, pageOfEvents } from '../../domain/audit/list.ts';
import { Failure } from '../../domain/failure.ts';
import type { ListFilter, ListQuery } from '../../domain/listing.ts';
import { readId } from '../../http/integer-text.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

/** As `EventStore.page` has it. */
const noId = -1;

type Event = components['schemas']['AuditEvent'];

/** GET /api/2/events */
export function listEvents(services: Pick<Services, 'store'>): Handler<operations['listEvents']> {
  return async ({ list, origin: { account } }, respond) => {
    const parties = (['actor', 'target'] as const).flatMap((name) => partyFilters(name, list.filters[name]));
    const read = (query: ListQuery) =>
      pageOfEvents(services, account, { ...query, filters: [...query.filters, ...parties] });
    return respond(200, ...(await list.answer(read, representEvent)));
  };
}

/**
 * `<type>:<id>`, or a type for a party without an id; `API` alone is every API key, because a call with a key is logged
 * as the user `API`, whichever key it is (the document's §5). Throws `request_invalid`.
 */
function partyFilters(name: 'actor' | 'target', text: string | undefined): ListFilter[] {
  if (text === undefined) return [];
  const [, type, written] = /^(API|[a-z_]{1,30})(?::(.*))?$/.exec(text) ?? [];
  const id = written === undefined ? noId : readId(written, Number.MAX_SAFE_INTEGER);
  if (type === undefined || id === null) {
    throw new Failure('request_invalid', { name, message: `${name} must be <type>:<id>` });
  }
  const ofType: ListFilter = { field: `${name}_type`, test: 'is', values: [type] };
  if (type === 'API' && id === noId) return [ofType];
  return [ofType, { field: `${name}_id`, test: 'is', values: [id] }];
}

export function representEvent(event: AuditedEvent): Event {
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
