/** Holds every answer that a test sees against the contract, and remembers which documented statuses were seen. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { withoutLaterChecks } from '../../src/http/checked-later.ts';
import { type Contract, type ContractOperation, type Routes, readRoutes } from '../../src/http/contract.ts';
import { noteAnswer } from './answered.ts';
import { readXmlAnswer } from './xml-answer.ts';

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body of a JSON answer; undefined for any other. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of answers that `conforms` has checked
  readonly body: any;
}

interface LoadedContract {
  readonly surface: string;
  readonly contract: Contract;
  readonly routes: Routes;
  readonly schemas: Schemas;
  /** The contract as it is served, and its schemas. */
  readonly written: Pick<LoadedContract, 'contract' | 'schemas'>;
}

/** The validators of a contract. They are made when the first answer needs one: a file asks few surfaces. */
type Schemas = () => Ajv2020;

interface Documented {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>;
}

const folder = new URL('../../generated/', import.meta.url);

/** The contract as it is served. */
export function writtenContract(surface: string): Contract {
  return JSON.parse(readFileSync(new URL(`${surface}.json`, folder), 'utf8')) as Contract;
}

function load(surface: string): LoadedContract {
  const written = writtenContract(surface);
  const contract = withoutLaterChecks(written);
  const routes = readRoutes(contract);
  return {
    surface,
    contract,
    routes,
    schemas: schemasOf(surface, contract),
    written: { contract: written, schemas: schemasOf(surface, written) },
  };
}

function schemasOf(surface: string, contract: Contract): Schemas {
  let ajv: Ajv2020 | undefined;
  return () => {
    ajv ??= makeSchemas(surface, contract);
    return ajv;
  };
}

function makeSchemas(surface: string, contract: Contract): Ajv2020 {
  // The contract itself is validated by a separate check; here it would take a quarter of a second.
  // Code that is optimized, and has what it refers to in itself, takes twice as long to make: each runs few times.
  const quick = { inlineRefs: false, code: { optimize: false } };
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, validateSchema: false, ...quick });
  addFormats.default(ajv);
  // The only value that is ever answered, where `const` would stop generators of clients.
  ajv.addKeyword({ keyword: 'x-always', macro: (value: unknown) => ({ const: value }) });
  ajv.addSchema(contract, surface);
  return ajv;
}

/** Every contract by the name of its surface, without what operations check themselves. */
export const contracts: ReadonlyMap<string, LoadedContract> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .map((surface) => [surface, load(surface)]),
);

const seen = new Set<string>();

/** Documented statuses of a surface that no answer of this process had, as `operationId status`. */
export function unseenStatuses(surface: string): string[] {
  const unseen: string[] = [];
  for (const operation of contracts.get(surface)?.routes.operations.values() ?? []) {
    for (const status of Object.keys(operation.responses)) {
      const name = `${operation.operationId} ${status}`;
      if (!seen.has(`${surface} ${name}`)) unseen.push(name);
    }
  }
  return unseen;
}

/**
 * The contract's operation for a request; null where the request is outside every operation (404, 405, CORS preflight).
 */
export function operationOf(
  method: string,
  path: string,
): { loaded: LoadedContract; operation: ContractOperation; pointer: string } | null {
  const bare = path.split('?', 1)[0] ?? '';
  for (const loaded of contracts.values()) {
    const route = loaded.routes.find(bare);
    const verb = method === 'HEAD' ? 'GET' : method;
    const operation = route?.operations.get(verb);
    if (route && operation) {
      const pointer = `/paths/${escapePointer(route.template)}/${verb.toLowerCase()}`;
      return { loaded, operation, pointer };
    }
  }
  return null;
}

/** Asserts that the answer is one that the contract documents for the request: status, headers, media type and body. */
export function conforms(method: string, path: string, answer: Answer): void {
  assert.ok(answer.headers['x-request-id'], `${method} ${path}: no x-request-id`);
  if (answer.status === 405) {
    checkMethodRefusal(method, path, answer);
    return;
  }
  const found = operationOf(method, path);
  if (!found) return;
  const { loaded, operation } = found;
  const where = `${loaded.surface} ${operation.operationId} ${answer.status}`;
  assert.ok(answer.status in operation.responses, `${where} is not documented: ${answer.text.slice(0, 300)}`);
  const [pointer, documented] = resolve(loaded, `${found.pointer}/responses/${answer.status}`);
  checkHeaders(loaded, where, `${pointer}/headers`, (documented as Documented).headers ?? {}, answer);
  // An item holds the members that `fields` names, of this request or of the one that the cursor is from.
  const isProjected = /[?&](?:fields|cursor)=/.test(path);
  const held = isProjected ? loaded : { ...loaded, ...loaded.written };
  if (method !== 'HEAD') checkBody(held, where, `${pointer}/content`, (documented as Documented).content ?? {}, answer);
  seen.add(where);
}

/**
 * Another method on a known path is outside every operation: the answer names the methods, in the form of the path's
 * 404.
 */
function checkMethodRefusal(method: string, path: string, answer: Answer): void {
  const bare = path.split('?', 1)[0] ?? '';
  for (const loaded of contracts.values()) {
    const route = loaded.routes.find(bare);
    const [known] = route?.operations.keys() ?? [];
    if (!route || known === undefined) continue;
    const where = `${loaded.surface} ${method} ${route.template} 405`;
    const allowed = String(answer.headers['allow'] ?? '').split(/, */);
    for (const one of route.operations.keys()) assert.ok(allowed.includes(one), `${where}: Allow does not name ${one}`);
    assert.ok(!allowed.includes(method), `${where}: Allow names ${method}`);
    if (method === 'HEAD') continue;
    const notFound = `/paths/${escapePointer(route.template)}/${known.toLowerCase()}/responses/404`;
    const [pointer, documented] = resolve(loaded, notFound);
    checkBody(loaded, where, `${pointer}/content`, (documented as Documented).content ?? {}, answer);
  }
}

function checkHeaders(
  loaded: LoadedContract,
  where: string,
  pointer: string,
  headers: Readonly<Record<string, unknown>>,
  answer: Answer,
): void {
  for (const name of Object.keys(headers)) {
    const [at, header] = resolve(loaded, `${pointer}/${escapePointer(name)}`);
    const value = answer.headers[name.toLowerCase()];
    const { required, schema } = header as { required?: boolean; schema?: { type?: string } };
    if (value === undefined) {
      assert.ok(!required, `${where}: header ${name} is missing`);
      continue;
    }
    if (!schema) continue;
    const [, resolved] = resolve(loaded, `${at}/schema`);
    const numeric = ['integer', 'number'].includes((resolved as { type?: string }).type ?? '');
    for (const one of [value].flat()) {
      check(loaded, `${where}: header ${name}`, `${at}/schema`, numeric ? Number(one) : one);
    }
  }
}

function checkBody(
  loaded: LoadedContract,
  where: string,
  pointer: string,
  content: NonNullable<Documented['content']>,
  answer: Answer,
): void {
  const types = Object.keys(content);
  if (types.length === 0) {
    assert.equal(answer.text, '', `${where}: a body where none is documented`);
    return;
  }
  const type = String(answer.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  assert.ok(types.includes(type), `${where}: media type ${type} is not documented`);
  const at = `${pointer}/${escapePointer(type)}/schema`;
  const value = bodyOf(loaded, type, at, answer);
  check(loaded, where, at, value);
  if (loaded.schemas === loaded.written.schemas) noteAnswer(loaded.surface, (from) => resolve(loaded, from), at, value);
}

/** The value that the schema describes: a text, unless the contract describes its parsed value. */
function bodyOf(loaded: LoadedContract, type: string, at: string, { body, text }: Answer): unknown {
  if (type === 'application/json') return body;
  const [, schema] = resolve(loaded, at);
  return type === 'application/xml' && (schema as { type?: string }).type !== 'string' ? readXmlAnswer(text) : text;
}

const validators = new Map<Schemas, Map<string, ValidateFunction>>();

function check({ surface, schemas }: LoadedContract, where: string, pointer: string, value: unknown): void {
  const id = `${surface}#${encodeURI(pointer)}`;
  const known = validators.get(schemas) ?? new Map<string, ValidateFunction>();
  const validate = known.get(id) ?? schemas().getSchema(id) ?? schemas().compile({ $ref: id });
  // Ajv finds it again by the parts of its address, which takes longer than to use it.
  validators.set(schemas, known.set(id, validate));
  if (validate(value)) return;
  assert.fail(`${where}: ${schemas().errorsText(validate.errors)} in ${JSON.stringify(value)?.slice(0, 500)}`);
}

const resolved = new WeakMap<Contract, Map<string, [pointer: string, value: unknown]>>();

/** The value at a pointer, with its own location when a `$ref` leads elsewhere. */
function resolve(loaded: LoadedContract, pointer: string): [pointer: string, value: unknown] {
  const known = resolved.get(loaded.contract) ?? new Map<string, [pointer: string, value: unknown]>();
  const found = known.get(pointer) ?? follow(loaded, pointer);
  resolved.set(loaded.contract, known.set(pointer, found));
  return found;
}

function follow({ contract }: LoadedContract, pointer: string): [pointer: string, value: unknown] {
  let at = pointer;
  for (;;) {
    let value: unknown = contract;
    for (const part of at.split('/').slice(1)) {
      value = (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
    }
    const reference = (value as { $ref?: string } | undefined)?.$ref;
    if (reference === undefined) return [at, value];
    at = decodeURI(reference.slice(1));
  }
}

function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}
