/** The limits that an account sets on events per window. */

import type { Setting } from './setting.ts';

/** A number of events in a window, or null where the limit is off. */
export interface Limit {
  readonly points: number;
  readonly windowSeconds: number;
}

/** The default of each limit, and what it counts. */
const limits = {
  'api-2': ['5000/h', 'calls of an API credential'],
  register: ['1000/h', 'registrations with the token of an API credential'],
  'register-open': ['20/h', 'registrations without a token, and apps of clients with metadata documents, of a source'],
  'client-metadata': ['30/min', 'metadata documents of clients that are fetched, for a source'],
  'sign-in': ['60/min', 'failed sign-ins, second factors and device codes, of a source'],
  'client-auth': ['60/min', 'failed authentications of a client or credential, for each source'],
  'public-client': ['600/min', 'refused refreshes and token exchanges of a grant of a public client, for each source'],
  authorize: ['300/min', 'stored authorization requests of a source, and of decisions of a session'],
  consent: ['5/h', 'times a user refuses a client of open registration before it is kept from asking again'],
  par: ['600/min', 'pushed authorization requests of a client, for each source'],
  hooks: ['500/s', 'runs of hooks of the account'],
  delegated: ['600/min', 'calls of the surface `api-v1` with an API key'],
  invite: ['300/h', 'calls of the surfaces `api-1` and `api-v3` with an API key'],
  reset: ['20/h', 'requests for a link to a forgotten password, of a source'],
  'reset-user': ['5/h', 'links to a forgotten password, of a user'],
  xml: ['5000/h', 'calls of the surface `xml` with an API key'],
} as const satisfies Record<string, readonly [fallback: string, counted: string]>;

export type LimitName = keyof typeof limits;
export type LimitSetting = `limit.${LimitName}`;

export const limitNames = Object.keys(limits) as readonly LimitName[];
const windows = { s: 1, min: 60, h: 3600 } as const;

function limit([fallback, counted]: readonly [fallback: string, counted: string]): Setting<Limit | null> {
  return {
    meaning: `maximum number of ${counted}`,
    fallback,
    allowed: '`N/s`, `N/min`, `N/h` or `off`',
    form: { kind: 'limit' },
    parse: (text) => {
      if (text === 'off') return null;
      const [, points, unit] = /^([1-9]\d{0,8})\/(s|min|h)$/.exec(text) ?? [];
      return points && unit
        ? { points: Number(points), windowSeconds: windows[unit as keyof typeof windows] }
        : undefined;
    },
  };
}

/** `limit.<name>` for each. */
export const limitSettings = Object.fromEntries(
  limitNames.map((name) => [`limit.${name}`, limit(limits[name])]),
) as Record<LimitSetting, Setting<Limit | null>>;

export function readLimits(read: (name: LimitSetting) => Limit | null): Readonly<Record<LimitName, Limit | null>> {
  return Object.fromEntries(limitNames.map((name) => [name, read(`limit.${name}`)])) as Record<LimitName, Limit | null>;
}
