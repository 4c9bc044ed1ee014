import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contract } from '../../src/http/contract.ts';
import { prepareValidator } from '../../src/http/validator.ts';
import type { Services } from '../../src/services.ts';

/** None of them is called before a request arrives. */
const services = {} as Services;

function contract(schema: object, security: readonly object[] = []): Contract {
  const requestBody = { content: { 'application/json': { schema } } };
  const post = { operationId: 'make', security, requestBody, responses: {} };
  return { openapi: '3.1.0', info: {}, paths: { '/made': { post } }, components: {} } as unknown as Contract;
}

const reference = { $ref: '#/components/schemas/Made' };

test('a reference may have a description beside it, and nothing that would be lost', () => {
  prepareValidator(services, contract({ properties: { made: { ...reference, description: 'What was made.' } } }));
  assert.throws(
    () => prepareValidator(services, contract({ properties: { made: { ...reference, maxProperties: 1 } } })),
    /beside the reference to #\/components\/schemas\/Made stands more/,
  );
});

test('a security scheme without a handler is refused', () => {
  prepareValidator(services, contract(reference, [{ bearer: ['users'] }]));
  assert.throws(
    () => prepareValidator(services, contract(reference, [{ mutualTls: [] }])),
    /nothing checks who calls operation make/,
  );
});
