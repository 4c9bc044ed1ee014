import type { Services } from '../../services.ts';
import type { EventRecord } from '../../store/events.ts';
import { type ListPage, type ListQuery, mapPage } from '../listing.ts';
import type { AuditedAccount } from './record.ts';

const pageSize = 500;

/** The newest events of an account, newest first, at most `limit`; one page at a time is in memory. */
export async function* listEvents(
  { store }: Pick<Services, 'store'>,
  account: Pick<AuditedAccount, 'id'>,
  limit: number,
): AsyncGenerator<EventRecord> {
  let before: number | null = null;
  for (let left = limit; left > 0; left -= pageSize) {
    const wanted = Math.min(left, pageSize);
    const page: EventRecord[] = await store.events.listBefore(account.id, before, wanted);
    yield* page;
    before = page.at(-1)?.id ?? null;
    if (page.length < wanted) return;
  }
}

/** An event with its detail parsed. */
export type AuditedEvent = Omit<EventRecord, 'detail'> & { readonly detail: unknown };

/** One page of the account's events. */
export async function pageOfEvents(
  { store }: Pick<Services, 'store'>,
  account: Pick<AuditedAccount, 'id'>,
  query: ListQuery,
): Promise<ListPage<AuditedEvent>> {
  const page = await store.events.page(account.id, query);
  return mapPage(page, (event) => ({ ...event, detail: JSON.parse(event.detail) as unknown }));
}
