/** Each rule for the served contracts finds what it is there for, and nothing in its mended form. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rules } from '../../scripts/contract-rules/rules.ts';
import type { Node } from '../../scripts/contract-rules/schemas-of.ts';

interface Example {
  readonly wrong: Node;
  readonly right: Node;
  /** Where the rule finds something in `wrong`. */
  readonly at: string;
}

const schemas = (members: Node, more: Node = {}) => ({ components: { schemas: members }, ...more });
const member = (schema: Node) => schemas({ Made: { type: 'object', properties: { one: schema } } });
const operation = (operationId: string, security: readonly Node[] = []) => ({
  paths: { '/made': { get: { operationId, security } } },
});
const schemes = (securitySchemes: Node) => ({ components: { securitySchemes } });
const managed = (security: readonly Node[]) => ({
  paths: { '/api/2/made': { get: { operationId: 'readMade', security } } },
  ...schemes({ bearer: {}, dpop: {} }),
});
const secured = (scheme: Node) => ({
  ...operation('readMade', [{ bearer: ['read_all'] }]),
  ...schemes({ bearer: scheme }),
});
const flow = (scopes: Node) => ({ type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token', scopes } } });

const maybe = '#/components/schemas/Maybe';
const inMember = 'components/schemas/Made/properties/one';
const examples: Readonly<Record<string, readonly Example[]>> = {
  'null-alone': [
    { wrong: member({ type: 'null' }), right: member({ type: ['string', 'null'] }), at: inMember },
    { wrong: member({ type: ['null'] }), right: member({ description: 'Anything.' }), at: inMember },
  ],
  'null-in-enum': [
    {
      wrong: member({ type: ['integer', 'null'], enum: [0, 1, null] }),
      right: member({ type: ['integer', 'null'], minimum: 0, maximum: 1 }),
      at: inMember,
    },
  ],
  'null-branch': [
    {
      wrong: member({ anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] }),
      right: member({ $ref: '#/components/schemas/Other' }),
      at: inMember,
    },
  ],
  'nullable-reference': [
    {
      wrong: schemas({ Maybe: { type: ['object', 'null'] }, Made: { properties: { one: { $ref: maybe } } } }),
      right: schemas({
        Maybe: { type: ['object', 'null'] },
        Made: { properties: { one: { $ref: maybe, 'x-nullable': true } } },
      }),
      at: inMember,
    },
  ],
  'constant-type': [
    { wrong: member({ type: 'boolean', const: false }), right: member({ type: 'boolean' }), at: inMember },
    { wrong: member({ type: 'boolean', enum: [true] }), right: member({ type: 'boolean' }), at: inMember },
    {
      wrong: member({ type: 'integer', const: 200 }),
      right: member({ type: 'integer', enum: [200] }),
      at: inMember,
    },
  ],
  'item-enum': [
    {
      wrong: member({ type: 'array', items: { type: 'string', enum: ['a', 'b'] } }),
      right: member({ type: 'array', items: { $ref: '#/components/schemas/Letter' } }),
      at: `${inMember}/items`,
    },
  ],
  'inline-object': [
    {
      wrong: member({ type: 'object', properties: { two: { type: 'string' } } }),
      right: member({ type: 'object', additionalProperties: { type: 'string' } }),
      at: inMember,
    },
  ],
  'inline-union': [
    {
      wrong: member({ oneOf: [{ type: 'string' }, { type: 'integer' }] }),
      right: schemas({ Code: { oneOf: [{ type: 'string' }, { type: 'integer' }] } }),
      at: inMember,
    },
  ],
  'array-branch': [
    {
      wrong: schemas({ Audience: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] } }),
      right: schemas({ Audience: { description: 'A text or an array of texts.' } }),
      at: 'components/schemas/Audience',
    },
  ],
  'enum-once': [
    {
      wrong: schemas({ First: { enum: ['a', 'b'] }, Second: { enum: ['b', 'a'] } }),
      right: schemas({ First: { enum: ['a', 'b'] }, Second: { enum: ['a', 'c'] } }),
      at: 'components/schemas/Second',
    },
  ],
  'enum-names': [
    {
      wrong: member({ enum: ['~', '!~'] }),
      right: member({ enum: ['~', '!~'], 'x-enum-varnames': ['HAS_ROLE', 'LACKS_ROLE'] }),
      at: inMember,
    },
    {
      wrong: schemas({ First: { enum: ['none', 'all'] }, Second: { enum: ['none', 'some'] } }),
      right: schemas({
        First: { enum: ['none', 'all'] },
        Second: { enum: ['none', 'some'], 'x-enum-varnames': ['SECOND_NONE', 'SECOND_SOME'] },
      }),
      at: 'components/schemas/Second',
    },
    {
      wrong: member({ enum: ['a', 'b'], 'x-enum-varnames': ['A'] }),
      right: member({ enum: ['a', 'b'] }),
      at: inMember,
    },
  ],
  'component-names': [
    {
      wrong: { components: { parameters: { Scope: {} }, schemas: { Scope: {} } } },
      right: { components: { parameters: { RequestedScope: {} }, schemas: { Scope: {} } } },
      at: 'components/schemas/Scope',
    },
    {
      wrong: schemas({ AccessToken: {}, Accesstoken: {} }),
      right: schemas({ AccessToken: {}, RefreshToken: {} }),
      at: 'components/schemas/Accesstoken',
    },
  ],
  'schema-names': [
    { wrong: schemas({ app_type: {} }), right: schemas({ AppType: {} }), at: 'components/schemas/app_type' },
    {
      wrong: schemas({ Configuration: {} }),
      right: schemas({ AppSettings: {} }),
      at: 'components/schemas/Configuration',
    },
    {
      wrong: schemas({ App: {}, NewApp: {} }),
      right: schemas({ App: {}, AppCreate: {} }),
      at: 'components/schemas/NewApp',
    },
    {
      wrong: schemas({ ReadAppRequest: {} }, operation('readApp')),
      right: schemas({ AppRequest: {} }, operation('readApp')),
      at: 'components/schemas/ReadAppRequest',
    },
  ],
  'operation-names': [
    { wrong: operation('authorize'), right: operation('requestAuthorization'), at: 'paths//made/get/operationId' },
  ],
  'scope-flow': [
    {
      wrong: secured({ type: 'http', scheme: 'bearer' }),
      right: secured(flow({ read_all: 'Everything.' })),
      at: 'paths//made/get/security',
    },
    { wrong: secured(flow({})), right: secured(flow({ read_all: 'Everything.' })), at: 'paths//made/get/security' },
  ],
  'administrators-admitted': [
    {
      wrong: managed([{ bearer: ['read_all'] }]),
      right: managed([{ bearer: ['read_all'] }, { dpop: ['read_all'] }]),
      at: 'paths//api/2/made/get/security',
    },
  ],
  'unused-component': [
    {
      wrong: schemas({ Made: {}, Used: {} }, { paths: { '/made': { $ref: '#/components/schemas/Used' } } }),
      right: schemas(
        { Shown: {}, Used: {} },
        {
          tags: [{ name: 'Made', description: '<SchemaDefinition schemaRef="#/components/schemas/Shown" />' }],
          paths: { '/made': { $ref: '#/components/schemas/Used' } },
        },
      ),
      at: 'components/schemas/Made',
    },
  ],
  'later-check': [
    {
      wrong: member({ type: 'string', maxLength: 5, 'x-checked-later': { maxLength: 'error' } }),
      right: member({ type: 'string', enum: ['a', 'b'], 'x-checked-later': { enum: 'error' } }),
      at: `${inMember}/x-checked-later`,
    },
    {
      wrong: member({ type: 'string', const: 'a', 'x-checked-later': { const: 'laziness' } }),
      right: member({ type: 'string', const: 'a', 'x-checked-later': { const: 'ignored' } }),
      at: `${inMember}/x-checked-later`,
    },
    {
      wrong: member({ type: 'string', 'x-checked-later': { enum: 'order' } }),
      right: schemas({
        Letter: { type: 'string', enum: ['a', 'b'] },
        Made: { properties: { one: { $ref: '#/components/schemas/Letter', 'x-checked-later': { enum: 'order' } } } },
      }),
      at: `${inMember}/x-checked-later`,
    },
  ],
};

describe('the rules for the served contracts', () => {
  for (const [name, rule] of Object.entries(rules)) {
    it(name, () => {
      const known = examples[name] ?? [];
      assert.ok(known.length > 0, 'no example');
      for (const { wrong, right, at } of known) {
        assert.deepEqual(
          rule(wrong).map((finding) => finding.at.join('/')),
          [at],
        );
        assert.deepEqual(rule(right), []);
      }
    });
  }
});
