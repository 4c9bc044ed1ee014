/**
 * One contract as one Express sub-app: find the operation → find the account → read the body → authenticate and
 * validate against the contract → dispatch by operationId → answer, or refuse by the surface's own table.
 */

import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { findAccountByHost } from '../domain/accounts/accounts.ts';
import { Failure, type FailureCode } from '../domain/failure.ts';
import type { Services } from '../services.ts';
import { securityHandlers } from './authenticate.ts';
import { readBody, readQuery } from './body.ts';
import { type Contract, type ContractOperation, readRoutes } from './contract.ts';
import { readCookies } from './cookies.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { failureOf, type InvalidCode } from './failure-of.ts';
import { findRoute, requireOperation } from './find-operation.ts';
import type { FailureTable, Handler, Handlers, Reply } from './operation.ts';
import { sendReply } from './send.ts';

export interface SurfaceDefinition<Operations> {
  readonly name: string;
  readonly contract: Contract;
  readonly handlers: Handlers<Operations>;
  readonly failures: FailureTable<Operations, unknown>;
  /** The code for a member that does not fit the contract, given its JSON pointer (`/body/redirect_uris/0`). */
  readonly invalid?: (operationId: keyof Operations & string, pointer: string) => FailureCode;
  /** What refusals outside any operation are written in. */
  readonly mediaType?: 'application/json' | 'text/html';
}

export interface Surface {
  readonly name: string;
  readonly contract: Contract;
  /** Whether this surface answers for the path, unknown paths below its prefixes included. */
  owns(path: string): boolean;
  readonly app: Express;
}

/** Makes a surface ready to mount. Throws when its contract leaves an operation's security unsaid. */
export function createSurface<Operations>(services: Services, definition: SurfaceDefinition<Operations>): Surface {
  const routes = readRoutes(definition.contract);
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  // Flat, and repetitions stay visible as arrays.
  app.set('query parser', 'simple');
  app.use(
    findRoute(definition.name, routes),
    findAccount(services),
    requireOperation(routes),
    readBody(),
    readQuery(),
    ...validator(services, definition.contract),
    dispatch(definition.handlers),
    refuse(services, definition),
  );
  const prefixes = definition.contract['x-owns'];
  return {
    name: definition.name,
    contract: definition.contract,
    app,
    owns: (path) => prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
  };
}

function findAccount(services: Services): RequestHandler {
  return async (req, res, next) => {
    const exchange = exchangeOf(res);
    if (exchange.malformed) throw exchange.malformed;
    exchange.account = await findAccountByHost(services, req.headers.host ?? '');
    if (!exchange.account) throw new Failure('account_unknown');
    next();
  };
}

function validator(services: Services, contract: Contract): RequestHandler[] {
  return OpenApiValidator.middleware({
    // The validator writes into what it is given, and it types a document more narrowly than it reads one.
    apiSpec: structuredClone(contract) as unknown as Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'],
    validateApiSpec: false,
    validateResponses: false,
    validateRequests: {
      allowUnknownQueryParameters: true,
      coerceTypes: false,
      removeAdditional: false,
      allErrors: false,
    },
    validateSecurity: { handlers: securityHandlers(services) },
    fileUploader: false,
  }) as RequestHandler[];
}

function dispatch<Operations>(handlers: Handlers<Operations>): RequestHandler {
  return async (req, res) => {
    const exchange = exchangeOf(res);
    const operation = exchange.operation as ContractOperation;
    const handler = handlers[operation.operationId as keyof Operations] as Handler<unknown>;
    const account = exchange.account;
    if (!account) throw new Failure('account_unknown');
    // Where a bearer is optional, one that was sent must do all the same (RFC 6750 §3.1).
    const { caller, callerFailure } = exchange;
    if (!caller && callerFailure && req.headers.authorization !== undefined) throw callerFailure;
    const reply = await handler(
      {
        path: pathParametersOf(req) as never,
        query: req.query as never,
        body: req.body as never,
        headers: req.headers as Record<string, string | undefined>,
        caller: exchange.caller,
        origin: {
          requestId: exchange.requestId,
          account,
          source: exchange.source,
          cookies: readCookies(req.headers.cookie),
        },
      },
      ((status: number, body?: unknown, headers = {}) => ({ status, body, headers })) as never,
    );
    sendReply(res, operation, reply as Reply<unknown>);
  };
}

/** As the validator read them: it keeps them on the request, since Express's router forgets those set by a middleware. */
function pathParametersOf(req: Request): Readonly<Record<string, string>> {
  return (req as { openapi?: { pathParams?: Record<string, string> } }).openapi?.pathParams ?? {};
}

function refuse<Operations>(services: Services, definition: SurfaceDefinition<Operations>): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => {
    const exchange = exchangeOf(res);
    const failure = failureOf(error, exchange, definition.invalid as InvalidCode | undefined);
    exchange.failure = failure;
    if (failure.code === 'internal') reportFault(services, failure, exchange);
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const row = definition.failures[failure.code];
    const context = {
      requestId: exchange.requestId,
      operation: exchange.operation?.operationId ?? null,
      account: exchange.account,
    };
    const reply = typeof row === 'function' ? row(failure, context) : row;
    const retryAfterSeconds = failure.detail.retryAfterSeconds ?? (failure.code === 'unavailable' ? 1 : undefined);
    if (retryAfterSeconds !== undefined) res.setHeader('retry-after', String(retryAfterSeconds));
    sendReply(res, exchange.operation, reply, definition.mediaType);
  };
}

function reportFault(services: Services, failure: Failure, exchange: Exchange): void {
  const { cause, detail } = failure;
  const fault = cause instanceof Error ? cause : failure;
  services.log.error('internal error', {
    requestId: exchange.requestId,
    ...(exchange.operation && { operation: exchange.operation.operationId }),
    ...(detail.reason !== undefined && { reason: detail.reason }),
    stack: fault.stack ?? fault.message,
  });
}
