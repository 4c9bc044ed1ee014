/** The keywords that operations check themselves: docs/checks.md lists each of them, and nothing else. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { laterChecksOf } from '../../scripts/contract-rules/later.ts';
import type { Contract, ContractOperation } from '../../src/http/contract.ts';
import { contracts, writtenContract } from '../support/conforms.ts';

const document = new URL('../../docs/checks.md', import.meta.url);

/** `TokenRequest.grant_type`, `grant_types[]`; in an operation `GET /api/2/users []`. */
function placeOf(contract: Contract, at: readonly string[]): string {
  const [first, second = '', third = '', ...rest] = at;
  if (first !== 'paths') {
    const steps = rest.filter((step) => step !== 'properties' && step !== 'schema');
    return [third, ...steps].join('.').replaceAll('.items', '[]');
  }
  const [kind, index] = rest;
  const { parameters = [] } = (contract.paths[second]?.[third] ?? {}) as Partial<ContractOperation>;
  return `${third.toUpperCase()} ${second} ${kind === 'parameters' ? parameters[Number(index)]?.name : '[]'}`;
}

function rowsOf(surface: string): string[] {
  const contract = writtenContract(surface);
  return laterChecksOf(contract as unknown as Readonly<Record<string, unknown>>).map(
    ({ at, keyword, reason }) => `| ${surface} | \`${placeOf(contract, at)}\` | \`${keyword}\` | ${reason} |`,
  );
}

test('docs/checks.md lists what operations check themselves', () => {
  const listed = readFileSync(document, 'utf8')
    .split('\n')
    .filter((line) => /^\| [a-z0-9-]+ \| `/.test(line));
  assert.deepEqual(listed, [...contracts.keys()].flatMap(rowsOf));
});
