/**
 * One contract as one Express router: find the operation → find the account → read the body → authenticate and
 * validate against the contract → dispatch by operationId → answer, or refuse by the surface's own table.
 */

import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { findAccountByHost } from '../domain/accounts/accounts.ts';
import { isLegacyHost } from '../domain/accounts/hosts.ts';
import type { LimitName } from '../domain/accounts/settings.ts';
import { type Actor, actAs } from '../domain/audit/origin.ts';
import { Failure, type FailureCode } from '../domain/failure.ts';
import type { Services } from '../services.ts';
import { readBody, readQuery } from './body.ts';
import { type Contract, type ContractOperation, readRoutes } from './contract.ts';
import { readCookies } from './cookies.ts';
import { announceDeprecation, type Deprecation, identifyByKey, isSwitchedOff, readDeprecation } from './deprecation.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { failureOf, type InvalidCode } from './failure-of.ts';
import { findRoute, requireOperation } from './find-operation.ts';
import { readList } from './list.ts';
import { type ListRules, readListRules } from './list-contract.ts';
import type { FailureTable, Handler, Handlers, List, Origin, Reply, ReplyHeaders, Request } from './operation.ts';
import { sendReply } from './send.ts';
import { createValidator, pathParametersOf } from './validator.ts';

export interface SurfaceDefinition<Operations> {
  readonly name: string;
  readonly contract: Contract;
  readonly handlers: Handlers<Operations>;
  readonly failures: FailureTable<Operations, unknown>;
  /** The code for a member that does not fit the contract, given its JSON pointer (`/body/redirect_uris/0`). */
  readonly invalid?: (operationId: keyof Operations & string, pointer: string) => FailureCode;
  /** What refusals outside any operation are written in. */
  readonly mediaType?: 'application/json' | 'application/xml' | 'text/html';
  /** Counts every call of a known caller, by credential or API key; its answers say what is left. */
  readonly limit?: LimitName;
  /** A request without a body is read as an empty object, whatever its Content-Type says. */
  readonly emptyBody?: 'object';
}

export interface Surface {
  readonly name: string;
  readonly contract: Contract;
  /** Whether this surface answers for the path, unknown paths below its prefixes included. */
  owns(path: string): boolean;
  readonly router: Router;
}

/** Makes a surface ready to mount. Throws when its contract leaves an operation's security unsaid. */
export function createSurface<Operations>(services: Services, definition: SurfaceDefinition<Operations>): Surface {
  const routes = readRoutes(definition.contract);
  const deprecation = readDeprecation(definition.name, definition.contract);
  const byKey = (...places: Parameters<typeof identifyByKey>[3]) =>
    deprecation ? [identifyByKey(services, deprecation, definition.limit, places)] : [];
  const router = Router();
  router.use(
    findRoute(definition.name, routes),
    findAccount(services, deprecation),
    requireOperation(routes),
    ...byKey('basic'),
    readBody(definition.emptyBody === 'object'),
    readQuery(),
    ...byKey('query', 'body'),
    ...createValidator(services, definition.contract, definition.limit),
    dispatch(services, definition.handlers, readListRules(definition.contract)),
    refuse(services, definition, deprecation),
  );
  const prefixes = definition.contract['x-owns'];
  return {
    name: definition.name,
    contract: definition.contract,
    router,
    owns: (path) => prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
  };
}

function findAccount(services: Services, deprecation: Deprecation | null): RequestHandler {
  return async (req, res, next) => {
    const exchange = exchangeOf(res);
    if (deprecation) announceDeprecation(res, deprecation, exchange);
    if (exchange.malformed) throw exchange.malformed;
    const host = req.headers.host ?? '';
    exchange.account = await findAccountByHost(services, host);
    if (!exchange.account && !(deprecation && isLegacyHost(services.addresses, host))) {
      throw new Failure('account_unknown');
    }
    if (deprecation && exchange.account) announceDeprecation(res, deprecation, exchange);
    next();
  };
}

function respond(status: number, body?: unknown, headers: ReplyHeaders = {}) {
  return { status, body, headers };
}

function dispatch<Operations>(
  services: Services,
  handlers: Handlers<Operations>,
  lists: ReadonlyMap<string, ListRules>,
): RequestHandler {
  return async (req, res) => {
    const exchange = exchangeOf(res);
    const operation = exchange.operation as ContractOperation;
    const handler = handlers[operation.operationId as keyof Operations] as Handler<unknown>;
    const account = exchange.account;
    if (!account) throw new Failure('account_unknown');
    // Where a bearer is optional, one that was sent must do all the same (RFC 6750 §3.1).
    const { caller, callerFailure } = exchange;
    if (!caller && callerFailure && req.headers.authorization !== undefined) throw callerFailure;
    const { requestId, source } = exchange;
    const origin: Origin = { requestId, account, source, cookies: readCookies(req.headers.cookie) };
    const request: Request<unknown> = {
      path: pathParametersOf(req) as never,
      query: req.query as never,
      body: req.body as never,
      headers: req.headers as Record<string, string | undefined>,
      caller,
      origin,
      get list(): List {
        const rules = lists.get(operation.operationId);
        if (!rules) throw new Failure('internal', { reason: `${operation.operationId} is no list` });
        return readList(services, rules, origin, req.query);
      },
    };
    const actor = actorOf(exchange);
    const reply = await actAs({ actor, source, requestId }, () => handler(request, respond as never));
    sendReply(res, operation, reply as Reply<unknown>);
  };
}

function actorOf({ apiKeyId, caller }: Exchange): Actor | null {
  if (apiKeyId !== null) return { type: 'API', id: apiKeyId };
  return caller && { type: 'credential', id: caller.credentialId };
}

function refuse<Operations>(
  services: Services,
  definition: SurfaceDefinition<Operations>,
  deprecation: Deprecation | null,
): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => {
    const exchange = exchangeOf(res);
    let failure = failureOf(error, exchange, definition.invalid as InvalidCode | undefined);
    if (deprecation && isSwitchedOff(services, deprecation, exchange.account) && !isOurs(failure)) {
      // What is switched off answers nothing else, whatever was wrong with the request.
      failure = new Failure('not_found');
      res.removeHeader('allow');
    }
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

function isOurs({ code }: Failure): boolean {
  return code === 'internal' || code === 'unavailable';
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
