/** Formats several values as Node's `util.format` does. */

import { inspect } from './inspect.ts';

/** Like `util.format`: `%s %d %i %f %j %o %O %c %%`, then the remaining values, separated by spaces. */
export function format(...values: unknown[]): string {
  const [first, ...rest] = values;
  if (typeof first !== 'string') return values.map(plain).join(' ');
  let next = 0;
  const text = first.replace(/%[sdifjoOc%]/g, (directive) => {
    if (directive === '%%') return rest.length > 0 ? '%' : directive;
    if (next >= rest.length) return directive;
    return substitute(directive, rest[next++]);
  });
  return [text, ...rest.slice(next).map(plain)].join(' ');
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value);
}

function substitute(directive: string, value: unknown): string {
  if (directive === '%c') return '';
  if (directive === '%j') return JSON.stringify(value) ?? 'undefined';
  if (directive === '%o' || directive === '%O') return inspect(value, directive === '%o' ? { depth: 4 } : null);
  return directive === '%s' ? substituteText(value) : substituteNumber(directive, value);
}

function substituteText(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  return typeof value === 'object' && value !== null ? inspect(value, { depth: 0 }) : String(value);
}

function substituteNumber(directive: string, value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'symbol' || (directive === '%d' && typeof value === 'object')) return 'NaN';
  if (directive === '%i') return String(Number.parseInt(String(value), 10));
  if (directive === '%f') return String(Number.parseFloat(String(value)));
  return Object.is(Number(value), -0) ? '-0' : String(Number(value));
}
