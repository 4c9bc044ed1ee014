/** Exactly one thing wrong with a request that is right in all else: which kinds there are for an operation. */

import fc from 'fast-check';
import { bodyFaults, valueFaults } from './content-faults.ts';
import { needsLive } from './live.ts';
import type { Operation } from './operations.ts';

/** One thing wrong. Plain data, so that a failing case shows it. */
export interface Fault {
  readonly kind: FaultKind;
  readonly place?: 'query' | 'path' | 'headers' | 'body';
  /** The parameter or member that is wrong. */
  readonly name?: string;
  readonly value?: unknown;
  /** Where the fault is a value's, the keyword of the schema that it breaks. */
  readonly keyword?: string;
  /** Chooses where several things would do. */
  readonly pick: number;
}

export const faultKinds = [
  // A value that breaks the schema.
  'unfit value',
  'unfit body',
  // Text.
  'given twice',
  'control character',
  'lone surrogate',
  'bad UTF-8',
  // The body.
  '__proto__',
  'nested too deep',
  'malformed body',
  'empty body',
  'no body',
  'oversized body',
  'too many members',
  'wrong media type',
  'no media type',
  'wrong charset',
  'compressed body',
  // The request.
  'wrong method',
  'unknown host',
  'malformed host',
  'two hosts',
  'no host',
  'foreign target',
  'body where none is taken',
  'undecodable path',
  // What must be live.
  'left out',
  'changed',
  "another account's",
  'expired',
  'too little scope',
  'user locked',
  'user suspended',
] as const;

export type FaultKind = (typeof faultKinds)[number];

export type FaultArbitrary = fc.Arbitrary<Fault>;

/** A fault of the kind, with what it needs. */
export function fault(
  kind: FaultKind,
  more: Partial<Record<'place' | 'name' | 'value' | 'keyword', fc.Arbitrary<unknown>>> = {},
): FaultArbitrary {
  return fc.record({ kind: fc.constant(kind), pick: fc.nat(1000), ...more }) as FaultArbitrary;
}

/** Any one thing wrong with a request of the operation; every kind is as likely as every other. */
export function faultsOf(operation: Operation): fc.Arbitrary<Fault> {
  return fc.oneof(
    ...[...valueFaults(operation), ...bodyFaults(operation), ...requestFaults(operation), ...liveFaults(operation)],
  );
}

function requestFaults({ methods, crossOrigin, template }: Operation): FaultArbitrary[] {
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', ...(crossOrigin ? [] : ['OPTIONS'])];
  const hosts = ['nobody.gatehouse.example', 'gatehouse.example', 'example.com', '127.0.0.1:1', '[::1]'];
  return [
    fault('wrong method', { value: fc.constantFrom(...others.filter((method) => !methods.includes(method))) }),
    fault('unknown host', { value: fc.constantFrom(...hosts) }),
    fault('malformed host', { value: fc.constantFrom('', 'user@', 'a b', '%00.', 'é.', 'a,') }),
    fault('two hosts'),
    fault('no host'),
    fault('foreign target', { value: fc.constantFrom('http://example.com', 'https://user@', 'http://') }),
    ...(template.includes('{')
      ? [fault('undecodable path', { value: fc.constantFrom('%FF', '%zz', '%', '%E0%A4%A') })]
      : []),
  ];
}

function liveFaults(operation: Operation): FaultArbitrary[] {
  if (!needsLive(operation)) return [];
  const kinds = [
    'left out',
    'changed',
    "another account's",
    'expired',
    'too little scope',
    'user locked',
    'user suspended',
  ] as const;
  return kinds.map((kind) => fault(kind));
}
