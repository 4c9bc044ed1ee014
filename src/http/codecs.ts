/** One codec per media type: how much of a body is read, and how its bytes are parsed. */

import { isUtf8 } from 'node:buffer';
import { parse as parseForm } from 'node:querystring';
import type { RequestHandler } from 'express';
import { Failure } from '../domain/failure.ts';
import { mostLevels } from '../domain/nesting.ts';
import { hasControlCharacter } from './control-characters.ts';
import { findRepeatedName, isUtf8Form } from './encoding.ts';
import { bodyTooLarge, receiveBytes } from './receive-bytes.ts';
import { xmlType } from './xml-bodies.ts';

const jsonLimitBytes = 64 * 1024;
const formLimitBytes = 16 * 1024;
const xmlLimitBytes = 128 * 1024;
const formFields = 50;

export interface Codec {
  /** Keeps the bytes of a body as `req.body`. */
  readonly receive: RequestHandler;
  /** The value for an empty body. */
  empty(): unknown;
  /**
   * Parses the bytes. `repeatable`: the members of a form that may be given several times. Throws a `Failure` also for
   * faults that parsers ignore.
   */
  read(bytes: Buffer, repeatable: ReadonlySet<string>): unknown;
}

export const codecs = {
  'application/json': {
    receive: receiveBytes(jsonLimitBytes),
    // An operation reads one object.
    empty: () => ({}),
    read: readJson,
  },
  'application/x-www-form-urlencoded': {
    receive: receiveBytes(formLimitBytes),
    empty: () => ({}),
    read: readForm,
  },
  [xmlType]: {
    receive: receiveBytes(xmlLimitBytes),
    // Not a document, which has at least one element.
    empty: () => Buffer.alloc(0),
    // The contract says what they mean.
    read: (bytes) => bytes,
  },
} as const satisfies Record<string, Codec>;

const utf8 = new TextDecoder();

/** Bodies of management and registration: an object or an array. */
function readJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw notUtf8('the body');
  const text = utf8.decode(bytes);
  const value = parseJson(text);
  const name = findRepeatedName(text);
  const fault = name === null ? findJsonFault(value) : repeated(name);
  if (fault) throw fault;
  return value;
}

function parseJson(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Failure('request_malformed', { message: 'the body is not valid JSON' });
  }
  if (typeof value === 'object' && value !== null) return value;
  throw new Failure('request_malformed', { message: 'the body is not a JSON object' });
}

/** As Express reads a query. */
function readForm(bytes: Buffer, repeatable: ReadonlySet<string>): Record<string, unknown> {
  if (!isUtf8Form(bytes.toString('latin1'))) throw notUtf8('the body');
  const text = bytes.toString('utf8');
  if (text.split('&', formFields + 1).length > formFields)
    throw bodyTooLarge(`the body has more than ${formFields} members`);
  const fields = parseForm(text);
  const fault = findFormFault(fields, repeatable);
  if (fault) throw fault;
  const read: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const value = oneText(fields[name]);
    if (!isLeftOut(name, value)) read[name] = value;
  }
  return read;
}

/** The values of a repeatable member, with spaces between them; those that are empty count as left out. */
export function oneText(value: unknown): unknown {
  return Array.isArray(value) ? value.filter(Boolean).join(' ') : value;
}

export function notUtf8(where: string): Failure {
  return new Failure('request_malformed', { name: where, message: `${where} is not UTF-8` });
}

/**
 * RFC 6749 §3.1, §3.2: parameters without a value count as left out, and so do unknown ones. `__proto__` is dropped
 * here, since it would become a prototype in the first careless copy.
 */
export function isLeftOut(name: string, value: unknown): boolean {
  return value === '' || name === '__proto__';
}

function repeated(name: string): Failure {
  return new Failure('parameter_repeated', { name: printable(name), message: `${printable(name)} is given twice` });
}

export function findFormFault(
  fields: Readonly<Record<string, unknown>>,
  repeatable: ReadonlySet<string>,
): Failure | null {
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (Array.isArray(value) && !repeatable.has(name)) return repeated(name);
    if (hasControlCharacter(name) || hasControlCharacter(String(value))) return unprintable(printable(name));
  }
  return null;
}

function findJsonFault(value: unknown, path = '', depth = 1): Failure | null {
  if (typeof value === 'string') return hasControlCharacter(value) ? unprintable(path) : null;
  if (typeof value !== 'object' || value === null) return null;
  if (depth > mostLevels) {
    return new Failure('request_malformed', { message: `the body is nested deeper than ${mostLevels} levels` });
  }
  for (const [name, member] of Object.entries(value)) {
    // An own `__proto__` would become a prototype in the first careless copy.
    if (name === '__proto__') {
      return new Failure('request_malformed', { name, message: '__proto__ is not allowed as a member name' });
    }
    if (hasControlCharacter(name)) return unprintable(path);
    const fault = findJsonFault(member, path ? `${path}.${name}` : name, depth + 1);
    if (fault) return fault;
  }
  return null;
}

function unprintable(name: string): Failure {
  const where = name ? printable(name) : 'the body';
  return new Failure('request_malformed', {
    name: where,
    message: `${where} contains a character that is not allowed`,
  });
}

/** A name as sent, short and safe to repeat in a response. */
function printable(name: string): string {
  return name
    .replace(/[^\x20-\x7e]/g, '?')
    .replace(/["\\]/g, "'")
    .slice(0, 100);
}
