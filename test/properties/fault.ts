/** What can be wrong with a request, one thing at a time. */

import fc from 'fast-check';

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

/** What can be wrong with the proof that goes with a token that is bound to a key (RFC 9449 §4.3). */
export const proofFaultKinds = [
  'proof left out',
  'proof for another method',
  'proof for another address',
  'proof for another token',
  'proof without a live nonce',
  'proof of another time',
  'proof used before',
  'proof of another key',
  'proof signed by another key',
  'bound token as a bearer',
] as const;

export type ProofFaultKind = (typeof proofFaultKinds)[number];

export const faultKinds = [
  // A value that breaks the schema.
  'unfit value',
  'unfit body',
  'demand unmet',
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
  'answer not accepted',
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
  ...proofFaultKinds,
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
