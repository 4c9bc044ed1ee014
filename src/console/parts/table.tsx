import type { ComponentChildren } from 'preact';
import type { Asked } from '../api/use-answer.ts';
import { setQuery } from '../routing/address.ts';
import { ProblemNote, Waiting } from './screen.tsx';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
}

/** Rows that are chosen, for what is done to several of them. */
export interface Choice<Row> {
  readonly isChosen: (row: Row) => boolean;
  readonly nameOf: (row: Row) => string;
  readonly choose: (rows: readonly Row[], isChosen: boolean) => void;
}

interface TableProps<Row> {
  /** What the table lists, for those who hear it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly choice?: Choice<Row> | undefined;
}

/** The first column names the row. On a narrow screen each row is a card, whose lines begin with the column's title. */
export function Table<Row>({ caption, columns, rows, keyOf, choice }: TableProps<Row>) {
  return (
    <table>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {choice && (
            <td class="pick">
              <Pick label="Choose all on this page" rows={rows} choice={choice} />
            </td>
          )}
          {columns.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {choice && (
              <td class="pick">
                <Pick label={`Choose ${choice.nameOf(row)}`} rows={[row]} choice={choice} />
              </td>
            )}
            {columns.map(({ title, cell }, index) =>
              index === 0 ? (
                <th key={title} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={title} data-title={title}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface PickProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly choice: Choice<Row>;
}

function Pick<Row>({ label, rows, choice: { isChosen, choose } }: PickProps<Row>) {
  const count = rows.filter(isChosen).length;
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={count === rows.length}
      indeterminate={count > 0 && count < rows.length}
      onChange={(event) => choose(rows, event.currentTarget.checked)}
    />
  );
}

export interface ListProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  readonly asked: Asked<readonly Row[]>;
  /** What to do where there is nothing. */
  readonly empty: ComponentChildren;
  /** Whether the list can be turned to its other pages here; it can unless said otherwise. */
  readonly hasPages?: boolean;
}

/** A page of a list, as the server divides it. */
export function List<Row>({ asked, empty, hasPages = true, ...table }: ListProps<Row>) {
  const { answer, problem, isWaiting, again } = asked;
  if (problem) return <ProblemNote problem={problem} again={() => void again()} />;
  if (!answer) return <Waiting />;
  const { data: rows, headers } = answer;
  const total = headers.get('total-count');
  const [before, after] = [headers.get('before-cursor'), headers.get('after-cursor')];
  return (
    <div class="list" aria-busy={isWaiting}>
      {rows.length === 0 ? <div class="empty">{empty}</div> : <Table {...table} rows={rows} />}
      {total !== null && rows.length > 0 && <p class="quiet">{Number(total).toLocaleString('en')} in total</p>}
      {hasPages && (before || after) && (
        <nav class="pager" aria-label={`Pages of the list: ${table.caption}`}>
          {before && (
            <button type="button" onClick={() => setQuery({ cursor: before })}>
              Previous page
            </button>
          )}
          {after && (
            <button type="button" onClick={() => setQuery({ cursor: after })}>
              Next page
            </button>
          )}
        </nav>
      )}
    </div>
  );
}
