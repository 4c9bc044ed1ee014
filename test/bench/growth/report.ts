/** What growth costs, as tables of Markdown. */

import { amount, markdown, type Table, verdict } from '../report.ts';
import { type Noticed, worstOf } from './beside.ts';
import type { Deletion } from './deletions.ts';
import { fewUsers, type Grew } from './measure.ts';
import { holds, isBounded, type Measured, ratioOf } from './measure-use.ts';

/** What others may notice of one administrator. */
const most = { refresh: 60, healthz: 100 } as const;

interface Group {
  readonly name: string;
  readonly uses: number;
  /** Of those that a bound holds: the one that grew most. */
  readonly grewMost: Measured | undefined;
  readonly noticed: Pick<Noticed, 'refreshes' | 'healthz' | 'errors' | 'firstError'>;
  /** What was going on when the longest refresh and the longest `/healthz` were. */
  readonly during: { readonly refresh: string; readonly healthz: string };
}

function together(name: string, parts: readonly Measured[]): Group {
  const longest = (of: 'refreshes' | 'healthz') => {
    const most = ({ noticed }: Measured) => Math.max(0, ...noticed[of]);
    return parts.toSorted((one, other) => most(other) - most(one))[0]?.use.name ?? '';
  };
  const bounded = parts.filter(({ use, failure }) => use.grows === undefined && failure === null);
  return {
    name,
    uses: parts.length,
    grewMost: bounded.toSorted((one, other) => ratioOf(other) - ratioOf(one))[0],
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
  return names.map((name) =>
    together(
      name,
      measured.filter(({ use }) => use.group === name),
    ),
  );
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
    ['group', 'uses', 'grew most', 'ratio', 'refreshes', 'p99 ms', 'longest', '/healthz ms', 'longest', 'errors', ''],
    ...groups.map(({ name, uses, grewMost, noticed, during }) => {
      const worst = worstOf(noticed);
      const growth = [grewMost?.use.name ?? '', grewMost ? amount(ratioOf(grewMost)) : ''];
      const refresh = [String(noticed.refreshes.length), amount(worst.refresh), during.refresh];
      const healthz = [amount(worst.healthz), during.healthz];
      return [name, String(uses), ...growth, ...refresh, ...healthz, errorsOf(noticed), verdict(isUnfelt(noticed))];
    }),
  ];
}

const errorsOf = ({ errors, firstError }: Group['noticed']) =>
  firstError === null ? String(errors) : `${errors}: ${firstError}`;

function deletionsTable(deletions: readonly Deletion[]): Table {
  return [
    ['deletion', 'answer, ms', 'cleared after, ms', 'refreshes', 'p99 ms', '/healthz ms', 'errors', ''],
    ...deletions.map(({ name, milliseconds, clearing, failure, noticed }) => {
      const worst = worstOf(noticed);
      const times = [amount(milliseconds), amount(clearing)];
      const others = [String(noticed.refreshes.length), amount(worst.refresh), amount(worst.healthz)];
      return [name, ...times, ...others, errorsOf(noticed), failure ?? verdict(isUnfelt(noticed))];
    }),
  ];
}

/** The operations that missed their bound, and what those cost that none holds and that grew beyond it. */
function costly(measured: readonly Measured[]): readonly Measured[] {
  return measured.filter((one) => holds(one) === false || (holds(one) === null && !isBounded(one.few, one.many)));
}

const titles = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

function sections(all: readonly Grew[], tablesOf: (grew: Grew) => readonly Table[]): string {
  return all
    .map((grew) => [`### Growth on ${titles[grew.kind]}`, ...tablesOf(grew).map(markdown)].join('\n\n'))
    .join('\n\n');
}

/** Every operation, as Markdown. */
export function growthReport(all: readonly Grew[]): string {
  return sections(all, (grew) => [
    operationsTable(grew.measured, grew.users),
    groupsTable(groupsOf(grew)),
    deletionsTable(grew.deletions),
  ]);
}

/** The same for docs/performance.md: of the operations only those that cost more than their bound lets them. */
export function growthSection(all: readonly Grew[]): string {
  return sections(all, (grew) => [
    groupsTable(groupsOf(grew)),
    operationsTable(costly(grew.measured), grew.users),
    deletionsTable(grew.deletions),
  ]);
}

const section = /(?<=<!-- growth -->\n).*(?=\n<!-- \/growth -->)/s;

/** The section on growth: measured by a separate run, and kept by every other one. */
export function sectionOf(page: string): string {
  const [kept] = section.exec(page) ?? [];
  if (kept === undefined) throw new Error('the page has no place for growth');
  return kept;
}

export function withSection(page: string, text: string): string {
  sectionOf(page);
  return page.replace(section, () => text);
}
