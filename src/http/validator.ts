/** The contract's checks as middleware: the caller, then parameters and body. */

import type { NextFunction, Request, RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { LimitName } from '../domain/accounts/limit-settings.ts';
import type { Services } from '../services.ts';
import { securityHandlers } from './authenticate.ts';
import { withoutLaterChecks } from './checked-later.ts';
import type { Contract, ContractOperation } from './contract.ts';
import { everyText } from './control-characters.ts';
import { isIntegerText } from './integer-text.ts';
import type { ParameterKinds } from './parameter-kinds.ts';
import { requestStateOf } from './request-state.ts';
import { lookUpOnce, pathParametersOf, prepareShortcuts } from './validator-shortcuts.ts';

/**
 * Refuses requests that the contract does not allow, before any handler runs, and counts known callers against `limit`.
 * Throws at once for a security scheme without a handler; the validator itself is made lazily, since that takes time.
 */
export function prepareValidator(services: Services, contract: Contract, limit?: LimitName): () => RequestHandler[] {
  const handlers = securityHandlers(services, limit);
  const apiSpec = readable(contract, Object.keys(handlers));
  return () => createValidator(apiSpec, handlers);
}

function createValidator(apiSpec: object, handlers: ReturnType<typeof securityHandlers>): RequestHandler[] {
  prepareShortcuts();
  const steps = OpenApiValidator.middleware({
    // Its type for a document is narrower than what it accepts.
    apiSpec: apiSpec as Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'],
    // Otherwise it would compile every referenced schema just to look at it.
    $refParser: { mode: 'dereference' },
    validateApiSpec: false,
    validateResponses: false,
    validateRequests: {
      allowUnknownQueryParameters: true,
      coerceTypes: false,
      removeAdditional: false,
      allErrors: false,
    },
    validateSecurity: { handlers },
    fileUploader: false,
  }) as RequestHandler[];
  const last = steps.findIndex(({ name }) => name === 'requestMiddleware');
  if (last < 0) throw new Error('the validator checks requests in another way than this release');
  return lookUpOnce(steps).toSpliced(last, 0, requireIntegerTexts);
}

/** The validator reads numbers with `Number`, which accepts other texts than integers, such as `0x1` and `1e0`. */
function requireIntegerTexts(req: Request, res: Response, next: NextFunction): void {
  const { kinds } = requestStateOf(res).operation ?? {};
  const pointer = kinds?.hasIntegers && findOtherText(req, kinds);
  next(pointer ? new NoInteger(pointer) : undefined);
}

/** The pointer of a parameter that must be an integer and is not. */
function findOtherText(req: Request, { pathIntegers, queryIntegers }: ParameterKinds): string | null {
  const isBad = (text: unknown) => typeof text === 'string' && !isIntegerText(text);
  const path = pathParametersOf(req);
  const inPath = pathIntegers.find((name) => isBad(path[name]));
  if (inPath !== undefined) return `/params/${inPath}`;
  const inQuery = queryIntegers.find((name) => isBad(req.query[name]));
  return inQuery === undefined ? null : `/query/${inQuery}`;
}

/** As the validator itself reports it. */
class NoInteger extends Error {
  readonly status = 400;
  readonly errors: readonly { readonly path: string; readonly message: string }[];

  constructor(path: string) {
    super('must be an integer');
    this.errors = [{ path, message: this.message }];
  }
}

/**
 * The part of a contract that the validator needs: a copy, since it modifies it, without descriptions, examples,
 * responses, and what operations check themselves.
 */
function readable(contract: Contract, schemes: readonly string[]): object {
  const { responses: _, ...components } = contract.components ?? {};
  // Answers go first: they are most of a contract, and what follows walks through all that is left.
  const paths = withOperations(contract.paths, (operation) => ({ ...operation, responses: {} }));
  const copy = withoutWords(withoutLaterChecks({ ...contract, components, paths })) as Contract;
  return { ...copy, paths: withOperations(copy.paths, (operation) => checkable(operation, schemes)) };
}

function withOperations(paths: Contract['paths'], change: (operation: ContractOperation) => object): object {
  const changed = Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(Object.entries(item).map(([key, value]) => [key, isOperation(value) ? change(value) : value])),
  ]);
  return Object.fromEntries(changed);
}

/** An operation that accepts any query has no parameters to refuse. */
function checkable(operation: ContractOperation, schemes: readonly string[]): object {
  const checked = { ...operation, security: checkedHere(operation, schemes) };
  return operation['x-any-query'] ? { ...checked, parameters: [] } : checked;
}

function isOperation(value: unknown): value is ContractOperation {
  return typeof value === 'object' && value !== null && 'operationId' in value;
}

/**
 * The requirements that `schemes` check. If an operation also admits everyone (`{}`), the domain checks the other
 * alternatives: how a client authenticates depends on its registration, and is in a header or in the form. The API key
 * has been looked up by then.
 */
function checkedHere(
  { operationId, security: all = [], ...operation }: ContractOperation,
  schemes: readonly string[],
): object[] {
  if (operation['x-api-key']) return [];
  // What checks a bearer token checks the tokens of this scheme, too: as an alternative each would cost an error.
  const security = all.filter((requirement) => !('dpop' in requirement));
  const open = security.some((requirement) => Object.keys(requirement).length === 0);
  const checked = security.filter((requirement) => Object.keys(requirement).some((scheme) => schemes.includes(scheme)));
  if (!open && checked.length < security.length) throw new Error(`nothing checks who calls operation ${operationId}`);
  return open && checked.length > 0 ? [...checked, {}] : checked;
}

/**
 * What is for readers and generators; `x-nullable` repeats beside a reference what its target says, and formats of
 * integers their bounds. What is `x-repeatable` is one text by then.
 */
const words = new Set(['description', 'summary', 'example', 'examples', 'x-nullable', 'x-repeatable']);

function isForReaders(key: string, value: unknown): boolean {
  return words.has(key) || value === everyText || (key === 'format' && (value === 'int32' || value === 'int64'));
}

/**
 * `isNames`: the keys are names from the contract, not OpenAPI keywords. Throws for a reference with siblings, because
 * it will be replaced by its target.
 */
function withoutWords(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutWords(item));
  if (typeof value !== 'object' || value === null) return value;
  // Written out: this runs at every start, over every contract.
  const kept: Record<string, unknown> = {};
  let count = 0;
  for (const [key, item] of Object.entries(value)) {
    if (!isNames && isForReaders(key, item)) continue;
    kept[key] = withoutWords(item, !isNames && key === 'properties');
    count += 1;
  }
  if ('$ref' in value && count > 1) throw new Error(`beside the reference to ${value.$ref} stands more`);
  return kept;
}
