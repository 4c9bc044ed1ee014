/** Exactly one thing wrong with a request that is right in all else: which kinds there are for an operation. */

import fc from 'fast-check';
import { bodyFaults, valueFaults } from './content-faults.ts';
import { type Fault, type FaultArbitrary, fault, proofFaultKinds } from './fault.ts';
import { needsLive } from './live.ts';
import type { Operation } from './operations.ts';

/** Any one thing wrong with a request of the operation; every kind is as likely as every other. */
export function faultsOf(operation: Operation): fc.Arbitrary<Fault> {
  return fc.oneof(
    ...[...valueFaults(operation), ...bodyFaults(operation), ...requestFaults(operation), ...liveFaults(operation)],
    ...proofFaults(operation),
  );
}

function requestFaults({ methods, crossOrigin, template, statuses }: Operation): FaultArbitrary[] {
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', ...(crossOrigin ? [] : ['OPTIONS'])];
  const hosts = ['nobody.gatehouse.example', 'gatehouse.example', 'example.com', '127.0.0.1:1', '[::1]'];
  return [
    fault('wrong method', { value: fc.constantFrom(...others.filter((method) => !methods.includes(method))) }),
    fault('unknown host', { value: fc.constantFrom(...hosts) }),
    fault('malformed host', { value: fc.constantFrom('', 'user@', 'a b', '%00.', 'é.', 'a,') }),
    fault('two hosts'),
    fault('no host'),
    fault('foreign target', { value: fc.constantFrom('http://example.com', 'https://user@', 'http://') }),
    ...(statuses.includes('406')
      ? [
          fault('answer not accepted', {
            value: fc.constantFrom('application/json', 'text/xml', 'application/xml;q=0'),
          }),
        ]
      : []),
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
  // Management is called for no user.
  const fitting = kinds.filter((kind) => operation.surface !== 'api-2' || !kind.startsWith('user '));
  return fitting.map((kind) => fault(kind));
}

function proofFaults({ security }: Operation): FaultArbitrary[] {
  return security.some((scheme) => scheme?.name === 'dpop') ? proofFaultKinds.map((kind) => fault(kind)) : [];
}
