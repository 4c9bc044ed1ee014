/** Why somebody was refused: what the trail and the kept refusals tell of it, in words. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { type AuditedEvent, pageOfEvents } from '../audit/list.ts';
import type { ListFilter } from '../listing.ts';
import type { Cause } from '../refusals/refusals.ts';
import { type Named, nameApp, nameUser } from './named.ts';
import { detailOf, type Particulars, type Parties, particularsOf, partiesOf, reasonIn } from './particulars.ts';
import { type Explained, explain, explainRequest } from './words.ts';

/** Events that are read for one story. */
const mostEvents = 100;

const form = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The reference that somebody typed, as it is kept; null for a text that is none. */
export function readReference(text: string): string | null {
  const reference = text.trim().toLowerCase();
  return form.test(reference) ? reference : null;
}

export interface Story extends Explained {
  readonly at: number;
  readonly source: string | null;
  readonly reference: string | null;
}

/** A reference that finds something. */
export interface Told {
  readonly story: Story;
  readonly particulars: Particulars;
  /** Of the request, newest first. */
  readonly events: readonly AuditedEvent[];
}

type WhyServices = Pick<Services, 'store' | 'clock'>;

/** The events of the account that satisfy the filters, newest first. */
export async function findEvents(
  services: WhyServices,
  account: Account,
  filters: readonly ListFilter[],
): Promise<readonly AuditedEvent[]> {
  const sort = { field: 'created_at', descending: true };
  const { items } = await pageOfEvents(services, account, { sort, filters, limit: mostEvents, at: { page: 1 } });
  return items;
}

/**
 * What a refusal that was kept for a day, or an event of it, says about its request; null where neither of the account
 * knows it.
 */
export async function tellReference(services: WhyServices, account: Account, reference: string): Promise<Told | null> {
  const events = await findEvents(services, account, [{ field: 'request_id', test: 'is', values: [reference] }]);
  const kept = await services.store.refusals.find(account.id, reference, services.clock.now());
  const cause = kept && (JSON.parse(kept.detail) as Cause);
  const stories = await Promise.all(events.map((event) => tellEvent(services, account, event)));
  const at = stories.findIndex((story) => story !== null);
  const [story, event] = [stories[at], events[at]];
  // An event knows more: whose sign-in it was.
  if (story && event) return { story, particulars: particularsOf(cause, event), events };
  if (!kept || !cause) return null;
  const named = await nameThem(services, account, { ...cause, userId: null, hook: null });
  const explained =
    cause.code === 'authorization_request_invalid' && cause.reason !== null
      ? explainRequest(cause.reason, named)
      : explain([`${cause.code} ${cause.reason}`, cause.code], named);
  const other = { cause: `It was refused (${cause.code}).`, remedy: 'The log lines with this requestId say more.' };
  const told = { at: kept.at, source: kept.source, reference, ...(explained ?? other) };
  return { story: told, particulars: particularsOf(cause, null), events };
}

/** Why an event refused; null for one that did not, or whose cause another event of its request tells. */
export async function tellEvent(services: WhyServices, account: Account, event: AuditedEvent): Promise<Story | null> {
  if (event.outcome !== 'refused') return null;
  // The sign-in went on.
  if (event.action === 'hook.failed' && detailOf(event).sign_in !== 'denied') return null;
  const { action, at, source, requestId: reference } = event;
  const reason = reasonIn(event);
  const named = await nameThem(services, account, partiesOf(event));
  const explained =
    action === 'authorization.refused'
      ? explainRequest(reason ?? '', named)
      : (explain([`${action} ${reason}`, action, reason], named) ?? {
          cause: `${action} was refused${reason === null ? '' : ` (${reason})`}.`,
          remedy: 'The log lines with this requestId say more.',
        });
  return { at, source, reference, ...explained };
}

async function nameThem({ store }: WhyServices, account: Account, parties: Parties): Promise<Named> {
  const { userId, appId, hook, clientId, address } = parties;
  const user = userId === null ? null : await store.users.find(account.id, userId);
  const client = appId === null ? null : await store.clients.findByApp(account.id, appId);
  const gone = (what: string, id: number) => `the ${what} ${id}, which was removed,`;
  const goneUser = userId === null ? null : { name: gone('user', userId), options: [] };
  const goneApp = appId === null ? null : { name: gone('app', appId), id: null, redirectUris: [] };
  return {
    account: account.subdomain,
    user: user ? nameUser(user) : goneUser,
    app: client ? nameApp(client) : goneApp,
    clientId,
    address,
    hook,
  };
}
