import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOwnBreaks } from '../../../scripts/contract/own-rules.ts';

/** A contract with one operation that takes this schema, which can refer to the component `Part`. */
const withSchema = (schema: object, part: object = {}) => ({
  paths: {
    '/a': {
      post: {
        operationId: 'makeA',
        requestBody: { content: { 'application/json': { schema } } },
        responses: { 200: { description: 'Made.' } },
      },
    },
  },
  components: { schemas: { Part: part } },
});

const rules = (base: object, revision: object) =>
  findOwnBreaks(base as never, revision as never).map(({ rule, pointer }) => `${rule} ${pointer}`);
const place = '#/paths/~1a/post/requestBody/content/application~1json/schema';
/** The rules that find a change of the schema. */
const found = (was: object, is: object) => rules(withSchema(was), withSchema(is));

test('what a value means, and what generated code calls it', () => {
  const size = { type: 'integer', enum: [1, 2], 'x-enum-varnames': ['SMALL', 'LARGE'], default: 1 };
  assert.deepEqual(found(size, size), []);
  assert.deepEqual(found(size, { ...size, default: 2 }), [`default-changed ${place}`]);
  assert.deepEqual(found({ ...size, default: undefined }, size), []);
  assert.deepEqual(found(size, { ...size, 'x-enum-varnames': ['SMALL', 'BIG'] }), [`enum-name-changed ${place}`]);
  const more = { ...size, enum: [0, 1, 2], 'x-enum-varnames': ['TINY', 'SMALL', 'LARGE'] };
  assert.deepEqual(found(size, more), []);
});

test('the member that tells alternatives apart', () => {
  const pet = (propertyName: string) => ({ oneOf: [{ type: 'string' }], discriminator: { propertyName } });
  assert.deepEqual(found(pet('kind'), pet('type')), [`discriminator-changed ${place}`]);
});

test('a component matters where something that stays uses it', () => {
  const part = { type: 'object', properties: { old: { type: 'string' } } };
  const used = { type: 'object', properties: { part: { $ref: '#/components/schemas/Part' } } };
  const gone = { type: 'object', properties: {} };
  const lost = { type: 'object', properties: {} };
  assert.deepEqual(rules(withSchema(used, part), withSchema(used, lost)), [
    'property-removed #/components/schemas/Part/properties/old',
  ]);
  assert.deepEqual(rules(withSchema(used, part), withSchema(gone, lost)), [
    `property-removed ${place}/properties/part`,
  ]);
});

test('a plain value may move into a component and out of it; a type of generated code may not', () => {
  const used = { $ref: '#/components/schemas/Part' };
  const name = { type: 'string', maxLength: 20 };
  assert.deepEqual(rules(withSchema(used, name), withSchema(name)), []);
  assert.deepEqual(rules(withSchema(name), withSchema(used, name)), []);
  const size = { type: 'string', enum: ['s', 'l'] };
  assert.deepEqual(rules(withSchema(used, size), withSchema(size)), [`type-renamed ${place}`]);
});

test('schemas that contain themselves end', () => {
  const part = { type: 'object', properties: { inner: { $ref: '#/components/schemas/Part' } } };
  const contract = withSchema({ $ref: '#/components/schemas/Part' }, part);
  assert.deepEqual(rules(contract, structuredClone(contract)), []);
});

test('where a client gets its token, with which scopes, and the parts of its addresses', () => {
  const contract = (tokenUrl: string, scopes: object, variables: object) => ({
    paths: {},
    servers: [{ url: 'https://example.com', variables }],
    components: { securitySchemes: { bearer: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes } } } } },
  });
  const base = contract('/token', { read: '', write: '' }, { region: { default: 'eu' } });
  const flow = '#/components/securitySchemes/bearer/flows/clientCredentials';
  assert.deepEqual(rules(base, contract('/tokens', { write: '' }, {})), [
    'server-variable-removed #/servers/0/variables/region',
    `token-url-changed ${flow}`,
    `scope-removed ${flow}/scopes/read`,
  ]);
});
