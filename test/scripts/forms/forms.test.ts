import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Document, JsonObject } from '../../../scripts/contract/document.ts';
import { combine } from '../../../scripts/forms/combine.ts';
import { toOpenApi30 } from '../../../scripts/forms/openapi-3.0.ts';
import { toPostman } from '../../../scripts/forms/postman.ts';
import { operationsOf } from './same.ts';

const folder = new URL('../../../generated/', import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Document;
const surfaces = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length));

describe('OpenAPI 3.0', () => {
  for (const surface of surfaces) {
    test(`${surface} says the same as in 3.1`, () => {
      const older = read(`forms/${surface}-3.0`);
      assert.equal(older['openapi'], '3.0.3');
      const [expected, found] = [operationsOf(read(surface)), operationsOf(older)];
      assert.deepEqual([...found.keys()], [...expected.keys()]);
      for (const [operation, content] of expected) assert.deepEqual(found.get(operation), content, operation);
      assert.deepEqual(older['servers'], read(surface)['servers']);
    });
  }

  test('what 3.0 cannot say in the same words it says in its own', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: ['string', 'null'], examples: ['Ann'] },
        kind: { type: 'string', const: 'user' },
        owner: { $ref: '#/components/schemas/Owner', description: 'Whose it is.' },
      },
    };
    const older = toOpenApi30({
      openapi: '3.1.1',
      info: { title: 'A', version: '1', license: { name: 'Apache', identifier: 'Apache-2.0' } },
      webhooks: { changed: {} },
      paths: {},
      components: { schemas: { Part: schema, Owner: { type: 'object' } } },
    });
    const made = JSON.parse(JSON.stringify(older)) as {
      readonly info: JsonObject;
      readonly components: { readonly schemas: { readonly Part: { readonly properties: JsonObject } } };
    };
    assert.deepEqual(made.components.schemas.Part.properties, {
      name: { type: 'string', nullable: true, example: 'Ann' },
      kind: { type: 'string', enum: ['user'] },
      owner: { allOf: [{ $ref: '#/components/schemas/Owner' }], description: 'Whose it is.' },
    });
    assert.deepEqual(made.info['license'], { name: 'Apache', url: 'https://spdx.org/licenses/Apache-2.0.html' });
    assert.ok(!('webhooks' in made));
  });
});

describe('all surfaces in one contract', () => {
  const all = read('forms/gatehouse');

  test('every operation of every surface is there, with a tag that says its surface', () => {
    const found = operationsOf(all);
    const ids = [...found.values()].map(({ operationId }) => operationId);
    assert.equal(new Set(ids).size, ids.length);
    let count = 0;
    for (const surface of surfaces) {
      for (const [operation, { tags, operationId, security, ...content }] of operationsOf(read(surface))) {
        count += 1;
        const { tags: here, operationId: id, security: schemes, ...rest } = found.get(operation) ?? {};
        assert.deepEqual(rest, content, operation);
        assert.deepEqual(
          here,
          (tags as string[]).map((tag) => `${surface} ${tag}`),
        );
        const [verb = '', noun = ''] = String(operationId).split(/(?=[A-Z])(.*)/);
        assert.ok(String(id).startsWith(verb) && String(id).endsWith(noun), operation);
        const scopes = (one: unknown) => (one as JsonObject[]).map((each) => Object.values(each));
        assert.deepEqual(scopes(schemes), scopes(security));
      }
    }
    assert.equal(found.size, count);
  });

  test('an operation has the addresses of its surface', () => {
    const paths = all['paths'] as Record<string, JsonObject>;
    for (const surface of surfaces) {
      const { servers, paths: own } = read(surface) as { servers: { url: string }[]; paths: JsonObject };
      for (const path of Object.keys(own)) {
        const here = (paths[path]?.['servers'] ?? all['servers']) as { url: string }[];
        assert.equal(here[0]?.url, servers[0]?.url, path);
      }
    }
  });

  const contract = (path: string, schemas: object, operationId = 'readAll') => ({
    openapi: '3.1.1',
    info: { version: '1' },
    servers: [{ url: 'https://example.com' }],
    tags: [{ name: 'Things' }],
    'x-owns': [path],
    paths: {
      [path]: {
        get: {
          operationId,
          tags: ['Things'],
          security: [{ key: [] }],
          description: 'See [other](#tag/Things).',
          responses: { 200: { $ref: '#/components/schemas/Thing' } },
        },
      },
    },
    components: { schemas, securitySchemes: { key: { type: 'http', scheme: path.slice(1) } } },
  });

  test('what is the same is shared; what has the same name and is not gets its surface in front, where it is used too', () => {
    const shared = { type: 'object', properties: { part: { $ref: '#/components/schemas/Part' } } };
    const made = combine(
      new Map([
        ['xml', contract('/x', { Thing: shared, Part: { type: 'string' }, thing2: {} })],
        ['api-2', contract('/a', { Thing: shared, Part: { type: 'integer' }, Thing2: { type: 'null' } })],
        ['oidc-2', contract('/o', { Thing: shared, Part: { type: 'integer' } })],
      ]),
    ) as {
      paths: Record<string, { get: JsonObject }>;
      components: { schemas: JsonObject; securitySchemes: JsonObject };
    };
    const { schemas, securitySchemes } = made.components;
    assert.deepEqual(Object.keys(schemas), ['Thing', 'Part', 'Thing2', 'XmlThing', 'XmlPart', 'XmlThing2']);
    assert.deepEqual(schemas['XmlThing'], {
      ...shared,
      properties: { part: { $ref: '#/components/schemas/XmlPart' } },
    });
    assert.deepEqual(Object.keys(securitySchemes), ['key', 'oidc2Key', 'xmlKey']);
    assert.deepEqual(made.paths['/x']?.get['operationId'], 'readXmlAll');
    assert.deepEqual(made.paths['/x']?.get['security'], [{ xmlKey: [] }]);
    assert.deepEqual(made.paths['/x']?.get['description'], 'See [other](/docs/xml#tag/Things).');
    assert.deepEqual(made.paths['/o']?.get['responses'], { 200: { $ref: '#/components/schemas/Thing' } });
  });

  test('values of the same name get their surface in front, since Go knows them by package', () => {
    const size = { type: 'string', enum: ['s', 'l'] };
    const made = combine(
      new Map([
        ['api-2', contract('/a', { Thing: size })],
        ['xml', contract('/x', { Size: { ...size, 'x-enum-varnames': ['S', 'LARGE'] }, Other: { enum: ['m'] } })],
      ]),
    ) as { components: { schemas: JsonObject } };
    assert.deepEqual(made.components.schemas, {
      Thing: size,
      Size: { ...size, 'x-enum-varnames': ['XML_S', 'XML_LARGE'] },
      Other: { enum: ['m'] },
    });
  });

  test('a surface without a place in the order, and a path of two surfaces, are refused', () => {
    assert.throws(() => combine(new Map([['new-1', contract('/n', {})]])), /new-1: put it at the end/);
    const both = new Map(['xml', 'api-2'].map((surface) => [surface, contract('/same', {})]));
    assert.throws(() => combine(both), /two surfaces have the path \/same/);
  });
});

describe('the collection for Postman', () => {
  interface Item {
    readonly name: string;
    readonly item?: readonly Item[];
    readonly request?: {
      readonly method: string;
      readonly url: { readonly path: readonly string[]; readonly query: readonly { readonly key: string }[] };
      readonly header: readonly { readonly key: string }[];
      readonly body?: { readonly raw?: string; readonly urlencoded?: readonly unknown[] };
    };
  }
  const collection = read('forms/postman') as unknown as Item & { readonly info: JsonObject };

  function* requestsOf(item: Item): Generator<Required<Item>['request']> {
    if (item.request) yield item.request;
    for (const one of item.item ?? []) yield* requestsOf(one);
  }

  test('is the same each time', async () => {
    // The check of what is generated compares the whole one with its file.
    const [one, other] = [await toPostman(read('oidc-2')), await toPostman(read('oidc-2'))];
    assert.deepEqual(other, one);
    assert.ok([...requestsOf(one as Item)].length > 1);
  });

  test('has the format that tools import', () => {
    assert.equal(collection.info['schema'], 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json');
  });

  test('has a request for each operation, with all parameters and a body from the example', () => {
    const requests = new Map(
      [...requestsOf(collection)].map((request) => [`${request.method} /${request.url.path.join('/')}`, request]),
    );
    const operations = operationsOf(read('forms/gatehouse'));
    // A parameter that is a part of a segment of the path is a variable of the collection.
    const nameOf = (operation: string) =>
      operation.replace(/\{(\w+)\}(?=\.)/g, '{{$1}}').replace(/\/\{(\w+)\}/g, '/:$1');
    assert.deepEqual([...requests.keys()].toSorted(), [...operations.keys()].map(nameOf).toSorted());
    for (const [operation, { parameters, requestBody }] of operations) {
      const request = requests.get(nameOf(operation));
      const named = (place: string) =>
        (parameters as { name: string; place: string }[]).filter((one) => one.place === place).map(({ name }) => name);
      const query = new Set(request?.url.query.map(({ key }) => key));
      for (const name of named('query')) assert.ok(query.has(name), `${operation} ${name}`);
      const { raw, urlencoded } = request?.body ?? {};
      assert.equal(requestBody !== undefined, raw !== undefined || urlencoded !== undefined, operation);
      if (raw !== undefined) assert.doesNotMatch(raw, /<(?:string|integer|boolean)>/, operation);
    }
  });
});
