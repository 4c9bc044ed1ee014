/** What settings of an account may hold. */

import type { Setting } from './setting.ts';

/** A number of events in a window, or null where the limit is off. */
export interface Limit {
  readonly points: number;
  readonly windowSeconds: number;
}

/** One of these words. */
export function oneOf<const Value extends string>(fallback: Value, values: readonly Value[]): Setting<Value> {
  return {
    fallback,
    allowed: values.map((value) => `\`${value}\``).join(', '),
    parse: (text) => values.find((value) => value === text),
  };
}

export function wholeNumber(fallback: number, least: number, most: number): Setting<number> {
  return {
    fallback: String(fallback),
    allowed: `a whole number from ${least} to ${most}`,
    parse: (text) => {
      const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

export const onOff: Setting<'on' | 'off'> = oneOf('off', ['on', 'off']);

const windows = { s: 1, min: 60, h: 3600 } as const;

export function limit(fallback: string): Setting<Limit | null> {
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

export const names: Setting<readonly string[]> = {
  fallback: '',
  allowed: 'names separated by commas',
  parse: (text) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
};
