/** What every contract says about the size of a request's head, which the server bounds before any surface sees it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contracts } from '../support/conforms.ts';

interface Node {
  readonly $ref?: string;
  readonly [name: string]: unknown;
}

/** The line has 16384 bytes with all headers: what is left beside the method, the shortest path and the version. */
const longest = 16_000;

for (const [surface, { contract }] of contracts) {
  const follow = (node: Node): Node => {
    if (node.$ref === undefined) return node;
    const steps = node.$ref.slice(2).split('/');
    const at = (from: unknown, step: string) => (from as Node)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
    return follow(steps.reduce<unknown>(at, contract) as Node);
  };

  test(`${surface} documents the limits of headers, and 431`, () => {
    const said = contract.info.description ?? '';
    for (const word of ['431', '16384 bytes', '60 headers']) assert.ok(said.includes(word), word);
  });

  test(`${surface} has no parameter longer than a request line`, () => {
    for (const [path, item] of Object.entries(contract.paths)) {
      for (const operation of Object.values(item)) {
        const { parameters = [] } = operation as { readonly parameters?: readonly Node[] };
        for (const written of parameters) {
          const { name, schema } = follow(written);
          const { maxLength = 0 } = follow(schema as Node) as { readonly maxLength?: number };
          assert.ok(maxLength <= longest, `${path}: ${String(name)} may have ${maxLength} characters`);
        }
      }
    }
  });
}
