/** What growth costs, as tables of Markdown. */

import { amount, markdown, type Table, verdict } from '../report.ts';
import { type Noticed, worstOf } from './beside.ts';
import type { Deletion } from './deletions.ts';
import { fewUsers, type Grew } from './measure.ts';
import { holds, type Measured, ratioOf } from './measure-use.ts';

/** What others may notice of one administrator. */
const most = { refresh: 60, healthz: 100 } as const;

interface Group {
  readonly name: string;
  readonly noticed: Pick<Noticed, 'refreshes' | 'healthz' | 'errors' | 'firstError'>;
  /** What was going on when the longest refresh and the longest `/healthz` were. */
  readonly during: { readonly refresh: string; readonly healthz: string };
}

function together(name: string, parts: readonly { readonly name: string; readonly noticed: Noticed }[]): Group {
  const longest = (of: 'refreshes' | 'healthz') => {
    const most = ({ noticed }: { readonly noticed: Noticed }) => Math.max(0, ...noticed[of]);
    return parts.toSorted((one, other) => most(other) - most(one))[0]?.name ?? '';
  };
  return {
    name,
    noticed: {
      refreshes: parts.flatMap(({ noticed }) => noticed.refreshes),
      healthz: parts.flatMap(({ noticed }) => noticed.healthz),
      errors: parts.reduce((sum, { noticed }) => sum + noticed.errors, 0),
      firstError: parts.find(({ noticed }) => noticed.firstError !== null)?.noticed.firstError ?? null,
    },
    during: { refresh: longest('refreshes'), healthz: longest('healthz') },
  };
}

function groupsOf({ measured }: Grew): Group[] {
  const names = [...new Set(measured.map(({ use }) => use.group))];
  return names.map((name) => {
    const parts = measured.filter(({ use }) => use.group === name);
    return together(
      name,
      parts.map(({ use, noticed }) => ({ name: use.name, noticed })),
    );
  });
}

function isUnfelt({ refreshes, healthz, errors }: Group['noticed']): boolean {
  const worst = worstOf({ refreshes, healthz });
  return errors === 0 && worst.refresh <= most.refresh && worst.healthz <= most.healthz;
}

/** Whether every bound holds: of each operation, and of what others noticed. */
export function holdsAll(grew: Grew): boolean {
  const { measured, deletions } = grew;
  return (
    measured.every((one) => holds(one) !== false) &&
    groupsOf(grew).every(({ noticed }) => isUnfelt(noticed)) &&
    deletions.every(({ failure, noticed }) => failure === null && isUnfelt(noticed))
  );
}

function operationsTable(measured: readonly Measured[], users: number): Table {
  const size = (count: number) => `${count.toLocaleString('en')} users, ms`;
  return [
    ['operation', size(fewUsers), size(users), 'ratio', 'refresh p99', '/healthz', ''],
    ...measured.map((one) => {
      const worst = worstOf(one.noticed);
      const figures = [one.few, one.many, ratioOf(one), worst.refresh, worst.healthz].map((figure) => amount(figure));
      const grows = one.use.grows === undefined ? '' : `, ${one.use.grows}`;
      return [one.use.name, ...figures, one.failure ?? `${verdict(holds(one))}${grows}`];
    }),
  ];
}

function groupsTable(groups: readonly Group[]): Table {
  return [
    ['group', 'refreshes', 'p99 ms', 'longest during', '/healthz ms', 'longest during', 'errors', ''],
    ...groups.map(({ name, noticed, during }) => {
      const worst = worstOf(noticed);
      const errors = noticed.firstError === null ? '0' : `${noticed.errors}: ${noticed.firstError}`;
      const refresh = [String(noticed.refreshes.length), amount(worst.refresh), during.refresh];
      return [name, ...refresh, amount(worst.healthz), during.healthz, errors, verdict(isUnfelt(noticed))];
    }),
  ];
}

function deletionsTable(deletions: readonly Deletion[]): Table {
  return [
    ['deletion', 'answer, ms', 'cleared after, ms', 'refreshes', 'p99 ms', '/healthz ms', 'errors', ''],
    ...deletions.map(({ name, milliseconds, clearing, failure, noticed }) => {
      const worst = worstOf(noticed);
      const times = [amount(milliseconds), amount(clearing)];
      const others = [String(noticed.refreshes.length), amount(worst.refresh), amount(worst.healthz)];
      const errors = noticed.firstError === null ? '0' : `${noticed.errors}: ${noticed.firstError}`;
      return [name, ...times, ...others, errors, failure ?? verdict(isUnfelt(noticed))];
    }),
  ];
}

const titles = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

export function growthReport(all: readonly Grew[], users: number): string {
  return all
    .map((grew) => {
      const tables = [
        operationsTable(grew.measured, users),
        groupsTable(groupsOf(grew)),
        deletionsTable(grew.deletions),
      ];
      return [`### ${titles[grew.kind]}`, ...tables.map(markdown)].join('\n\n');
    })
    .join('\n\n');
}
