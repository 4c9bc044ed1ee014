import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { contracts } from '../support/conforms.ts';
import { runsOf, sampled } from '../support/sample.ts';
import { validOf } from './arbitrary.ts';
import { breachesOf } from './breaches.ts';
import { operationsOf, type Schema } from './operations.ts';
import { readSeed } from './seed.ts';

const seed = readSeed();
const numRuns = runsOf(16);

describe('values generated from schemas', () => {
  for (const [surface, { schemas: schemasOf, contract }] of contracts) {
    const ajv = schemasOf();
    const { schemas = {} } = (contract as { components?: { schemas?: Record<string, Schema> } }).components ?? {};
    const { resolve } = operationsOf([surface])[0] ?? {};
    assert.ok(resolve, surface);
    // What is generated is no part of the service; the drill M9 tries all schemas.
    for (const [name, schema] of sampled(Object.entries(schemas), 12)) {
      const validate = ajv.compile({ $ref: `${surface}#/components/schemas/${name}` });

      it(`${surface} ${name}: valid values are accepted`, (t) => {
        t.diagnostic(`seed ${seed}`);
        const fits = fc.property(validOf(schema, resolve), (value) =>
          assert.ok(validate(value), ajv.errorsText(validate.errors)),
        );
        fc.assert(fits, { seed, numRuns });
      });

      it(`${surface} ${name}: values that violate one keyword are refused for it`, (t) => {
        t.diagnostic(`seed ${seed}`);
        for (const { keyword, values } of breachesOf(schema, resolve)) {
          const broken = fc.property(values, (value) => {
            assert.ok(!validate(value), `${keyword} is not violated`);
            const last = keyword.split(' ').at(-1);
            assert.ok(
              validate.errors?.some((error) => error.keyword === last),
              ajv.errorsText(validate.errors),
            );
          });
          fc.assert(broken, { seed, numRuns });
        }
      });
    }
  }
});
