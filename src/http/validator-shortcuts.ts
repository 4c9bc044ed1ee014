/**
 * express-openapi-validator 5.6.2 has four costs that none of its options avoids. The shortcuts here avoid them from
 * outside. They change how fast a request is checked, not what is refused. If a later release drops a cost, its
 * shortcut has no effect; if it renames the lookup, the service does not start. For any other release than 5.6.2,
 * test/http/validator-shortcuts.test.ts fails until this module has been reviewed against it.
 */

import { createRequire } from 'node:module';
import { parse } from 'node:url';
import type { Request, RequestHandler } from 'express';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { Failure } from '../domain/failure.ts';
import type { ContractOperation } from './contract.ts';
import { requestStateOf } from './request-state.ts';

/** What the validator sets on a request once it knows the operation, for handlers to read. */
interface Matched {
  readonly pathParams: Readonly<Record<string, string>>;
}

type MatchedRequest = Request & { openapi?: Matched };

/** Must be called before a validator is made. */
export function prepareShortcuts(): void {
  warnOfUrlParseOnce();
  leaveSchemaOfOpenApiOut();
  leaveContractOut();
}

/**
 * The validator calls `url.parse` for every request. Until Node has warned once that this is deprecated, it walks the
 * stack at each call to find out whether to warn: 6 microseconds instead of 0.1, and more on a deep stack. This call
 * uses up the warning without printing it.
 */
function warnOfUrlParseOnce(): void {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  parse('/');
  process.noDeprecation = noDeprecation ?? false;
}

/**
 * The validator compiles OpenAPI's own schema for each contract, even with `validateApiSpec: false`: 60 ms of processor
 * time each. Here the schema is empty. Contracts are checked against the real one where they are written
 * (`npm run check`).
 */
function leaveSchemaOfOpenApiOut(): void {
  const schema: Record<string, unknown> = createRequire(import.meta.url)(
    'express-openapi-validator/dist/framework/openapi.v3_1.modified.schema.json',
  );
  for (const key of Object.keys(schema)) delete schema[key];
}

interface Document {
  readonly components?: { readonly securitySchemes?: object };
}

/**
 * The validator repeats the whole contract in both schemas of each operation, for references into it, and Ajv walks
 * through all of it: up to 7 ms of processor time at an operation's first request. References are replaced by then.
 */
function leaveContractOut(): void {
  Object.defineProperty(RequestValidator.prototype, 'apiDoc', {
    configurable: true,
    set(this: RequestValidator, { components: { securitySchemes } = {}, ...rest }: Document) {
      const value = { ...rest, paths: {}, components: { securitySchemes } };
      Object.defineProperty(this, 'apiDoc', { value });
    },
  });
}

/**
 * For every request, the validator tries each path of its contract in turn and compiles the pattern of each: 35
 * microseconds a path. Here it does so once for each operation. Our router knows which operation a request is for.
 */
export function lookUpOnce(steps: readonly RequestHandler[]): RequestHandler[] {
  const index = steps.findIndex(({ name }) => name === 'metadataMiddleware');
  const lookUp = steps[index];
  if (!lookUp) throw new Error('the validator looks operations up in another way than this release');
  const known = new WeakMap<ContractOperation, Matched>();
  return steps.with(index, (req: MatchedRequest, res, next) => {
    const { operation, pathParameters } = requestStateOf(res);
    // Before the validator's own lookup, which says it in other words.
    const pathParams = decoded(pathParameters);
    const matched = operation && known.get(operation);
    if (matched) {
      req.openapi = { ...matched, pathParams };
      req.params = req.openapi.pathParams;
      return next();
    }
    return lookUp(req, res, (error) => {
      if (!error && operation && req.openapi) known.set(operation, req.openapi);
      next(error);
    });
  });
}

/** Path parameters as the validator read them: it keeps them here, since a router forgets those set by a middleware. */
export function pathParametersOf(req: MatchedRequest): Readonly<Record<string, string>> {
  return req.openapi?.pathParams ?? {};
}

function decoded(raw: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    throw new Failure('request_malformed', { message: 'the path is not UTF-8' });
  }
}
