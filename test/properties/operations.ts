/** The operations of every contract, as far as making requests for them needs to know. */

import fc from 'fast-check';
import { administratorScopes } from '../../src/domain/callers/scopes.ts';
import { type ContractOperation, readRoutes } from '../../src/http/contract.ts';
import { contracts, writtenContract } from '../support/conforms.ts';

/** What the contracts use of JSON Schema 2020-12. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  /** Like `const`, which would stop generators of clients there. */
  readonly 'x-always'?: unknown;
  readonly 'x-checked-later'?: Readonly<Record<string, string>>;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly readOnly?: boolean;
  readonly examples?: readonly unknown[];
}

/** Follows `$ref`s within the schema's contract. */
export type Resolve = <Node extends { readonly $ref?: string }>(node: Node) => Node;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly schema: Schema;
  /** Of the parameter itself, then of its schema. */
  readonly examples: readonly unknown[];
}

export interface Media {
  readonly type: string;
  readonly schema: Schema;
  /** Whole bodies. */
  readonly examples: readonly unknown[];
}

/** One way to be let in: a scheme of the contract with the scopes that would do. */
export interface Scheme {
  readonly name: string;
  readonly scopes: readonly string[];
}

export interface Operation {
  readonly surface: string;
  readonly operationId: string;
  /** `<surface> <operationId>`: unique among all contracts. */
  readonly name: string;
  readonly method: string;
  readonly template: string;
  /** All methods of the path. */
  readonly methods: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly bodyRequired: boolean;
  readonly media: readonly Media[];
  /** Alternatives; null is a request without any. */
  readonly security: readonly (Scheme | null)[];
  /** Documented statuses. */
  readonly statuses: readonly string[];
  /** Answered to scripts of other origins, OPTIONS included. */
  readonly crossOrigin: boolean;
  readonly resolve: Resolve;
}

interface Described {
  readonly $ref?: string;
  readonly example?: unknown;
  readonly examples?: readonly unknown[] | Readonly<Record<string, { readonly value?: unknown }>>;
  readonly schema?: Schema;
}

/** What makes and deletes what all others are about (clients, users, credentials). */
export const managing: readonly string[] = ['api-2'];

/** What programs and browsers use once all that is there. */
export const using: readonly string[] = [...contracts.keys()].filter((surface) => !managing.includes(surface));

/** Who calls: programs and browsers, or administrators with a token that is bound to a key. */
export type Callers = 'programs' | 'administrators';

/** The operations that administrators may call, as they call them. */
export function administratorOperations(surfaces: readonly string[]): readonly Operation[] {
  return operationsOf(surfaces, false, 'administrators').filter(({ security }) => security.length > 0);
}

/**
 * Every operation of these surfaces' contracts: without what operations check themselves, or as the contract is
 * `written`.
 */
export function operationsOf(
  surfaces: readonly string[],
  written = false,
  callers: Callers = 'programs',
): readonly Operation[] {
  return surfaces.flatMap((surface) => {
    const loaded = contracts.get(surface);
    if (!loaded) throw new Error(`there is no contract ${surface}`);
    const contract = written ? writtenContract(surface) : loaded.contract;
    const routes = written ? readRoutes(contract) : loaded.routes;
    const resolve = resolver(contract);
    return Object.keys(contract.paths).flatMap((template) => {
      const { operations } = routes.find(template) ?? { operations: new Map<string, ContractOperation>() };
      const crossOrigin = [...operations.values()].some((operation) => operation['x-cors']);
      return [...operations].map(([method, operation]) => ({
        surface,
        operationId: operation.operationId,
        name: `${surface} ${operation.operationId}`,
        method,
        template,
        methods: [...operations.keys()],
        parameters: readParameters(operation, resolve),
        bodyRequired: operation.requestBody?.required === true,
        media: readMedia(operation, resolve),
        security: callers === 'programs' ? readSecurity(operation) : boundSecurity(operation),
        statuses: Object.keys(operation.responses),
        crossOrigin,
        resolve,
        // In a failing case the name says enough.
        [fc.toStringMethod]: () => `${surface} ${operation.operationId}`,
      }));
    });
  });
}

function resolver(contract: object): Resolve {
  return (node) => {
    let value = node;
    while (value.$ref !== undefined) {
      const steps = decodeURI(value.$ref.slice(2)).split('/');
      // The bundled contract is JSON; what a reference names has the form of what stands in its place.
      value = steps.reduce<unknown>(
        (at, step) => (at as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')],
        contract,
      ) as typeof node;
    }
    return value;
  };
}

function readParameters(operation: ContractOperation, resolve: Resolve): readonly Parameter[] {
  const { parameters = [] } = operation as { parameters?: readonly (Described & Partial<Parameter>)[] };
  return parameters.map((written) => {
    const parameter = resolve(written) as Described & Omit<Parameter, 'examples'>;
    const schema = resolve(parameter.schema);
    return {
      name: parameter.name,
      in: parameter.in,
      required: parameter.required === true,
      schema,
      examples: [...examplesOf(parameter), ...(schema.examples ?? [])],
    };
  });
}

function readMedia(operation: ContractOperation, resolve: Resolve): readonly Media[] {
  return Object.entries(operation.requestBody?.content ?? {}).map(([type, described]) => {
    const schema = resolve((described as Described).schema ?? {});
    return { type, schema, examples: [...examplesOf(described as Described), ...(schema.examples ?? [])] };
  });
}

function examplesOf({ example, examples }: Described): readonly unknown[] {
  if (example !== undefined) return [example];
  if (Array.isArray(examples)) return examples;
  return Object.values((examples ?? {}) as Record<string, { readonly value?: unknown }>).map(({ value }) => value);
}

function readSecurity({ security = [] }: ContractOperation): readonly (Scheme | null)[] {
  if (security.length === 0) return [null];
  const schemes = security.map((requirement) => {
    const [entry] = Object.entries(requirement);
    return entry === undefined ? null : { name: entry[0], scopes: entry[1] };
  });
  // An administrator may do what the bearer beside it may do: a rule for contracts says so.
  return schemes.filter((scheme) => scheme?.name !== boundScheme);
}

const boundScheme = 'dpop';

/** Without the scopes that no administrator can have. */
function boundSecurity({ security = [] }: ContractOperation): readonly Scheme[] {
  const scopes: readonly string[] = administratorScopes;
  return security
    .flatMap((requirement) =>
      requirement[boundScheme] ? [{ name: boundScheme, scopes: requirement[boundScheme] }] : [],
    )
    .filter((scheme) => scheme.scopes.some((scope) => scopes.includes(scope)));
}
