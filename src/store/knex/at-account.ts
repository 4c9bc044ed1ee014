/**
 * Conditions that compare with a row's account, with the account itself in its place. What is correlated by a column is
 * found on all nodes of a distributed database: its planner hands a value on to what is joined, and not to subqueries
 * that stay subqueries.
 */

function replaced(sql: string, rows: readonly string[], value: () => string): string {
  return rows.reduce((text, row) => text.replaceAll(`= ${row}.account_id`, () => `= ${value()}`), sql);
}

/** Where the parenthesis that was opened before `from` closes. */
function closing(sql: string, from: number): number {
  let depth = 1;
  for (let at = from; at < sql.length; at += 1) {
    if (sql[at] === '(') depth += 1;
    else if (sql[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return sql.length;
}

/**
 * For a prepared statement of PostgreSQL whose first parameter is the account. Its plan is made for the average account:
 * with the account as a value, `exists` would become a list of all links of the account, which is short for most and
 * not for the largest. `offset 0` keeps the outer ones questions about one row.
 */
export function atFirst(sql: string, ...rows: readonly string[]): string {
  const opening = /\bexists \(/g;
  let text = replaced(sql, rows, () => '$1');
  for (let found = opening.exec(text); found; found = opening.exec(text)) {
    const end = closing(text, opening.lastIndex);
    text = `${text.slice(0, end)} offset 0${text.slice(end)}`;
    opening.lastIndex = end;
  }
  return text;
}

/** With its bindings; `sql` has none of its own. */
export function atAccount(
  sql: string,
  accountId: number,
  ...rows: readonly string[]
): [sql: string, bindings: number[]] {
  const bindings: number[] = [];
  const text = replaced(sql, rows, () => {
    bindings.push(accountId);
    return '?';
  });
  return [text, bindings];
}
