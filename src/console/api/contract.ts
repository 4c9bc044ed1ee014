/** What the contract says of a call, as types: paths, parameters, bodies and answers that it does not have do not compile. */

import type { components, paths } from '../../../generated/api-2.ts';

export type Schemas = components['schemas'];

export type Method = 'get' | 'post' | 'put' | 'delete';

/** Paths that have an operation of the method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { readonly responses: unknown }> ? P : never;
}[keyof paths];

export type OperationOf<M extends Method, P extends PathOf<M>> = paths[P][M];

type Parameters<Operation, Place extends string> = Operation extends {
  readonly parameters: { readonly [place in Place]?: infer Given };
}
  ? Exclude<Given, undefined>
  : never;

type Body<Operation> = Operation extends { readonly requestBody?: infer Given }
  ? [Exclude<Given, undefined>] extends [never]
    ? never
    : Content<Exclude<Given, undefined>>
  : never;

type Needed<Name extends string, Value> = [Value] extends [never] ? unknown : { readonly [name in Name]: Value };

/** What a call is given. Lists are asked for whole items. */
export type Given<Operation> = Needed<'path', Parameters<Operation, 'path'>> &
  Partial<Needed<'query', Omit<Parameters<Operation, 'query'>, 'fields'>>> &
  Partial<Needed<'header', Parameters<Operation, 'header'>>> &
  Needed<'body', Body<Operation>>;

type Content<Response> = Response extends { readonly content: { readonly 'application/json': infer Data } }
  ? Data
  : undefined;

type Whole<Data> = Data extends readonly (infer Item)[] ? readonly Required<Item>[] : Data;

/** What it answers when it was done. */
export type Answered<Operation> = Operation extends { readonly responses: infer Responses }
  ? Whole<Content<Responses[keyof Responses & (200 | 201 | 202 | 204)]>>
  : never;
