import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longestParameters } from '../../../src/domain/login/authorization-query.ts';
import { contracts } from '../../support/conforms.ts';

test('a request object may contain the same parameters as a query, with the same limits', () => {
  const { contract } = contracts.get('oauth2') ?? {};
  const { schemas } = (contract as unknown as { components: { schemas: Record<string, unknown> } }).components;
  const { properties } = schemas['AuthorizationRequest'] as { properties: Record<string, { maxLength: number }> };
  // Where the request is, and what changes nothing.
  const { request: _1, request_uri: _2, display: _3, ui_locales: _4, ...parameters } = properties;
  const lengths = Object.entries(parameters).map(([name, { maxLength }]) => [name, maxLength]);
  assert.deepEqual(Object.fromEntries(lengths), longestParameters);
});
