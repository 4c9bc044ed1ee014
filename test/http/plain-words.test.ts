/** What the validator says of each keyword, in plain words. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { everyText, hasControlCharacter } from '../../src/http/control-characters.ts';
import { inPlainWords, patterns } from '../../src/http/plain-words.ts';
import { type Operation, operationsOf, type Schema } from '../properties/operations.ts';
import { contracts } from '../support/conforms.ts';

const cases: readonly (readonly [schema: object, value: unknown, words: string])[] = [
  [{ required: ['name'] }, {}, 'is required'],
  [{ properties: {}, additionalProperties: false }, { name: 1 }, 'is not allowed'],
  [{ maxLength: 3 }, 'four', 'must have at most 3 characters'],
  [{ minLength: 1 }, '', 'must have at least 1 character'],
  [{ maxItems: 1 }, [1, 2], 'must have at most 1 item'],
  [{ minItems: 2 }, [], 'must have at least 2 items'],
  [{ maxProperties: 1 }, { a: 1, b: 2 }, 'must have at most 1 member'],
  [{ uniqueItems: true }, [1, 1], 'must not have the same item twice'],
  [{ minimum: 0 }, -1, 'must be at least 0'],
  [{ maximum: 10 }, 11, 'must be at most 10'],
  [{ pattern: '^[a-z]+$' }, 'A', 'does not have the documented form'],
  [{ pattern: '^[A-Za-z0-9]+$' }, '-', 'contains a character that is not allowed: only letters and digits are'],
  [{ type: 'string' }, 1, 'must be a string'],
  [{ type: ['integer', 'null'] }, 'a', 'must be an integer or null'],
  [{ type: ['string', 'boolean', 'null'] }, 1, 'must be a string, true or false or null'],
  [{ type: 'array' }, 1, 'must be an array'],
  [{ type: 'object' }, 1, 'must be an object'],
];

describe('inPlainWords', () => {
  const ajv = new Ajv2020({ strict: false });
  for (const [schema, value, words] of cases) {
    it(words, () => {
      const validate = ajv.compile(schema);
      assert.equal(validate(value), false);
      assert.equal(inPlainWords(validate.errors?.[0]?.message ?? ''), words);
    });
  }

  it('names the values of an enum, which the validator adds', () => {
    const message = 'must be equal to one of the allowed values: web, native, other';
    assert.equal(inPlainWords(message), 'must be web, native or other');
  });

  it('leaves what it does not know', () => {
    assert.equal(inPlainWords('must be an integer'), 'must be an integer');
  });

  it('has words for each pattern that the validator checks, and for no other', () => {
    const asked = operationsOf([...contracts.keys()]).flatMap((operation) => [
      ...operation.parameters.flatMap(({ schema }) => patternsIn(operation, schema)),
      ...operation.media.flatMap(({ schema }) => patternsIn(operation, schema)),
    ]);
    assert.deepEqual([...new Set(asked)].toSorted(), Object.keys(patterns).toSorted());
  });
});

function patternsIn(operation: Operation, written: Schema): string[] {
  const { pattern, items, additionalProperties: more, ...schema } = operation.resolve(written);
  const inside = [...Object.values(schema.properties ?? {}), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  for (const one of [items, more]) if (typeof one === 'object') inside.push(one);
  return [
    ...(pattern === undefined || pattern === everyText ? [] : [pattern]),
    ...inside.flatMap((one) => patternsIn(operation, one)),
  ];
}

it('the pattern of every text says which control characters are refused', () => {
  const pattern = new RegExp(everyText, 'u');
  for (let code = 0; code < 0xfffe; code += 1) {
    const character = String.fromCharCode(code);
    if (!character.isWellFormed()) continue;
    assert.equal(pattern.test(character), !hasControlCharacter(character), `U+${code.toString(16)}`);
  }
});
