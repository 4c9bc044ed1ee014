/** The keywords that operations check themselves: docs/checks.md lists each of them, and nothing else. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { laterChecksOf } from '../../scripts/contract-rules/later.ts';
import { contracts, writtenContract } from '../support/conforms.ts';

const document = new URL('../../docs/checks.md', import.meta.url);

/** `TokenRequest.grant_type`, `grant_types[]`; a parameter by the name of its component. */
function placeOf(at: readonly string[]): string {
  const [, , component = '', ...inside] = at;
  const steps = inside.filter((step) => step !== 'properties' && step !== 'schema');
  return [component, ...steps].join('.').replaceAll('.items', '[]');
}

function rows(): string[] {
  return [...contracts.keys()].flatMap((surface) =>
    laterChecksOf(writtenContract(surface) as unknown as Readonly<Record<string, unknown>>).map(
      ({ at, keyword, reason }) => `| ${surface} | \`${placeOf(at)}\` | \`${keyword}\` | ${reason} |`,
    ),
  );
}

test('docs/checks.md lists what operations check themselves', () => {
  const listed = readFileSync(document, 'utf8')
    .split('\n')
    .filter((line) => /^\| [a-z0-9-]+ \| `/.test(line));
  assert.deepEqual(listed, rows());
});
