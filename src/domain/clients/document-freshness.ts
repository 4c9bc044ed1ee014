/** How long a metadata document is used before it is fetched again (RFC 9111 §4.2.1, within bounds of ours). */

import type { Milliseconds } from '../../store/time.ts';
import { day, minute } from '../durations.ts';
import type { EgressHeaders } from '../egress.ts';

const leastMilliseconds = 5 * minute;
const mostMilliseconds = day;

/** As the headers of the response say: at least five minutes, at most a day. */
export function freshFor(headers: EgressHeaders, now: Milliseconds): number {
  return Math.min(Math.max(saidBy(headers, now), leastMilliseconds), mostMilliseconds);
}

function saidBy(headers: EgressHeaders, now: Milliseconds): number {
  const of = (name: string) => headers.filter(([one]) => one === name).map(([, value]) => value);
  const directives = of('cache-control').join(',').toLowerCase();
  if (/(?:^|[\s,])(?:no-store|no-cache)(?:$|[\s,=])/.test(directives)) return 0;
  const seconds = secondsOf(directives, 's-maxage') ?? secondsOf(directives, 'max-age');
  if (seconds !== null) return (seconds - Number(/^\d{1,9}$/.exec(of('age')[0] ?? '')?.[0] ?? 0)) * 1000;
  const [expires = ''] = of('expires');
  const until = Date.parse(expires);
  return Number.isNaN(until) ? 0 : until - now;
}

function secondsOf(directives: string, name: string): number | null {
  const found = new RegExp(`(?:^|[\\s,])${name}="?(\\d{1,9})(?!\\d)`).exec(directives);
  return found === null ? null : Number(found[1]);
}
