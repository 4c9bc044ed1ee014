/** What serving a surface needs of its contract: which operation a request is for, and what it may contain. */

import { followIn, type ParameterKinds, readParameterKinds } from './parameter-kinds.ts';

/** A response; a reference if several operations share it. */
interface ContractResponse {
  readonly description?: string;
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

/** Where an operation finds its caller's API key: a member of the query or the body, or the user name of HTTP Basic. */
export interface ApiKeyPlace {
  readonly in: 'query' | 'body' | 'basic';
  /** The member. */
  readonly name?: string;
}

export interface ContractOperation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, ContractResponse>>;
  /** Available to scripts of other origins (Fetch standard, CORS protocol). */
  readonly 'x-cors'?: boolean;
  /** A GET with effects: it is not offered as HEAD, which must be safe (RFC 9110 §9.2.1). */
  readonly 'x-effects'?: boolean;
  readonly deprecated?: boolean;
  /** `<METHOD> <path>` of the operation that replaces a deprecated one. */
  readonly 'x-successor'?: string;
  readonly 'x-api-key'?: ApiKeyPlace;
  /** Any query is accepted: of the contract's parameters, those that are texts and given once are read. */
  readonly 'x-any-query'?: boolean;
  /** The operation whose `ETag` is compared with `If-Match`; the `GET` of the same path where it is absent. */
  readonly 'x-if-match'?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

/** An operation as it is served. */
export interface ServedOperation extends ContractOperation {
  readonly kinds: ParameterKinds;
}

export interface Contract {
  readonly info: { readonly title: string; readonly summary?: string; readonly description?: string };
  readonly 'x-owns': readonly string[];
  /**
   * The whole surface is deprecated: since when (ISO date), and what replaces it, for responses outside any operation.
   */
  readonly 'x-deprecation'?: { readonly since: string; readonly successor: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: {
    readonly responses?: Readonly<Record<string, ContractResponse>>;
    readonly securitySchemes?: object;
    readonly schemas?: object;
  };
}

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** One path of a contract with the operations on it, by upper-case method. */
interface Route {
  /** The path template, as written in the contract. */
  readonly template: string;
  readonly operations: ReadonlyMap<string, ServedOperation>;
  /** Whether scripts of other origins may call any of them. */
  readonly isCrossOrigin: boolean;
}

/** The route that a path matches. */
interface RouteMatch extends Route {
  /** The path's parameters, not decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

export interface Routes {
  /** The route of a path (a trailing slash is accepted), or null. */
  find(path: string): RouteMatch | null;
  /** Every operation, by operationId. */
  readonly operations: ReadonlyMap<string, ServedOperation>;
}

/** Reads a contract's paths once. Throws when an operation does not declare its security. */
export function readRoutes(contract: Contract): Routes {
  const fixed = new Map<string, RouteMatch>();
  const templated: { readonly pattern: RegExp; readonly route: Route }[] = [];
  const operations = new Map<string, ServedOperation>();
  for (const [template, item] of Object.entries(contract.paths)) {
    const byMethod = new Map<string, ServedOperation>();
    for (const method of methods) {
      const written = item[method] as ContractOperation | undefined;
      if (!written) continue;
      requireSecurity(written);
      const responses = writeOut(contract, written.responses);
      const operation = { ...written, responses, kinds: readParameterKinds(written, followIn(contract)) };
      byMethod.set(method.toUpperCase(), operation);
      operations.set(operation.operationId, operation);
    }
    const isCrossOrigin = [...byMethod.values()].some((operation) => operation['x-cors'] === true);
    const route = { template, operations: byMethod, isCrossOrigin };
    if (template.includes('{')) templated.push({ pattern: patternOf(template), route });
    else fixed.set(template, { ...route, pathParameters: {} });
  }
  return {
    operations,
    find(path) {
      const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
      const known = fixed.get(bare);
      if (known) return known;
      for (const { pattern, route } of templated) {
        const match = pattern.exec(bare);
        if (match) return { ...route, pathParameters: match.groups ?? {} };
      }
      return null;
    },
  };
}

/** By operationId. */
const pathsOfContracts = new WeakMap<Contract, ReadonlyMap<string, string>>();

function readPaths(contract: Contract): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [template, item] of Object.entries(contract.paths)) {
    for (const method of methods) {
      const operation = item[method] as ContractOperation | undefined;
      if (operation) found.set(operation.operationId, template);
    }
  }
  return found;
}

/** The path of an operation, for links that the service creates. */
export function pathOf(contract: Contract, operationId: string): string {
  const known = pathsOfContracts.get(contract) ?? readPaths(contract);
  pathsOfContracts.set(contract, known);
  const path = known.get(operationId);
  if (path === undefined) throw new Error(`the contract has no operation ${operationId}`);
  return path;
}

/** The responses with references resolved. */
function writeOut({ components }: Contract, responses: ContractOperation['responses']): ContractOperation['responses'] {
  const prefix = '#/components/responses/';
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      if (response.$ref === undefined) return [status, response];
      const shared = response.$ref.startsWith(prefix)
        ? components?.responses?.[response.$ref.slice(prefix.length)]
        : undefined;
      if (!shared) throw new Error(`the answer ${response.$ref} is not in the contract`);
      return [status, shared];
    }),
  );
}

function patternOf(template: string): RegExp {
  const escaped = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${escaped}$`);
}

/** Deny by default: public operations declare `security: []`, and a bearer always names the accepted scopes. */
function requireSecurity({ operationId, security }: ContractOperation): void {
  if (!security) throw new Error(`operation ${operationId} does not state its security`);
  for (const requirement of security) {
    if (requirement['bearer']?.length === 0) throw new Error(`operation ${operationId} states no scope`);
  }
}
