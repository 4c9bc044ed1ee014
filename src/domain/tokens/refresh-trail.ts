/** What the trail records about refreshes other than plain rotations. */

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

/**
 * The trail of one consumption. The holder of a token can have it refused or repeated without end, so such events are
 * recorded once an hour.
 */
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
      // A family is revoked only once.
      if (outcome.outcome !== 'reused') {
        const happening = happeningOf(grantId, outcome, origin);
        if (!services.onceAnHour.isFirst(account.id, happening)) return null;
        told.push(happening);
      }
      return newEvent(services, account, describe(client, grantId, outcome), origin);
    },
    /** An event that was not committed may be recorded again. */
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
  // Repetitions are recorded once per network: one may be the owner's, another a thief's.
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
