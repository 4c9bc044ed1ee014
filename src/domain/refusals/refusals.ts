/**
 * Keeps the causes of refusals that people saw for a day, so that the reference on the page finds them. They are not
 * part of the trail, which strangers must not write: they end by themselves, and there is room for so many an hour.
 */

import type { Services } from '../../services.ts';
import type { RefusalRecord } from '../../store/refusals.ts';
import { createOnceAnHour } from '../audit/once.ts';
import { day } from '../durations.ts';
import type { Failure } from '../failure.ts';
import { networkSourceOf } from '../network-source.ts';

/** Of each account, hour and process: of those whose app or user is known, and of the others. */
const most = 500;
/** Of these from one network. */
const mostFrom = 60;
/** Beyond these none is kept until the next flush. */
const mostWaiting = 1_000;
/** The most characters of a text that was sent. */
const longestSent = 512;

/** The cause of a refusal. */
export interface Cause {
  /** A code of `Failure`. */
  readonly code: string;
  readonly operation: string | null;
  /** What it says beyond the code: a fixed word. */
  readonly reason: string | null;
  /** The wrong parameter, if there is one. */
  readonly name: string | null;
  readonly appId: number | null;
  /** The `client_id` that was sent. */
  readonly clientId: string | null;
  /** The beginning of the redirect URI that was sent. */
  readonly address: string | null;
}

export interface Refused {
  readonly requestId: string;
  readonly source: string;
  readonly operation: string | null;
  readonly failure: Failure;
}

export interface Refusals {
  /** Keeps a refusal if there is room; it is stored a moment later. */
  note(accountId: number, refused: Refused): void;
  /** Stores what was kept. What could not be stored is kept for the next time, and the failure is thrown. */
  flush(): Promise<void>;
}

/** The beginning of a text that somebody sent. */
export function beginningOf(text: string | undefined): string | null {
  return text === undefined ? null : [...text.slice(0, 2 * longestSent)].slice(0, longestSent).join('');
}

/** `soon` arranges that `flush` is called a moment later. */
export function createRefusals(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  soon: (flush: () => Promise<void>) => void,
): Refusals {
  const room = createOnceAnHour({ most, mostAbout: mostFrom, mostFrom });
  let waiting: RefusalRecord[] = [];

  async function flush(): Promise<void> {
    const records = waiting;
    waiting = [];
    try {
      await store.refusals.add(records);
    } catch (error) {
      waiting = [...records, ...waiting].slice(0, mostWaiting);
      throw error;
    }
  }

  return {
    flush,
    note: (accountId, refused) => {
      const { requestId, source, failure } = refused;
      const network = networkSourceOf(source);
      const kind = failure.kind === 'user' || failure.detail.asked?.appId !== undefined ? 'known' : 'unknown';
      const happening = { kind, about: network, what: requestId, source: network };
      if (waiting.length >= mostWaiting || !room.isFirst(accountId, happening)) return;
      const at = clock.now();
      const detail = JSON.stringify(causeOf(refused));
      waiting.push({ accountId, requestId, at, source, detail, expiresAt: at + day });
      if (waiting.length === 1) soon(flush);
    },
  };
}

function causeOf({ operation, failure: { code, detail } }: Refused): Cause {
  const { asked = {} } = detail;
  return {
    code,
    operation,
    reason: detail.reason ?? (code === 'invite_unusable' ? (detail.value ?? null) : null),
    name: detail.name ?? null,
    appId: asked.appId ?? null,
    clientId: beginningOf(asked.clientId),
    address: beginningOf(asked.address),
  };
}
