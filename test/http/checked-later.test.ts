/** What operations check themselves is said to readers and generators, and not to the contract's checks. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutLaterChecks } from '../../src/http/checked-later.ts';

const letter = { type: 'string', enum: ['a', 'b'] };
const contract = (schema: object) => ({ components: { schemas: { Letter: letter, Made: schema } } });
const left = (schema: object) => withoutLaterChecks(contract(schema)).components.schemas.Made;

describe('withoutLaterChecks', () => {
  it('leaves out the keywords that are named, and the extension', () => {
    assert.deepEqual(
      left({ type: 'object', required: ['one'], minProperties: 1, 'x-checked-later': { required: 'error' } }),
      { type: 'object', minProperties: 1 },
    );
  });

  it('leaves the keywords out of what a reference leads to, in that place alone', () => {
    const properties = {
      asked: { $ref: '#/components/schemas/Letter', 'x-checked-later': { enum: 'order' }, description: 'Any.' },
      answered: { $ref: '#/components/schemas/Letter' },
    };
    assert.deepEqual(left({ properties }), {
      properties: {
        asked: { type: 'string', description: 'Any.' },
        answered: { $ref: '#/components/schemas/Letter' },
      },
    });
  });

  it('makes a parameter optional', () => {
    const parameter = { name: 'code', in: 'query', required: true, 'x-checked-later': { required: 'error' } };
    assert.deepEqual(left(parameter), { name: 'code', in: 'query' });
  });

  it('changes nothing else, and not the contract that it is given', () => {
    const whole = contract({ items: [letter], 'x-checked-later': { required: 'error' } });
    const before = structuredClone(whole);
    assert.equal(withoutLaterChecks(whole).components.schemas.Letter, letter);
    assert.deepEqual(whole, before);
  });

  it('refuses a reference to nothing', () => {
    assert.throws(() => left({ $ref: '#/components/schemas/None', 'x-checked-later': {} }), /None/);
  });
});
