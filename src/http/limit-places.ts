/** Where the limits of a subject are counted. */

import { hash } from 'node:crypto';
import type { Account } from '../domain/accounts/account.ts';
import type { Limit, LimitName } from '../domain/accounts/limit-settings.ts';
import type { LimitSubject, PolicyLimit } from '../domain/limits.ts';
import { siteAround } from '../domain/network-source.ts';
import { SharedCounters } from './shared-counters.ts';
import { keyWords, WindowCounters } from './window-counters.ts';

/**
 * A site may use a limit as often as this many of its networks. Homes get up to 16 or 256 of the 65,536 networks of a
 * /48. Where a site is many customers (a hosting provider, a mobile network), fewer than 16 of them do not shut out the
 * others.
 */
const networksOfSite = 16;

/** All API credentials of an account, or all its API keys, may use a limit as often as this many: who has one makes more. */
const callersOfAccount = 4;

type MembersOf<One> = One extends unknown ? keyof One : never;
type SubjectMember = MembersOf<Exclude<LimitSubject, Readonly<Record<string, never>>>>;

/** Everything that distinguishes subjects: if one were missing, different subjects would share a counter. */
const ranks = {
  source: 0,
  client: 1,
  grant: 2,
  registration: 3,
  credential: 4,
  apiKey: 5,
  user: 6,
  session: 7,
  hookType: 8,
  name: 9,
} as const satisfies Readonly<Record<SubjectMember, number>>;
const members = Object.keys(ranks) as readonly SubjectMember[];

/** The counters of the windows of one length. */
export interface Windows {
  readonly own: WindowCounters;
  readonly shared: SharedCounters;
}

/**
 * The place of a subject under one limit, or of the site around its network, or of its account. Without the secret
 * nobody can tell which subjects share a counter.
 */
export interface Place {
  readonly accountId: number;
  readonly windows: Windows;
  readonly limit: Limit;
  /** Made from the account, the limit, its window and the subject, with the secret; valid until the next key is made. */
  readonly key: Uint32Array;
  /** The same as a text of bytes. */
  readonly digest: string;
  /** The counter that it shares when there is no room for one of its own. */
  readonly sharedKey: string;
  /** Callers hear of it only once nothing is left: what others of the account use is no answer to them. */
  readonly isSilent: boolean;
}

export interface Places {
  /**
   * The place of the subject itself, and that of the site around its network or of the account, if there is one; none if
   * the limit is off.
   */
  of(account: Account, limited: LimitName | PolicyLimit, subject: LimitSubject): readonly Place[];
  keptKeys(): number;
}

export function createPlaces(secret: string, mostKeys: number): Places {
  const byLength = new Map<number, Windows>();
  // One of each for all calls: nothing waits between making a key and using it.
  const ownKey = new Uint32Array(keyWords);
  const widerKey = new Uint32Array(keyWords);

  function windowsOf(windowSeconds: number): Windows {
    const existing = byLength.get(windowSeconds);
    if (existing) return existing;
    const milliseconds = windowSeconds * 1000;
    const windows = { own: new WindowCounters(milliseconds, mostKeys), shared: new SharedCounters(milliseconds) };
    byLength.set(windowSeconds, windows);
    return windows;
  }

  function placeOf(accountId: number, name: string, limit: Limit, subject: string, key: Uint32Array): Place {
    const bytes = new Uint8Array(key.buffer);
    const digest = hash('sha256', `${secret} ${accountId} ${name} ${limit.windowSeconds} ${subject}`, 'binary');
    for (let index = 0; index < bytes.length; index += 1) bytes[index] = digest.charCodeAt(index);
    // The key's words choose its own counter; the byte after them chooses the shared one.
    const sharedKey = `${accountId} ${name} ${digest.charCodeAt(bytes.length)}`;
    const windows = windowsOf(limit.windowSeconds);
    return { accountId, windows, limit, key, digest: digest.slice(0, bytes.length), sharedKey, isSilent: false };
  }

  return {
    of({ id, settings }, limited, subject) {
      const limit = typeof limited === 'string' ? settings.limits[limited] : limited;
      if (!limit) return [];
      const name = nameOf(limited);
      const own = placeOf(id, name, limit, textOf(subject), ownKey);
      if (isCaller(subject)) {
        const ofAccount = { ...limit, points: limit.points * callersOfAccount };
        return [own, { ...placeOf(id, `${name} account`, ofAccount, '', widerKey), isSilent: true }];
      }
      const site = 'source' in subject ? siteAround(subject.source) : null;
      if (site === null) return [own];
      const ofSite = { ...limit, points: limit.points * networksOfSite };
      return [own, placeOf(id, `${name} site`, ofSite, textOf({ ...subject, source: site }), widerKey)];
    },
    keptKeys: () => [...byLength.values()].reduce((sum, { own, shared }) => sum + own.size + shared.size, 0),
  };
}

/** Who authenticated with what an account makes for itself. */
function isCaller(subject: LimitSubject): boolean {
  return !('source' in subject) && ('credential' in subject || 'apiKey' in subject);
}

export function nameOf(limited: LimitName | PolicyLimit): LimitName | PolicyLimit['name'] {
  return typeof limited === 'string' ? limited : limited.name;
}

/** The parts of a subject are our ids and sources, which contain no space; a name, which may, is last. */
function textOf(subject: Partial<Record<SubjectMember, string | number>>): string {
  return members.map((member) => subject[member] ?? '').join(' ');
}
