/**
 * Changes that break a client and that `redocly diff` does not judge: names that generated code carries, and what a
 * value means although its form is the same. Walks both contracts side by side from the operations, so that a
 * component matters only where something that stays uses it.
 */

import { isDeepStrictEqual } from 'node:util';
import { type Document, follow, isObject, type JsonObject, step } from './document.ts';

/** A change that breaks a client. */
export interface Break {
  readonly rule: string;
  readonly message: string;
  /** The place in the older contract, as a JSON pointer. */
  readonly pointer: string;
}

type Report = (rule: string, message: string, pointer: string) => void;

/** Members whose own members are named by the contract's author, not by OpenAPI. */
const maps = new Set([
  ...['paths', 'webhooks', 'callbacks', 'responses', 'content', 'headers', 'securitySchemes'],
  ...['properties', 'patternProperties', 'variables', 'scopes'],
]);
/** Maps a name of which nobody may lose, where the differ says nothing. */
const kept: Readonly<Record<string, string>> = {
  properties: 'property-removed',
  scopes: 'scope-removed',
  variables: 'server-variable-removed',
};
/** Words and values; the rules for them look at the object around them. */
const leaves = new Set(['description', 'summary', 'example', 'examples', 'enum', 'required', 'tags', 'security']);

/** Members that mean something else to a client when they change, whatever to. Absent before: nothing was promised. */
const meanings: Readonly<Record<string, string>> = {
  default: 'default-changed',
  xml: 'xml-changed',
  discriminator: 'discriminator-changed',
  tokenUrl: 'token-url-changed',
  authorizationUrl: 'authorization-url-changed',
};

export function findOwnBreaks(base: Document, revision: Document): Break[] {
  const breaks: Break[] = [];
  const seen = new Set<string>();
  const report: Report = (rule, message, pointer) => breaks.push({ rule, message, pointer });

  function walk(was: unknown, is: unknown, pointer: string, isMap = false): void {
    if (Array.isArray(was) && Array.isArray(is)) walkList(was, is, pointer);
    if (!isObject(was) || !isObject(is)) return;
    if (typeof was['$ref'] === 'string' || typeof is['$ref'] === 'string') {
      walkReference(was, is, pointer);
      return;
    }
    if (!isMap) judge(was, is, pointer, report);
    for (const [name, value] of Object.entries(was)) {
      if (isMap || !leaves.has(name)) walk(value, is[name], step(pointer, name), !isMap && maps.has(name));
    }
  }

  /** Parameters are the same by their name and place; other parts by their content, and those left by their position. */
  function walkList(was: readonly unknown[], is: readonly unknown[], pointer: string): void {
    for (const [index, one] of was.entries()) {
      const name = nameOfParameter(resolve(base, one));
      const isSame = (other: unknown) =>
        name === undefined ? isDeepStrictEqual(one, other) : nameOfParameter(resolve(revision, other)) === name;
      const same = is.find(isSame);
      if (name !== undefined) walk(one, same, step(pointer, index));
      else if (same === undefined) walk(one, is[index], step(pointer, index));
    }
  }

  function walkReference(was: JsonObject, is: JsonObject, pointer: string): void {
    const [from, to] = [was['$ref'], is['$ref']];
    const target = resolve(base, was);
    if (typeof from === 'string' && from !== to && isTypeOfGeneratedCode(from, target)) {
      report('type-renamed', `The component \`${from}\` ${to ? `became \`${to}\`` : 'was removed'}.`, pointer);
      return;
    }
    const place = typeof from === 'string' ? from : pointer;
    const pair = `${place} ${typeof to === 'string' ? to : pointer}`;
    if (seen.has(pair)) return;
    seen.add(pair);
    walk(target, resolve(revision, is), place);
  }

  walkPaths(base['paths'], revision['paths'], report, walk);
  walk(base['servers'], revision['servers'], '#/servers');
  walk(base['webhooks'], revision['webhooks'], '#/webhooks', true);
  walk(schemesOf(base), schemesOf(revision), '#/components/securitySchemes', true);
  return breaks;
}

/** The same path with other names of its parameters is the same path to HTTP alone. */
function walkPaths(
  was: unknown,
  is: unknown,
  report: Report,
  walk: (was: unknown, is: unknown, pointer: string) => void,
): void {
  if (!isObject(was) || !isObject(is)) return;
  const bare = (path: string) => path.replace(/\{[^}]*\}/g, '{}');
  const templates = new Map(Object.keys(is).map((path) => [bare(path), path]));
  for (const [path, item] of Object.entries(was)) {
    const pointer = step('#/paths', path);
    const now = templates.get(bare(path));
    if (now === undefined) continue;
    if (now !== path) report('path-parameter-renamed', `\`${path}\` became \`${now}\`.`, pointer);
    walk(item, is[now], pointer);
  }
}

function judge(was: JsonObject, is: JsonObject, pointer: string, report: Report): void {
  const changed = (name: string) => !isDeepStrictEqual(was[name], is[name]);
  for (const [name, rule] of Object.entries(meanings)) {
    if (was[name] !== undefined && changed(name)) report(rule, `\`${name}\` ${fromTo(was[name], is[name])}.`, pointer);
  }
  // A schema that gets a format gets another type in generated code; a loss or a change is for the differ.
  if (was['type'] !== undefined && was['format'] === undefined && is['format'] !== undefined) {
    report('format-added', `\`format\` was set to \`${String(is['format'])}\`.`, pointer);
  }
  for (const name of ['readOnly', 'writeOnly']) {
    if (was[name] !== true && is[name] === true) report('direction-narrowed', `It became \`${name}\`.`, pointer);
  }
  for (const [name, rule] of Object.entries(kept)) reportLost(was[name], is[name], rule, step(pointer, name), report);
  judgeOperation(was, is, pointer, report);
  judgeEnumNames(was, is, pointer, report);
}

function reportLost(was: unknown, is: unknown, rule: string, pointer: string, report: Report): void {
  if (!isObject(was)) return;
  for (const name of Object.keys(was)) {
    if (!isObject(is) || !Object.hasOwn(is, name)) report(rule, `\`${name}\` was removed.`, step(pointer, name));
  }
}

/**
 * Generators group operations by the first tag and know only the successes that the contract told them. Where a call
 * without credentials is accepted too, the differ takes each other way for dispensable.
 */
function judgeOperation(was: JsonObject, is: JsonObject, pointer: string, report: Report): void {
  if (typeof was['operationId'] !== 'string') return;
  const group = (operation: JsonObject) => (Array.isArray(operation['tags']) ? operation['tags'][0] : undefined);
  if (group(was) !== group(is)) {
    report('tag-changed', `The first tag ${fromTo(group(was), group(is))}.`, pointer);
  }
  const successes = (operation: JsonObject) =>
    Object.keys(isObject(operation['responses']) ? operation['responses'] : {}).filter((status) =>
      /^[23]/.test(status),
    );
  const known = successes(was);
  for (const status of successes(is)) {
    if (!known.includes(status)) report('success-added', `It can also answer ${status} now.`, pointer);
  }
  const accepted = schemesIn(is['security']);
  for (const scheme of schemesIn(was['security'])) {
    if (accepted.size > 0 && !accepted.has(scheme)) {
      report('security-scheme-dropped', `\`${scheme}\` is no longer accepted.`, step(pointer, 'security'));
    }
  }
}

/** The schemes of all alternatives; none where an operation is public. */
function schemesIn(security: unknown): Set<string> {
  return new Set(Array.isArray(security) ? security.flatMap((one) => (isObject(one) ? Object.keys(one) : [])) : []);
}

/** `x-enum-varnames`: what generated code calls each value. */
function judgeEnumNames(was: JsonObject, is: JsonObject, pointer: string, report: Report): void {
  const names = ({ enum: values, 'x-enum-varnames': given }: JsonObject) =>
    new Map(Array.isArray(values) && Array.isArray(given) ? values.map((value, index) => [value, given[index]]) : []);
  const before = names(was);
  const now = names(is);
  if (before.size === 0 || !Array.isArray(is['enum'])) return;
  for (const [value, name] of before) {
    if (is['enum'].includes(value) && now.get(value) !== name) {
      report('enum-name-changed', `The name of \`${value}\` ${fromTo(name, now.get(value))}.`, pointer);
    }
  }
}

function fromTo(was: unknown, is: unknown): string {
  const words = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return is === undefined ? `\`${words(was)}\` was removed` : `changed from \`${words(was)}\` to \`${words(is)}\``;
}

function resolve(document: Document, value: unknown): unknown {
  return isObject(value) && typeof value['$ref'] === 'string' ? follow(document, value['$ref']) : value;
}

function nameOfParameter(value: unknown): string | undefined {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['in'] === 'string'
    ? `${value['in']} ${value['name']}`
    : undefined;
}

/** Generators write types for objects, for sets of values, and for alternatives; other schemas they write out. */
function isTypeOfGeneratedCode(reference: string, schema: unknown): boolean {
  if (!reference.startsWith('#/components/schemas/') || !isObject(schema)) return false;
  return ['properties', 'enum', 'oneOf', 'anyOf', 'allOf'].some((member) => Object.hasOwn(schema, member));
}

function schemesOf({ components }: Document): unknown {
  return isObject(components) ? components['securitySchemes'] : undefined;
}
