/** Daily counts as the series of charts. */

import type { Schemas } from '../../api/contract.ts';
import type { Series } from '../../parts/chart.tsx';
import { daysBefore } from '../../parts/days.ts';

type Kind = Required<Schemas['DailyCount']>['kind'];
type Shape = Omit<Series, 'counts'> & { readonly kinds: readonly Kind[] };

const charts: readonly { readonly title: string; readonly series: readonly Shape[] }[] = [
  {
    title: 'Sign-ins',
    series: [
      { title: 'Signed in', tone: 'good', kinds: ['sign_in.succeeded'] },
      {
        title: 'Wrong password, name or factor',
        tone: 'caution',
        kinds: [
          'sign_in.unknown_user',
          'sign_in.wrong_password',
          'sign_in.wrong_passkey',
          'sign_in.wrong_second_factor',
        ],
      },
      {
        title: 'Refused',
        tone: 'problem',
        kinds: ['sign_in.refused', 'sign_in.closed', 'sign_in.hook_refused', 'sign_in.hook_failed'],
      },
    ],
  },
  {
    title: 'Refreshes',
    series: [
      { title: 'Rotated', tone: 'good', kinds: ['refresh'] },
      { title: 'Repeated', tone: 'caution', kinds: ['refresh.repeated'] },
      { title: 'Refused or reused', tone: 'problem', kinds: ['refresh.refused', 'refresh.reused'] },
    ],
  },
  {
    title: 'Runs of hooks',
    series: [
      { title: 'Succeeded', tone: 'good', kinds: ['hook.success'] },
      { title: 'Refused the sign-in', tone: 'caution', kinds: ['hook.refused'] },
      {
        title: 'Failed',
        tone: 'problem',
        kinds: [
          'hook.invalid_result',
          'hook.error',
          'hook.timeout',
          'hook.out_of_memory',
          'hook.crashed',
          'hook.unavailable',
        ],
      },
    ],
  },
];

const shownDays = 30;

/** Days in UTC up to the present one, the oldest first. */
export function lastDays(now: number): readonly string[] {
  return Array.from({ length: shownDays }, (_, index) =>
    daysBefore(now, shownDays - 1 - index)
      .toISOString()
      .slice(0, 10),
  );
}

/** The charts for these days; a day without a count has none. */
export function chartsOf(
  counts: readonly Required<Schemas['DailyCount']>[],
  days: readonly string[],
): readonly { readonly title: string; readonly series: readonly Series[] }[] {
  const found = new Map(counts.map(({ day, kind, count }) => [`${day} ${kind}`, count]));
  const countOf = (day: string, kinds: readonly Kind[]) =>
    kinds.reduce((total, kind) => total + (found.get(`${day} ${kind}`) ?? 0), 0);
  return charts.map(({ title, series }) => ({
    title,
    series: series.map(({ kinds, ...shape }) => ({ ...shape, counts: days.map((day) => countOf(day, kinds)) })),
  }));
}

export const hasAny = (series: readonly Series[]): boolean =>
  series.some(({ counts }) => counts.some((count) => count > 0));
