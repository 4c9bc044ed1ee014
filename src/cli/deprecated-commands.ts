import type { Command } from 'commander';
import apiV1 from '../../generated/api-v1.json' with { type: 'json' };
import apiV3 from '../../generated/api-v3.json' with { type: 'json' };
import xml from '../../generated/xml.json' with { type: 'json' };
import type { Account } from '../domain/accounts/account.ts';
import { deprecatedSurfaces, isSurfaceOn } from '../domain/accounts/surface-settings.ts';
import { deprecatedOperationsOf, reportDeprecatedCalls } from '../domain/callers/deprecated-report.ts';
import { Failure } from '../domain/failure.ts';
import { accountOption, addCommand, addGroup, type Outlet } from './command.ts';
import { isoTime, table } from './output.ts';
import { withAccount } from './session.ts';

const contracts = { 'api-v1': apiV1, 'api-v3': apiV3, xml } as const;
const defaultDays = 90;

export function addDeprecatedCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'deprecated', 'the deprecated surfaces');
  addCommand<{ account: string; days?: string }>(
    group,
    'report',
    'who still calls what, how often, when last, and what replaces it',
    outlet,
    ({ options }) => {
      const days = readDays(options.days);
      return withAccount(options.account, async (services, account) => {
        const calls = await reportDeprecatedCalls(services, account, deprecatedOperationsOf(contracts), days);
        const surfaces = surfacesOf(account, services.clock.now());
        const json = {
          account: account.subdomain,
          days,
          surfaces,
          calls: calls.map((one) => ({
            api_key: { id: one.apiKeyId, name: one.apiKeyName },
            surface: one.surface,
            call: one.call,
            successor: one.successor,
            calls: one.calls,
            last_called_at: isoTime(one.lastAt),
            by_day: one.days,
            events: `GET /api/2/events?actor=API:${one.apiKeyId}`,
          })),
        };
        const rows = calls.map((one) => {
          const key = `${one.apiKeyId} ${one.apiKeyName}`;
          return [one.call, key, one.calls, one.days.length, isoTime(one.lastAt), one.successor];
        });
        const states = surfaces.map(({ surface, answers, off_from: offFrom, sunset }) => [
          surface,
          answers ? 'on' : 'off',
          offFrom,
          sunset,
        ]);
        const text = [
          `Calls in the last ${days} days, except the last minute:\n\n`,
          table(['call', 'api key', 'calls', 'days', 'last', 'replaced by'], rows),
          '\nSurfaces:\n\n',
          table(['surface', 'now', 'off from', 'sunset'], states),
          calls.length > 0 ? '\nEach call: GET /api/2/events?actor=API:<id of the key>\n' : '',
        ].join('');
        return { json, text };
      });
    },
  )
    .requiredOption(...accountOption)
    .option('--days <number>', `number of days, including today; ${defaultDays} by default`);
}

function surfacesOf({ settings }: Account, now: number) {
  return deprecatedSurfaces.map((surface) => {
    const { offFrom, sunset } = settings.surfaces[surface];
    const answers = isSurfaceOn(settings.surfaces[surface], now);
    // `off` without a date began before anything else.
    return { surface, answers, off_from: offFrom === 0 ? null : isoTime(offFrom), sunset: isoTime(sunset) };
  });
}

/** Throws `value_invalid`. */
function readDays(text: string | undefined): number {
  if (text === undefined) return defaultDays;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new Failure('value_invalid', { name: 'days', message: 'days must be a whole number from 1 to 9999' });
}
