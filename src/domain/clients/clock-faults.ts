/**
 * Clients whose last assertion or proof was refused for its times. Kept in memory, by each process for itself: it only
 * explains a refusal, and whoever knows a public client could have it written.
 */

import { decodeJwt } from 'jose';
import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { day } from '../durations.ts';
import { perKey } from '../per-key.ts';

/** Beyond these the oldest is forgotten. */
const mostKept = 10_000;

interface Told {
  readonly what: 'assertion' | 'proof';
  /** How far the time in it is ahead of the service's clock, in seconds; negative: it is older. */
  readonly aheadSeconds: number;
}

export interface ClockFault extends Told {
  readonly at: Milliseconds;
}

type Clocked = Pick<Services, 'clock'>;
type Owner = Pick<Account, 'id'>;
type Known = Pick<ClientRecord, 'appId'>;

/** By the clock of an installation, then by account and app. */
const kept = perKey<Services['clock'], Map<string, ClockFault>>(() => new Map());

function keyOf({ id }: Owner, { appId }: Known): string {
  return `${id}/${appId}`;
}

export function noteClockFault({ clock }: Clocked, account: Owner, client: Known, told: Told): void {
  const faults = kept(clock);
  const key = keyOf(account, client);
  faults.delete(key);
  const [oldest] = faults.keys();
  if (oldest !== undefined && faults.size >= mostKept) faults.delete(oldest);
  faults.set(key, { ...told, at: clock.now() });
}

/** By the times of a signed assertion: the one that is furthest ahead, else the end that has passed. */
export function noteAssertion(services: Clocked, account: Owner, client: Known, text: string): void {
  const { exp = 0, nbf = 0, iat = 0 } = decodeJwt(text);
  const now = services.clock.now() / 1000;
  const ahead = Math.max(nbf, iat) - now;
  noteClockFault(services, account, client, { what: 'assertion', aheadSeconds: ahead > 0 ? ahead : exp - now });
}

/** A later one was right. */
export function forgetClockFault({ clock }: Clocked, account: Owner, client: Known): void {
  kept(clock).delete(keyOf(account, client));
}

/** Null if none is known of the last day. */
export function findClockFault({ clock }: Clocked, account: Owner, client: Known): ClockFault | null {
  const fault = kept(clock).get(keyOf(account, client));
  return fault && fault.at + day > clock.now() ? fault : null;
}
