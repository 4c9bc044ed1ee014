/** What is known of a refused request besides the words. */

import type { AuditedEvent } from '../audit/list.ts';
import { isOurs } from '../failure.ts';
import type { Cause } from '../refusals/refusals.ts';

/** Whom and what a refusal is about. */
export interface Parties extends Pick<Cause, 'appId' | 'clientId' | 'address'> {
  readonly userId: number | null;
  readonly hook: string | null;
}

export interface Particulars extends Parties {
  /** A code of `Failure`; null where an event alone tells. */
  readonly code: string | null;
  /** A fixed word. */
  readonly reason: string | null;
  /** The wrong parameter. */
  readonly parameter: string | null;
}

/** What an event says, as far as stories need it. */
interface Detail {
  readonly reason?: unknown;
  readonly user_id?: unknown;
  readonly app_id?: unknown;
  readonly hook_id?: unknown;
  readonly address?: unknown;
  readonly sign_in?: unknown;
}

/** `event`: the one that tells why, where there is one. */
export function particularsOf(kept: Cause | null, event: AuditedEvent | null): Particulars {
  const parties = event && partiesOf(event);
  // What the service lacks concerns those who operate it, and not all who read the trail.
  const said = kept && !isOurs(kept.code) ? kept : null;
  return {
    code: kept?.code ?? null,
    reason: fixedWord(event ? reasonIn(event) : (said?.reason ?? null)),
    parameter: said?.name ?? null,
    userId: parties?.userId ?? null,
    appId: parties?.appId ?? kept?.appId ?? null,
    clientId: kept?.clientId ?? null,
    address: parties?.address ?? kept?.address ?? null,
    hook: parties?.hook ?? null,
  };
}

export function partiesOf(event: AuditedEvent): Parties {
  const { targetType, targetId } = event;
  const { user_id: userId, app_id: appId, hook_id: hook, address } = detailOf(event);
  return {
    userId: targetType === 'user' ? targetId : numberIn(userId),
    appId: targetType === 'app' ? targetId : numberIn(appId),
    hook: textIn(hook),
    address: textIn(address),
    clientId: null,
  };
}

export function detailOf({ detail }: AuditedEvent): Detail {
  return detail as Detail;
}

export function reasonIn(event: AuditedEvent): string | null {
  return textIn(detailOf(event).reason);
}

/** Reasons that are sentences are for the log. */
function fixedWord(reason: string | null): string | null {
  return reason !== null && /^[a-z][a-z_]{0,63}$/.test(reason) ? reason : null;
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
