/**
 * Serves one contract as one handler of Express: find the operation → find the account → read the body → authenticate and
 * validate against the contract → dispatch by operationId → reply, or refuse by the surface's own table.
 */

import type { RequestHandler } from 'express';
import type { Account } from '../domain/accounts/account.ts';
import { findAccountByHost } from '../domain/accounts/accounts.ts';
import { isLegacyHost } from '../domain/accounts/hosts.ts';
import type { LimitName } from '../domain/accounts/limit-settings.ts';
import { actAs } from '../domain/audit/context.ts';
import { storeWhileAdmitted } from '../domain/callers/still-admitted.ts';
import { Failure, type FailureCode } from '../domain/failure.ts';
import { looksOfRequests } from '../domain/one-look.ts';
import type { Services } from '../services.ts';
import { requireAccepted } from './accept.ts';
import { readBody, readQuery } from './body.ts';
import { prepareConditional, type ResourceKinds } from './conditional.ts';
import { type Contract, type ContractOperation, readRoutes } from './contract.ts';
import { readCookies } from './cookies.ts';
import { announceDeprecation, type Deprecation, identifyByKey, readDeprecation } from './deprecation.ts';
import { findRoute, requireOperation } from './find-operation.ts';
import { inSequence } from './in-sequence.ts';
import { noList, readList } from './list.ts';
import { type ListRules, readListRules } from './list-contract.ts';
import { unknownParameter } from './list-query.ts';
import type { FailureTable, Handler, Handlers, Origin, ReplyHeaders, Request, RunOver, Store } from './operation.ts';
import { refuse } from './refuse.ts';
import { prepareRepeatable } from './repeatable.ts';
import { actorOf, admittedOf, requestStateOf } from './request-state.ts';
import { type ReplyForm, sendReply } from './send.ts';
import { prepareValidator } from './validator.ts';
import { pathParametersOf } from './validator-shortcuts.ts';
import { readXmlBody, xmlAnswers, xmlType } from './xml-bodies.ts';

export interface SurfaceDefinition<Operations> {
  readonly name: string;
  readonly contract: Contract;
  /** Also over another store: where a write looks again, and with `If-Match` or `Idempotency-Key`. */
  readonly handlersOf: (services: Services) => Handlers<Operations>;
  readonly failures: FailureTable<Operations, unknown>;
  /** The code for a member that violates the contract, given its JSON pointer (`/body/redirect_uris/0`). */
  readonly invalid?: (operationId: keyof Operations & string, pointer: string, keyword: string) => FailureCode;
  /** The format of refusals outside any operation. */
  readonly mediaType?: 'application/json' | 'application/xml' | 'text/html';
  /** Whether each transaction of a write looks again at the right of its caller. */
  readonly looksAgain?: boolean;
  /** What writes with a documented 412 lock. */
  readonly resourceKinds?: ResourceKinds<Operations>;
  /** Counts every call of a known caller, by credential or API key; responses state what is left. */
  readonly limit?: LimitName;
  /** A request without a body is read as an empty object, whatever its Content-Type; a PUT must have one. */
  readonly emptyBody?: 'object';
  /** Bodies are XML that the contract describes; a client that does not accept it gets an error. */
  readonly codec?: 'xml';
  /**
   * Called for every refusal of a caller with an API key before the response, except for limits and faults of the
   * service.
   */
  readonly onRefusal?: (failure: Failure, operationId: string, account: Account) => Promise<void>;
  /** Whether a person sees the refusal, with its reference; null for one outside any operation. */
  readonly isShown?: (operationId: string | null) => boolean;
}

export interface Surface {
  readonly name: string;
  readonly contract: Contract;
  /** Whether this surface serves the path, including unknown paths below its prefixes. */
  owns(path: string): boolean;
  readonly isDeprecated: boolean;
  /** Made at its first use: a surface that nobody calls costs neither time nor memory. */
  serve(): RequestHandler;
}

/** Prepares a surface for mounting. Throws when its contract does not declare an operation's security. */
export function createSurface<Operations>(services: Services, definition: SurfaceDefinition<Operations>): Surface {
  const routes = readRoutes(definition.contract);
  const deprecation = readDeprecation(definition.name, definition.contract);
  const byKey = (...places: Parameters<typeof identifyByKey>[3]) =>
    deprecation ? [identifyByKey(services, deprecation, definition.limit, places)] : [];
  const form: ReplyForm = {
    fallbackType: definition.mediaType ?? 'application/json',
    xmlOf: xmlAnswers(definition.contract, routes),
  };
  const isXml = definition.codec === 'xml';
  const createValidator = prepareValidator(services, definition.contract, definition.limit);
  const lists = readListRules(definition.contract);
  const writes = {
    answerIfMatch: prepareConditional(definition),
    answerOnce: prepareRepeatable(services, definition),
  };
  const createHandler = (): RequestHandler =>
    inSequence(
      [
        findRoute(definition.name, routes),
        findAccount(services, deprecation),
        requireOperation(routes),
        ...byKey('basic'),
        ...(isXml ? [requireAccepted(xmlType)] : []),
        readBody(definition.emptyBody === 'object'),
        ...(isXml ? [readXmlBody(definition.contract)] : []),
        lookAgainIfLate,
        readQuery(),
        ...byKey('query', 'body'),
        ...createValidator(),
        dispatch(services, definition, writes, lists, form),
      ],
      refuse(services, definition, deprecation, form),
    );
  let handler: RequestHandler | undefined;
  const prefixes = definition.contract['x-owns'];
  return {
    name: definition.name,
    contract: definition.contract,
    isDeprecated: deprecation !== null,
    serve() {
      handler ??= createHandler();
      return handler;
    },
    owns: (path) => prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
  };
}

/** What was changed before the body came counts. */
const lookAgainIfLate: RequestHandler = (_req, res, next) => {
  if (!requestStateOf(res).isWhole) looksOfRequests.again();
  next();
};

function findAccount(services: Services, deprecation: Deprecation | null): RequestHandler {
  return async (req, res, next) => {
    const state = requestStateOf(res);
    if (deprecation) announceDeprecation(res, deprecation, state);
    // A body that GET must not have matters only where there is a GET: the method is the fault otherwise.
    const isMethodWrong = state.route !== null && !state.operation;
    if (state.malformed && !(isMethodWrong && state.malformed.detail.name === 'the body')) throw state.malformed;
    const host = req.headers.host ?? '';
    state.account = await findAccountByHost(services, host);
    if (!state.account && !(deprecation && isLegacyHost(services.addresses, host))) {
      throw new Failure('account_unknown');
    }
    if (deprecation && state.account) announceDeprecation(res, deprecation, state);
    next();
  };
}

function respond(status: number, body?: unknown, headers: ReplyHeaders = {}) {
  return { status, body, headers };
}

interface Writes {
  readonly answerIfMatch: ReturnType<typeof prepareConditional>;
  readonly answerOnce: ReturnType<typeof prepareRepeatable>;
}

function dispatch<Operations>(
  services: Services,
  { handlersOf, looksAgain }: SurfaceDefinition<Operations>,
  { answerIfMatch, answerOnce }: Writes,
  lists: ReadonlyMap<string, ListRules>,
  form: ReplyForm,
): RequestHandler {
  const handlers = handlersOf(services);
  return async (req, res) => {
    const state = requestStateOf(res);
    const operation = state.operation as ContractOperation;
    const account = state.account;
    if (!account) throw new Failure('account_unknown');
    // An optional bearer, if sent, must be valid (RFC 6750 §3.1).
    const { caller, callerFailure } = state;
    if (!caller && callerFailure && req.headers.authorization !== undefined) throw callerFailure;
    const { requestId, method, source } = state;
    const certificate = account.settings.mutualTls === 'off' ? null : state.certificate;
    const cookies = readCookies(req.headers.cookie);
    const origin: Origin = { requestId, method, account, source, certificate, cookies };
    const rules = lists.get(operation.operationId);
    if (rules?.strict && state.bracketed !== null) throw unknownParameter(rules, state.bracketed);
    const request: Request<unknown> = {
      path: pathParametersOf(req) as never,
      query: req.query as never,
      body: req.body as never,
      headers: req.headers as Record<string, string | undefined>,
      caller,
      origin,
      list: rules ? readList(services, rules, origin, req.query, pathParametersOf(req)) : noList,
    };
    const run: RunOver = (over, operationId = operation.operationId) => {
      const chosen = over === services.store ? handlers : handlersOf({ ...services, store: over });
      const handler = chosen[operationId as keyof Operations] as Handler<unknown>;
      return handler(request, respond as never);
    };
    const admitted = looksAgain && req.method !== 'GET' ? admittedOf(state, req.headers.authorization) : null;
    const store = admitted ? storeWhileAdmitted(services, account, admitted) : services.store;
    const actor = actorOf(state);
    const userAgent = req.headers['user-agent'];
    // A list in parts is read while it is sent.
    await actAs({ actor, source, requestId, userAgent }, async () => {
      const write = (over: Store) => answerIfMatch(operation.operationId, request, over, run) ?? run(over);
      const answering = answerOnce(operation.operationId, request, store, write) ?? write(store);
      await sendReply(res, operation, await answering, form);
    });
  };
}
