import { counted } from '../../../parts/counted.ts';
import { download, fileName } from '../../../parts/download.ts';
import { Table } from '../../../parts/table.tsx';
import { hrefOf } from '../../../routing/address.ts';
import type { Outcome, Result, Tally } from './run.ts';

interface OutcomesProps {
  readonly tally: Tally;
  readonly isDryRun: boolean;
}

const words: Readonly<Record<Result, readonly [done: string, tried: string]>> = {
  created: ['Created', 'Would be created'],
  updated: ['Changed', 'Would be changed'],
  skipped: ['Left as is', 'Would be left as is'],
  failed: ['Failed', 'Would fail'],
};

const results = Object.keys(words) as readonly Result[];

/** What became of the lines of a file: numbers, the first lines, and those that failed. */
export function Outcomes({ tally, isDryRun }: OutcomesProps) {
  const { counts, first, failures, report } = tally;
  const say = (result: Result) => words[result][isDryRun ? 1 : 0];
  const columns = [
    { title: 'Line', cell: ({ line }: Outcome) => line.toLocaleString('en') },
    { title: 'Outcome', cell: ({ result }: Outcome) => say(result) },
    {
      title: 'User',
      cell: ({ user_id: id }: Outcome) => (id === null ? '–' : <a href={hrefOf(`users/${id}`)}>User {id}</a>),
    },
    { title: 'Reason', cell: ({ message }: Outcome) => <bdi>{message ?? '–'}</bdi> },
  ];
  const more = counts.failed - failures.length;
  return (
    <>
      <dl class="facts">
        {results.map((result) => (
          <div key={result}>
            <dt>{say(result)}</dt>
            <dd>{counts[result].toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      {failures.length > 0 && (
        <>
          <h3>Lines that {isDryRun ? 'would fail' : 'failed'}</h3>
          <Table caption="Lines that failed" columns={columns} rows={failures} keyOf={({ line }) => line} />
          {more > 0 && (
            <p class="quiet">
              {counted(more, 'more line')} {more === 1 ? 'is' : 'are'} in the outcomes of all lines.
            </p>
          )}
        </>
      )}
      {first.length > 0 && (
        <>
          <h3>First lines</h3>
          <Table caption="First lines" columns={columns} rows={first} keyOf={({ line }) => line} />
          <div class="actions">
            <button type="button" onClick={() => download(fileName('outcomes', 'jsonl'), 'application/jsonl', report)}>
              Download the outcomes of all lines
            </button>
          </div>
        </>
      )}
    </>
  );
}
