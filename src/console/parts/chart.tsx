import { Table } from './table.tsx';

export interface Series {
  readonly title: string;
  /** What its colour says. */
  readonly tone: 'good' | 'caution' | 'problem';
  /** A number for each day. */
  readonly counts: readonly number[];
}

export interface ChartProps {
  /** What the numbers count. */
  readonly title: string;
  /** In UTC, the oldest first. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
}

const height = 100;
const gap = 0.15;
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Numbers by day as columns, one above the other, and as a table for those who read it so. */
export function Chart({ title, days, series }: ChartProps) {
  const totals = days.map((_, index) => sum(series.map(({ counts }) => counts[index] ?? 0)));
  const most = Math.max(1, ...totals);
  const words = series.map(({ title: name, counts }) => `${name}: ${written(sum(counts))}`);
  return (
    <figure class="chart">
      <ul class="legend">
        {series.map(({ title: name, tone, counts }) => (
          <li key={name}>
            <span class={`swatch tone-${tone}`} aria-hidden="true" />
            {name}: <strong>{written(sum(counts))}</strong>
          </li>
        ))}
      </ul>
      <div class="chart-body">
        <span class="chart-most" aria-hidden="true">
          {written(most)}
        </span>
        <svg
          role="img"
          aria-label={`${title}, ${days.length} days. ${words.join('. ')}.`}
          viewBox={`0 0 ${days.length} ${height}`}
          preserveAspectRatio="none"
        >
          {days.map((date, index) => (
            <Column key={date} date={date} index={index} most={most} series={series} />
          ))}
        </svg>
      </div>
      <p class="chart-days" aria-hidden="true">
        <span>{dayWords(days[0])}</span>
        <span>{dayWords(days.at(-1))}</span>
      </p>
      <details>
        <summary>{title} as a table</summary>
        <Table
          caption={`${title} by day`}
          keyOf={({ date }) => date}
          rows={days.map((date, index) => ({ date, index })).reverse()}
          columns={[
            { title: 'Day (UTC)', cell: ({ date }) => date },
            ...series.map(({ title: name, counts }) => ({
              title: name,
              cell: ({ index }: { readonly index: number }) => written(counts[index] ?? 0),
            })),
          ]}
        />
      </details>
    </figure>
  );
}

interface ColumnProps extends Pick<ChartProps, 'series'> {
  readonly date: string;
  readonly index: number;
  readonly most: number;
}

function Column({ date, index, most, series }: ColumnProps) {
  let top = height;
  const words = series.map(({ title, counts }) => `${title}: ${written(counts[index] ?? 0)}`);
  return (
    <g>
      <title>{`${date}. ${words.join(', ')}`}</title>
      <rect class="chart-day" x={index} y={0} width={1} height={height} />
      {series.map(({ title, tone, counts }) => {
        const high = ((counts[index] ?? 0) / most) * height;
        top -= high;
        return <rect key={title} class={`tone-${tone}`} x={index + gap} y={top} width={1 - 2 * gap} height={high} />;
      })}
    </g>
  );
}

const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0);
const written = (count: number) => count.toLocaleString('en');
const dayWords = (date: string | undefined) => (date === undefined ? '' : day.format(new Date(date)));
