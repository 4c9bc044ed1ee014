/** Which members of request bodies handlers read: a member of a contract that no handler reads is found. */

import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { currentAuditContext } from '../../src/domain/audit/context.ts';
import { contracts, operationOf } from './conforms.ts';

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly readOnly?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface WithBody {
  readonly description?: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

/** Members by their path, `surface operationId member member`. A list's members are those of its items. */
const read = new Set<string>();
/** Those whose object was taken, or an object of their list. */
const entered = new Set<string>();

/** Every request to any server of this process. */
subscribe('http.server.request.start', (message) => watchBody((message as { request: IncomingMessage }).request));

/** What handlers read of the request's body is remembered. */
function watchBody(req: IncomingMessage): void {
  const { method = '', url = '' } = req;
  let body: unknown;
  Object.defineProperty(req, 'body', {
    configurable: true,
    enumerable: true,
    get: () => body,
    set: (value: unknown) => {
      const found = operationOf(method, url);
      body = found ? watched(value, `${found.loaded.surface} ${found.operation.operationId}`) : value;
    },
  });
}

function watched(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  return new Proxy(value, {
    get(target, member, receiver) {
      const inside: unknown = Reflect.get(target, member, receiver);
      if (typeof member === 'symbol') return inside;
      const at = Array.isArray(target) ? path : `${path} ${member}`;
      // The validator looks at every member. It is a handler that looks while somebody acts.
      const isHandler = currentAuditContext().requestId !== null;
      if (isHandler) read.add(at);
      if (typeof inside !== 'object' || inside === null) return inside;
      if (isHandler && !Array.isArray(inside)) entered.add(at);
      return watched(inside, at);
    },
  });
}

/**
 * Members of the request bodies of a surface that no handler of this process read, unless the contract says that they
 * are ignored.
 */
export function unreadMembers(surface: string): string[] {
  const { contract, routes } = contracts.get(surface) ?? {};
  const unread = [...(routes?.operations.values() ?? [])].flatMap((operation) => {
    const { description = '', requestBody } = operation as WithBody;
    const path = `${surface} ${operation.operationId}`;
    const key = operation['x-api-key'];
    const ofKey = key?.in === 'body' ? `${path} ${key.name}` : null;
    return Object.values(requestBody?.content ?? {})
      .flatMap(({ schema = {} }) => membersOf(contract, schema, path, [description]))
      .filter((member) => !read.has(member) && member !== ofKey);
  });
  return [...new Set(unread)];
}

/**
 * The members of a schema, those inside members that were entered included. `said`: what the contract says around it.
 */
function membersOf(contract: unknown, schema: Schema, path: string, said: readonly string[]): string[] {
  const { description = '', properties = {}, items, allOf = [], anyOf = [], oneOf = [] } = follow(contract, schema);
  const around = [...said, description];
  const parts = [...allOf, ...anyOf, ...oneOf, ...(items ? [items] : [])];
  return [
    ...parts.flatMap((part) => membersOf(contract, part, path, around)),
    ...Object.entries(properties).flatMap(([name, member]) => {
      const { readOnly, description: own = '' } = follow(contract, member);
      if (readOnly || isIgnored(name, own, around)) return [];
      const at = `${path} ${name}`;
      return [at, ...(entered.has(at) ? membersOf(contract, member, at, []) : [])];
    }),
  ];
}

/** The schema that a reference leads to. */
export function follow<Written extends { readonly $ref?: string }>(contract: unknown, schema: Written): Written {
  if (schema.$ref === undefined) return schema;
  const keys = schema.$ref.slice('#/'.length).split('/');
  const found = keys.reduce((place, key) => (place as Record<string, unknown>)[key], contract);
  return follow(contract, found as Written);
}

/** Whether the contract says that the member is ignored: of itself, or in a sentence around it that names it. */
function isIgnored(name: string, own: string, around: readonly string[]): boolean {
  const sentences = around.flatMap((text) => text.split(/[.;]\s/)).filter((text) => text.includes(`\`${name}\``));
  return [own, ...sentences].some((text) => /\bignored\b/i.test(text));
}
