/** What the trail tells of a refresh that did not simply rotate. */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Untypical } from '../../store/consumption.ts';
import type { NewEvent } from '../../store/events.ts';
import type { Account } from '../accounts/account.ts';
import type { AuditContext } from '../audit/context.ts';
import type { AuditEvent } from '../audit/events.ts';
import type { Happening } from '../audit/once.ts';
import { newEvent } from '../audit/record.ts';
import { networkSourceOf } from '../network-source.ts';

/** The trail of one consumption. Who holds a token can have it refused or repeated without end: one event an hour says so. */
export function trailOf(
  services: Pick<Services, 'clock' | 'vault' | 'onceAnHour'>,
  account: Account,
  client: ClientRecord,
  grantId: number,
  origin: AuditContext,
) {
  const told: Happening[] = [];
  return {
    eventOf: (outcome: Untypical): NewEvent | null => {
      // A family is revoked once.
      if (outcome.outcome !== 'reused') {
        const happening = happeningOf(grantId, outcome, origin);
        if (!services.onceAnHour.isFirst(account.id, happening)) return null;
        told.push(happening);
      }
      return newEvent(services, account, describe(client, grantId, outcome), origin);
    },
    /** What was not committed was not told. */
    takeBack: (error: unknown): never => {
      for (const happening of told) services.onceAnHour.forget(account.id, happening);
      throw error;
    },
  };
}

function happeningOf(
  grantId: number,
  outcome: Extract<Untypical, { readonly outcome: 'refused' | 'repeated' }>,
  origin: AuditContext,
): Happening {
  const source = origin.source && networkSourceOf(origin.source);
  // A repetition is told with each network that it comes from: one may be its owner's, and one a thief's.
  const what = outcome.outcome === 'refused' ? outcome.reason : String(source);
  return { kind: outcome.outcome, about: String(grantId), what, source };
}

function describe(client: ClientRecord, grantId: number, outcome: Untypical): AuditEvent {
  const about = { actor: { type: 'client', id: client.appId }, target: { type: 'grant', id: grantId } } as const;
  if (outcome.outcome === 'refused') {
    return { ...about, action: 'refresh.refused', detail: { reason: outcome.reason } };
  }
  return outcome.outcome === 'reused'
    ? { ...about, action: 'refresh.reused', detail: { reason: 'refresh_token_reused' } }
    : { ...about, action: 'refresh.repeated', detail: { user_id: outcome.user.id } };
}
