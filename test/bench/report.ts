/** The figures as text: for a terminal, and as tables of Markdown. */

import { type Line, promises } from './lines.ts';
import { median, type Series } from './series.ts';

export type Table = readonly (readonly string[])[];

export function amount(value: number | null, unit = ''): string {
  if (value === null || Number.isNaN(value)) return '';
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return `${value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })}${unit && ` ${unit}`}`;
}

export function verdict(holds: boolean | null): string {
  return holds === null ? 'reported' : holds ? 'holds' : 'MISSED';
}

function promised({ line, target, unit }: Line): string {
  if (target === null) return '';
  const { bound, of } = promises[line];
  return `${bound === 'at least' ? '≥' : '≤'} ${target} ${of === 'ratio' ? '×' : unit}`;
}

function linesTable(lines: readonly Line[]): Table {
  return [
    ['line', 'figure', 'against', '', 'ratio', 'target', ''],
    ...lines.map((line) => [
      line.line,
      amount(line.figure, line.unit),
      amount(line.against),
      line.peer,
      amount(line.ratio),
      promised(line),
      verdict(line.holds),
    ]),
  ];
}

function seriesTable(series: readonly Series[]): Table {
  return [
    ['server', 'req/s', 'from', 'to', 'p50 ms', 'p99 ms', 'µs/req', 'generator', 'peak MB', 'errors'],
    ...series.map(({ label, measurements, errors, peakMemory }) => {
      const rates = measurements.map(({ perSecond }) => perSecond);
      return [
        label,
        amount(median(rates)),
        amount(Math.min(...rates)),
        amount(Math.max(...rates)),
        amount(median(measurements.map(({ p50Milliseconds }) => p50Milliseconds))),
        amount(median(measurements.map(({ p99Milliseconds }) => p99Milliseconds))),
        amount(median(measurements.map(({ serverMicroseconds }) => serverMicroseconds ?? Number.NaN))),
        amount(median(measurements.map(({ generatorMicroseconds }) => generatorMicroseconds))),
        amount(peakMemory),
        String(errors),
      ];
    }),
  ];
}

const notes = [
  'Figures are medians of the rounds; a ratio is the median of the ratios of neighbouring rounds. µs/req is CPU time',
  "per answer, of the server's processes (including the database's) and of the generator. Peak MB is the largest",
  'resident size of its first process.',
];

function align(table: Table): string {
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const isText = (column: number) => table.slice(1).some((row) => /^[^\d.,-]/.test(row[column] ?? ''));
  const cell = (text: string, column: number) =>
    isText(column) ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return table.map((row) => row.map(cell).join('  ').trimEnd()).join('\n');
}

export function markdown(table: Table): string {
  const [head = [], ...rows] = table;
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

export interface Results {
  readonly machine: readonly string[];
  readonly lines: readonly Line[];
  readonly series: readonly Series[];
}

export function reportText({ machine, lines, series }: Results): string {
  const faults = series.flatMap(({ label, firstError }) => (firstError === null ? [] : [`${label}: ${firstError}`]));
  return [machine.join('\n'), align(linesTable(lines)), align(seriesTable(series)), notes.join('\n'), ...faults].join(
    '\n\n',
  );
}

/** The page of a full run: its figures in the places that the template keeps for them; `growth` is of another run. */
export function reportPage(
  template: string,
  { machine, lines, series }: Results,
  { profile, growth }: { readonly profile: string; readonly growth: string },
): string {
  const parts: Readonly<Record<string, string>> = {
    machine: machine.map((text) => `- ${text}`).join('\n'),
    lines: markdown(linesTable(lines)),
    series: `${markdown(seriesTable(series))}\n\n${notes.join('\n')}`,
    profile,
    growth,
  };
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? '');
}

/** What `--json` prints. */
export function reportJson(lines: readonly Line[]): string {
  const rounded = (value: number | null) =>
    value === null || Number.isNaN(value) ? null : Number(value.toPrecision(5));
  return JSON.stringify(
    lines.map(({ line, figure, unit, against, ratio, target, holds }) => {
      return { line, figure: rounded(figure), unit, against: rounded(against), ratio: rounded(ratio), target, holds };
    }),
    null,
    2,
  );
}
