/** The contract's checks as middleware: who may call, then parameters and body. */

import type { RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { LimitName } from '../domain/accounts/limit-settings.ts';
import type { Services } from '../services.ts';
import { securityHandlers } from './authenticate.ts';
import type { Contract, ContractOperation } from './contract.ts';
import { lookUpOnce, prepareShortcuts } from './validator-shortcuts.ts';

/**
 * What refuses requests that the contract does not allow, before any handler runs, and counts known callers against
 * `limit`. Throws at once for a security scheme that nobody checks; the validator itself is made when it is asked for,
 * as it takes its time.
 */
export function prepareValidator(services: Services, contract: Contract, limit?: LimitName): () => RequestHandler[] {
  const handlers = securityHandlers(services, limit);
  const apiSpec = readable(contract, Object.keys(handlers));
  return () => createValidator(apiSpec, handlers);
}

function createValidator(apiSpec: object, handlers: ReturnType<typeof securityHandlers>): RequestHandler[] {
  prepareShortcuts();
  const steps = OpenApiValidator.middleware({
    // It types a document more narrowly than it reads one.
    apiSpec: apiSpec as Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'],
    // It would compile every schema that another one refers to only to look at it.
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
  return lookUpOnce(steps);
}

/** What the validator needs of a contract: a copy, since it writes into it, without words, examples and answers. */
function readable(contract: Contract, schemes: readonly string[]): object {
  const copy = withoutWords(contract) as Contract;
  const { responses: _, ...components } = copy.components ?? {};
  const paths = Object.entries(copy.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([key, value]) => [key, isOperation(value) ? checkable(value, schemes) : value]),
    ),
  ]);
  return { ...copy, components, paths: Object.fromEntries(paths) };
}

/** An operation that takes any query has no parameter that could be refused. */
function checkable(operation: ContractOperation, schemes: readonly string[]): object {
  const checked = { ...operation, security: checkedHere(operation, schemes), responses: {} };
  return operation['x-any-query'] ? { ...checked, parameters: [] } : checked;
}

function isOperation(value: unknown): value is ContractOperation {
  return typeof value === 'object' && value !== null && 'operationId' in value;
}

/**
 * The requirements that `schemes` check. Where an operation lets in everyone as well (`{}`), the domain checks what else
 * it names: how a client shows who it is depends on its registration, and comes in a header or in the form. An API key
 * has been looked up by then.
 */
function checkedHere(
  { operationId, security = [], ...operation }: ContractOperation,
  schemes: readonly string[],
): object[] {
  if (operation['x-api-key']) return [];
  const open = security.some((requirement) => Object.keys(requirement).length === 0);
  const checked = security.filter((requirement) => Object.keys(requirement).some((scheme) => schemes.includes(scheme)));
  if (!open && checked.length < security.length) throw new Error(`nothing checks who calls operation ${operationId}`);
  return open && checked.length > 0 ? [...checked, {}] : checked;
}

/**
 * `isNames`: the keys are names that the contract gives, no keywords of OpenAPI. Throws for a reference with anything
 * beside it: what it refers to will stand in its place.
 */
function withoutWords(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutWords(item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isNames || !/^(description|summary|examples?)$/.test(key));
  if ('$ref' in value && kept.length > 1) throw new Error(`beside the reference to ${value.$ref} stands more`);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutWords(item, !isNames && key === 'properties')]));
}
