/** The limits that an account sets on events per window. */

import type { Setting } from './setting.ts';

/** A number of events in a window, or null where the limit is off. */
export interface Limit {
  readonly points: number;
  readonly windowSeconds: number;
}

export const limitDefaults = {
  'api-2': '5000/h',
  register: '1000/h',
  'register-open': '20/h',
  'sign-in': '60/min',
  'client-auth': '60/min',
  'public-client': '600/min',
  authorize: '300/min',
  par: '600/min',
  hooks: '500/s',
  delegated: '600/min',
  invite: '300/h',
  reset: '20/h',
  'reset-user': '5/h',
  xml: '5000/h',
} as const;

export type LimitName = keyof typeof limitDefaults;
export type LimitSetting = `limit.${LimitName}`;

const names = Object.keys(limitDefaults) as LimitName[];
const windows = { s: 1, min: 60, h: 3600 } as const;

function limit(fallback: string): Setting<Limit | null> {
  return {
    fallback,
    allowed: '`N/s`, `N/min`, `N/h` or `off`',
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
  names.map((name) => [`limit.${name}`, limit(limitDefaults[name])]),
) as Record<LimitSetting, Setting<Limit | null>>;

export function readLimits(read: (name: LimitSetting) => Limit | null): Readonly<Record<LimitName, Limit | null>> {
  return Object.fromEntries(names.map((name) => [name, read(`limit.${name}`)])) as Record<LimitName, Limit | null>;
}
