/** The numbers of the parameters in which a statement names accounts. */

const compared = /\baccount_id"?\s*=\s*(?:cast\()?\$(\d+)/gi;
const inserted = /\binsert into "?\w+"? \(([^()]*)\)\s*values\s*((?:\([^()]*\)(?:,\s*)?)+)/gi;
const listed = /\(([^()]*\baccount_id\b[^()]*)\) in \(((?:\([^()]*\)(?:,\s*)?)+)\)/gi;

/** Of lists of values below a list of columns. */
function inLists(columns: string, lists: string): number[] {
  const names = columns.split(',').map((name) => name.trim().replaceAll('"', '').replace(/^.*\./, ''));
  const at = names.indexOf('account_id');
  if (at === -1) return [];
  return [...lists.matchAll(/\(([^()]*)\)/g)].flatMap(([, list = '']) => {
    const [, position] = /^\s*\$(\d+)\s*$/.exec(list.split(',')[at] ?? '') ?? [];
    return position === undefined ? [] : [Number(position)];
  });
}

export function accountPositions(text: string): number[] {
  return [
    ...[...text.matchAll(compared)].map(([, position]) => Number(position)),
    ...[...text.matchAll(inserted)].flatMap(([, columns = '', lists = '']) => inLists(columns, lists)),
    ...[...text.matchAll(listed)].flatMap(([, columns = '', lists = '']) => inLists(columns, lists)),
  ];
}
