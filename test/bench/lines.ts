/** The lines of the bench: what is promised, and what was measured. */

import { elsewherePromises, floorPromises } from './floor-promises.ts';
import { atLeast, atMost, type Promised } from './promises.ts';
import { median, type Series } from './series.ts';

/** Every line by its name, in the order of the table. A promise is what holds on the slower of the processors at hand. */
export const promises = {
  'refresh/durable': atLeast(3.3),
  'refresh/map': atLeast(1),
  'refresh/floor': atLeast(0.75),
  'refresh/p99': atMost(25),
  'refresh/rss': atMost(220),
  'refresh/es256': atMost(0.8, 'ratio'),
  'refresh/million': atMost(1.3, 'ratio'),
  'registration/durable': atLeast(2.8),
  'client-credentials/durable': atLeast(1.8),
  introspection: atLeast(1.5),
  ...floorPromises,
  'delegated/argon2': atLeast(0.9),
  'delegated/refresh-p99': atMost(2, 'ratio'),
  'document/authorize': atMost(1.1, 'ratio'),
  'document/first': atMost(1.1, 'ratio'),
  'document/refresh': atMost(1.1, 'ratio'),
  'postgres/one': atLeast(2.5),
  'postgres/floor': atLeast(0.6),
  'postgres/two': atLeast(1.5),
  'postgres/cost': atMost(1.08, 'ratio'),
  ...elsewherePromises,
  'list/million': atMost(2, 'ratio'),
  'postgres/list': atMost(2, 'ratio'),
  'list/count': atMost(2, 'ratio'),
  'postgres/count': atMost(2, 'ratio'),
  'list/search': atMost(20),
  'postgres/search': atMost(20),
  'list/numbered': atMost(2, 'ratio'),
  'list/wildcard': atMost(2, 'ratio'),
  'audit/chain': atLeast(1, 'figure'),
  'audit/postgres': atLeast(1, 'figure'),
  'hook/warm': atMost(2),
  'hook/p99': atMost(10),
  'hook/rate': atLeast(400, 'figure'),
  'hook/change': atMost(300),
  // Reported only: the values depend on the machine.
  'hook/neighbour': atMost(10),
  'hook/accounts': atMost(300),
  'hook/memory': atMost(96),
  'start/empty': atMost(1.5),
  'start/1gb': atMost(2),
} as const satisfies Record<string, Promised>;

export type LineName = keyof typeof promises;

export interface Line {
  readonly line: LineName;
  readonly figure: number;
  readonly unit: string;
  /** The same figure of what it is compared with; null where nothing is. */
  readonly against: number | null;
  readonly ratio: number | null;
  readonly target: number | null;
  /** Null where nothing is promised. */
  readonly holds: boolean | null;
  /** What it is compared with, in words for the table. */
  readonly peer: string;
}

interface Found {
  readonly figure: number;
  readonly unit: string;
  readonly against?: number | null;
  readonly ratio?: number | null;
  readonly peer?: string;
  /** Errors void a figure. */
  readonly errors?: number;
  /** On this machine nothing is promised. */
  readonly promised?: boolean;
}

/** A line with the verdict on it. */
export function line(name: LineName, found: Found): Line {
  const { figure, unit, against = null, ratio = null, peer = '', errors = 0, promised = true } = found;
  const { bound, value, of } = promises[name];
  const measured = of === 'ratio' ? (ratio ?? Number.NaN) : figure;
  const met = bound === 'at least' ? measured >= value : measured <= value;
  const holds = met && errors === 0;
  return {
    line: name,
    figure,
    unit,
    against,
    ratio,
    target: promised ? value : null,
    // A figure that errors void is no report either.
    holds: promised || errors > 0 ? holds : null,
    peer,
  };
}

/** Answers per second of one server against another's, round by round. */
export function rateLine(name: LineName, own: Series, peer: Series, promised = true): Line {
  return line(name, {
    figure: median(own.measurements.map(({ perSecond }) => perSecond)),
    unit: 'req/s',
    against: median(peer.measurements.map(({ perSecond }) => perSecond)),
    ratio: median(pairs(own, peer).map(([one, other]) => one / other)),
    peer: peer.label,
    errors: own.errors + peer.errors,
    promised,
  });
}

/** Time per answer of one server against another's, round by round. */
export function costLine(name: LineName, own: Series, peer: Series): Line {
  return line(name, {
    figure: median(own.measurements.map(({ perSecond }) => 1e6 / perSecond)),
    unit: 'µs/req',
    against: median(peer.measurements.map(({ perSecond }) => 1e6 / perSecond)),
    ratio: median(pairs(own, peer).map(([one, other]) => other / one)),
    peer: peer.label,
    errors: own.errors + peer.errors,
  });
}

/** Processor time per answer of one server's requests against others, round by round. */
export function processorLine(name: LineName, own: Series, peer: Series, promised = true): Line {
  const timesOf = ({ measurements }: Series) =>
    measurements.map(({ serverMicroseconds }) => serverMicroseconds ?? Number.NaN);
  const [times, others] = [timesOf(own), timesOf(peer)];
  return line(name, {
    figure: median(times),
    unit: 'µs/req',
    against: median(others),
    ratio: median(times.map((time, round) => time / (others[round] ?? Number.NaN))),
    peer: peer.label,
    errors: own.errors + peer.errors,
    promised,
  });
}

/** The processor time of a peer's answer as a share of one's own, round by round; promises nothing. */
export function shareLine(name: LineName, own: Series, peer: Series): Line {
  const { figure, against, ratio } = processorLine(name, own, peer);
  const errors = own.errors + peer.errors;
  const share = ratio === null ? null : 1 / ratio;
  return line(name, { figure, unit: 'µs/req', against, ratio: share, peer: peer.label, errors, promised: false });
}

/** Answers per second of both in each round: adjacent rounds share the state of the machine. */
function pairs(own: Series, peer: Series): (readonly [number, number])[] {
  return own.measurements.map(({ perSecond }, round) => [perSecond, peer.measurements[round]?.perSecond ?? Number.NaN]);
}
