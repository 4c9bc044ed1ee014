/**
 * Converts XML bodies to and from the plain values that the contract describes: it determines names, kinds and order.
 */

import { isUtf8 } from 'node:buffer';
import { Failure } from '../domain/failure.ts';
import { isIntegerText } from './integer-text.ts';
import type { XmlRules } from './xml-rules.ts';
import { escapeXml } from './xml-text.ts';
import { parseXml, type XmlElement } from './xml-tree.ts';

type Value = string | number | null;

/**
 * The object in a request's document. Read-only elements are ignored; `nil="true"` and an empty number are null. Throws
 * `request_malformed` for invalid XML (see `parseXml`), `parameter_repeated` for a repeated element, and
 * `value_invalid` for an element that the contract does not know.
 */
export function readXml(body: Buffer, rules: XmlRules): Record<string, Value> {
  if (!isUtf8(body)) throw new Failure('request_malformed', { name: 'the body', message: 'the body is not UTF-8' });
  const root = parseXml(body.toString('utf8'));
  if (root.name !== rules.name) throw invalid(root.name, `the root element must be ${rules.name}`);
  if (isNil(root) || root.text.trim() !== '') throw invalid(root.name, `${root.name} must contain elements`);
  const values = new Map<string, Value>();
  const seen = new Set<string>();
  for (const element of root.children) {
    const { name } = element;
    const member = rules.members.get(name);
    if (!member) throw invalid(name, `unknown element in ${rules.name}: ${name}`);
    if (seen.has(name)) throw new Failure('parameter_repeated', { name, message: `${name} must not be repeated` });
    seen.add(name);
    if (!member.readOnly) values.set(member.member, readValue(element, member));
  }
  // The contract names the members: none is one of JavaScript's own.
  return Object.fromEntries(values);
}

function readValue(element: XmlElement, { kind }: XmlRules): Value {
  const { name, text, children } = element;
  if (children.length > 0) throw invalid(name, `${name} must contain text only`);
  if (isNil(element)) {
    if (text !== '') throw invalid(name, `${name} must not have text when nil is true`);
    return null;
  }
  if (kind !== 'integer') return text;
  const [match, digits] = /^[ \t\n]*(?:(-?\d{1,10})[ \t\n]*)?$/.exec(text) ?? [];
  if (match === undefined) throw invalid(name, `${name} must be an integer`);
  if (digits === undefined) return null;
  if (!isIntegerText(digits)) throw invalid(name, `${name} must be an integer`);
  return Number(digits);
}

function isNil({ name, attributes }: XmlElement): boolean {
  for (const key of attributes.keys()) {
    if (key !== 'type' && key !== 'nil') throw invalid(name, `${name} has an attribute other than type and nil`);
  }
  const nil = attributes.get('nil') ?? 'false';
  if (nil !== 'true' && nil !== 'false') throw invalid(name, `the attribute nil of ${name} must be true or false`);
  return nil === 'true';
}

function invalid(name: string, message: string): Failure {
  return new Failure('value_invalid', { name, message });
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

/** The document of a response: two spaces per level, nothing after the root. Only texts and numbers are written. */
export function writeXml(value: unknown, rules: XmlRules): string {
  return `${declaration}\n${elementOf(value, rules, '')}`;
}

/** The same document for a list with items, in parts. */
export interface XmlListWriter {
  readonly head: string;
  items(values: readonly unknown[]): string;
  readonly tail: string;
}

export function xmlListWriter({ name, item }: XmlRules): XmlListWriter {
  return {
    head: `${declaration}\n<${name}${listType(item)}>`,
    items: (values) => values.map((value) => `\n${elementOf(value, item as XmlRules, '  ')}`).join(''),
    tail: `\n</${name}>`,
  };
}

/** A list of objects is marked as an array, for readers that turn elements into objects. */
function listType(item: XmlRules | null): string {
  return item?.kind === 'object' ? ' type="array"' : '';
}

function elementOf(value: unknown, rules: XmlRules, indent: string): string {
  const { name, kind, item, members } = rules;
  if (kind === 'array') {
    const items = (value as readonly unknown[]).map((one) => elementOf(one, item as XmlRules, `${indent}  `));
    return wrap(name, listType(item), items, indent);
  }
  if (kind === 'object') {
    const given = value as Readonly<Record<string, unknown>>;
    const inside = [...members.values()].map((of) => elementOf(given[of.member], of, `${indent}  `));
    return wrap(name, '', inside, indent);
  }
  const type = kind === 'integer' ? ' type="integer"' : kind === 'time' ? ' type="datetime"' : '';
  if (value === null) return `${indent}<${name}${type} nil="true"/>`;
  if (typeof value !== 'string' && !Number.isSafeInteger(value)) {
    throw new Failure('internal', { reason: `${name} is neither a text nor a number` });
  }
  const text = escapeXml(String(value));
  return text === '' ? `${indent}<${name}${type}/>` : `${indent}<${name}${type}>${text}</${name}>`;
}

function wrap(name: string, attributes: string, inside: readonly string[], indent: string): string {
  if (inside.length === 0) return `${indent}<${name}${attributes}/>`;
  return `${indent}<${name}${attributes}>\n${inside.join('\n')}\n${indent}</${name}>`;
}
