/**
 * Three costs of express-openapi-validator that it has no option against (5.6.2), each met from outside. None of them
 * changes what is refused: without them the service does the same, more slowly. Each does nothing where a release does
 * without that cost, except that the start fails where the lookup has another name. The test beside them fails for every
 * other release until they have been held against it (test/http/validator-shortcuts.test.ts).
 */

import { createRequire } from 'node:module';
import { parse } from 'node:url';
import type { Request, RequestHandler } from 'express';
import { Failure } from '../domain/failure.ts';
import type { ContractOperation } from './contract.ts';
import { exchangeOf } from './exchange.ts';

/** What the validator notes on a request once it knows the operation: documented, for handlers to read. */
interface Matched {
  readonly pathParams: Readonly<Record<string, string>>;
}

type MatchedRequest = Request & { openapi?: Matched };

/** Call it before a validator is made. */
export function prepareShortcuts(): void {
  warnOfUrlParseOnce();
  leaveSchemaOfOpenApiOut();
}

/**
 * The validator calls `url.parse` for every request, and Node goes through the stack at each call to find out whom to
 * warn that it is deprecated, until it has warned once: 6 microseconds instead of 0.1, and more on a deep stack. It warns
 * nobody here.
 */
function warnOfUrlParseOnce(): void {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  parse('/');
  process.noDeprecation = noDeprecation ?? false;
}

/**
 * The validator compiles OpenAPI's own schema for each contract, also where it is told to check none
 * (`validateApiSpec: false`): 60 ms of processor time each. It has an empty one to compile here; contracts are checked
 * where they are written.
 */
function leaveSchemaOfOpenApiOut(): void {
  const schema: Record<string, unknown> = createRequire(import.meta.url)(
    'express-openapi-validator/dist/framework/openapi.v3_1.modified.schema.json',
  );
  for (const key of Object.keys(schema)) delete schema[key];
}

/**
 * The validator looks an operation up by trying every path of its contract in turn, whose pattern it compiles each time:
 * 35 microseconds a path. It does so once for each operation here; which one a request is for is known already.
 */
export function lookUpOnce(steps: readonly RequestHandler[]): RequestHandler[] {
  const index = steps.findIndex(({ name }) => name === 'metadataMiddleware');
  const lookUp = steps[index];
  if (!lookUp) throw new Error('the validator looks operations up in another way than this release');
  const known = new WeakMap<ContractOperation, Matched>();
  return steps.with(index, (req: MatchedRequest, res, next) => {
    const { operation, pathParameters } = exchangeOf(res);
    const matched = operation && known.get(operation);
    if (matched) {
      req.openapi = { ...matched, pathParams: decoded(pathParameters) };
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
