/** How long an account keeps its deprecated surfaces, and what responses say about their end. */

import type { Milliseconds } from '../../store/time.ts';
import { day, minute } from '../durations.ts';
import type { Setting } from './setting.ts';

export const deprecatedSurfaces = ['api-v1', 'api-v3', 'xml'] as const;

export type DeprecatedSurface = (typeof deprecatedSurfaces)[number];

/** A daily time window in minutes since midnight, UTC; the end is exclusive. */
interface DailyWindow {
  readonly from: number;
  readonly to: number;
}

export interface SurfaceSettings {
  /** When the surface is switched off; null: it stays on. */
  readonly offFrom: Milliseconds | null;
  /** When it will be switched off, as announced to callers (RFC 8594). */
  readonly sunset: Milliseconds | null;
  /** When it is off as a rehearsal of its end. */
  readonly brownouts: readonly DailyWindow[];
}

/** Whether the surface is on at this time. */
export function isSurfaceOn({ offFrom, brownouts }: SurfaceSettings, now: Milliseconds): boolean {
  if (offFrom !== null && offFrom <= now) return false;
  const at = Math.floor((now % day) / minute);
  return !brownouts.some(({ from, to }) => (from < to ? from <= at && at < to : from <= at || at < to));
}

/** `2027-06-30`, or with a time in UTC; undefined for anything else. */
function parseDate(text: string): Milliseconds | undefined {
  if (!/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/.test(text)) return undefined;
  const time = Date.parse(text);
  // `Date` would accept an impossible date such as 31 February as a day of the next month.
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(text.slice(0, 10)) ? undefined : time;
}

const dates = 'an ISO date (`2027-06-30`, `2027-06-30T12:00Z`)';

const switched: Setting<Pick<SurfaceSettings, 'offFrom'>> = {
  meaning: 'whether this deprecated surface answers; off is 404 for every request',
  fallback: 'on',
  allowed: `\`on\`, \`off\`, or ${dates} from which it is off`,
  form: { kind: 'text' },
  parse: (text) => {
    if (text === 'on') return { offFrom: null };
    const offFrom = text === 'off' ? 0 : parseDate(text);
    return offFrom === undefined ? undefined : { offFrom };
  },
};

const sunset: Setting<Pick<SurfaceSettings, 'sunset'>> = {
  meaning: 'when this deprecated surface will end, as the header `Sunset` announces it; switches nothing off',
  fallback: '',
  allowed: dates,
  form: { kind: 'text' },
  parse: (text) => {
    const time = text === '' ? null : parseDate(text);
    return time === undefined ? undefined : { sunset: time };
  },
};

const mostWindows = 24;

const brownout: Setting<readonly DailyWindow[]> = {
  meaning: 'when this deprecated surface is off every day, as a rehearsal of its end',
  fallback: '',
  allowed: `up to ${mostWindows} times of day in UTC, \`HH:MM-HH:MM\`, separated by commas`,
  form: { kind: 'text' },
  parse: (text) => {
    const windows = text === '' ? [] : text.split(',').map(parseWindow);
    return windows.includes(null) || windows.length > mostWindows ? undefined : windows.filter((one) => one !== null);
  },
};

function parseWindow(text: string): DailyWindow | null {
  const [from, to] = text.split('-').map(parseMinute);
  const whole = typeof from === 'number' && typeof to === 'number' && from !== to && text.split('-').length === 2;
  return whole ? { from, to } : null;
}

function parseMinute(text: string): number | null {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text.trim()) ?? [];
  return hour === undefined ? null : Number(hour) * 60 + Number(minute);
}

export const surfaceSettings = {
  'surface.api-v1': switched,
  'surface.api-v3': switched,
  'surface.xml': switched,
  'sunset.api-v1': sunset,
  'sunset.api-v3': sunset,
  'sunset.xml': sunset,
  'brownout.api-v1': brownout,
  'brownout.api-v3': brownout,
  'brownout.xml': brownout,
} as const;

export type SurfaceSetting = keyof typeof surfaceSettings;

type Value<Name extends SurfaceSetting> = Exclude<ReturnType<(typeof surfaceSettings)[Name]['parse']>, undefined>;

/** All deprecated surfaces, with `read` for the value of each setting. */
export function readSurfaces(
  read: <Name extends SurfaceSetting>(name: Name) => Value<Name>,
): Record<DeprecatedSurface, SurfaceSettings> {
  const of = (surface: DeprecatedSurface): SurfaceSettings => ({
    ...read(`surface.${surface}`),
    ...read(`sunset.${surface}`),
    brownouts: read(`brownout.${surface}`),
  });
  return { 'api-v1': of('api-v1'), 'api-v3': of('api-v3'), xml: of('xml') };
}
