import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Contract, ContractOperation } from '../../src/http/contract.ts';
import { keepRequestState, type RequestState } from '../../src/http/request-state.ts';
import { prepareValidator } from '../../src/http/validator.ts';
import { pathParametersOf } from '../../src/http/validator-shortcuts.ts';
import type { Services } from '../../src/services.ts';

const require = createRequire(import.meta.url);
const services = {} as Services;

const get = {
  operationId: 'find',
  security: [],
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 3 } }],
  responses: {},
};
const contract = { openapi: '3.1.0', info: {}, paths: { '/made/{id}': { get } } } as unknown as Contract;

/**
 * Runs the steps of a validator for a request, and gives the request as they leave it. Rejects where they refuse it.
 */
async function pass(steps: readonly RequestHandler[], path: string, id: string): Promise<Request> {
  const app = { param: () => undefined, enabled: () => false };
  const sent = { app, method: 'GET', path, originalUrl: path, url: path, baseUrl: '', headers: {}, query: {} };
  const [req, res] = [sent as unknown as Request, { locals: {} } as Response];
  keepRequestState(res, {
    operation: get as unknown as ContractOperation,
    pathParameters: { id } as Readonly<Record<string, string>>,
  } as RequestState);
  for (const step of steps) {
    await new Promise<void>((resolve, reject) => {
      const next: NextFunction = (error?: unknown) => (error ? reject(error) : resolve());
      Promise.resolve(step(req, res, next)).catch(reject);
    });
  }
  return req;
}

test("the validator's version is the one that the shortcuts were written for", () => {
  const { version } = require('express-openapi-validator/package.json');
  assert.equal(
    version,
    '5.6.2',
    'read src/http/validator-shortcuts.ts against the new release: is each cost still there, and is it still avoided?',
  );
});

test('an operation is looked up once, and every request is validated against it', async () => {
  const steps = prepareValidator(services, contract)();
  await assert.rejects(pass(steps, '/elsewhere', 'one'), { status: 404 });
  assert.deepEqual(pathParametersOf(await pass(steps, '/made/one', 'one')), { id: 'one' });
  // This path is in no contract: only the lookup, which does not run again, would refuse it.
  assert.deepEqual(pathParametersOf(await pass(steps, '/elsewhere', 't%20o')), { id: 't o' });
  await assert.rejects(pass(steps, '/made/four', 'four'), { status: 400 });
  await assert.rejects(pass(steps, '/made/%ff', '%ff'), { code: 'request_malformed' });
});

test('a path that is not UTF-8 is refused in our words, by the first request of an operation too', async () => {
  await assert.rejects(pass(prepareValidator(services, contract)(), '/made/%ff', '%ff'), { code: 'request_malformed' });
});

test('the OpenAPI schema compiled for a contract is empty', async () => {
  const { prototype } = require('ajv/dist/2020').default;
  const { compile } = prototype;
  const compiled: object[] = [];
  prototype.compile = function (this: unknown, schema: object, ...rest: unknown[]) {
    compiled.push(schema);
    return compile.call(this, schema, ...rest);
  };
  try {
    await pass(prepareValidator(services, contract)(), '/made/one', 'one');
  } finally {
    prototype.compile = compile;
  }
  assert.deepEqual(compiled[0], {});
  // The others are those of the operation.
  assert.ok(compiled.slice(1).every((schema) => 'properties' in schema));
});

test('the schemas of an operation hold nothing else of its contract', async () => {
  const { prototype } = require('ajv/dist/2020').default;
  const { addSchema } = prototype;
  const added: { readonly paths?: object; readonly components?: object }[] = [];
  prototype.addSchema = function (this: unknown, schema: object, ...rest: unknown[]) {
    added.push(schema);
    return addSchema.call(this, schema, ...rest);
  };
  try {
    const schemas = { Unused: { type: 'object' } };
    await pass(prepareValidator(services, { ...contract, components: { schemas } })(), '/made/one', 'one');
  } finally {
    prototype.addSchema = addSchema;
  }
  const ofOperation = added.filter((schema) => 'paths' in schema);
  assert.equal(ofOperation.length, 2, 'parameters and body');
  for (const { paths, components } of ofOperation) {
    assert.deepEqual([paths, components], [{}, { securitySchemes: undefined }]);
  }
});

test('the warning about url.parse is suppressed, and other warnings are printed', async () => {
  const program = `
    import { parse } from 'node:url';
    import { prepareValidator } from './src/http/validator.ts';
    prepareValidator({}, ${JSON.stringify(contract)})();
    parse('/');
    process.emitWarning('old', 'DeprecationWarning');`;
  const args = ['--input-type=module', '--eval', program];
  const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: new URL('../..', import.meta.url) });
  assert.doesNotMatch(stderr, /url\.parse/);
  assert.match(stderr, /DeprecationWarning: old/);
});
