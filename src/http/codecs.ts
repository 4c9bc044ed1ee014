/** One codec a media type: what reads a body, and what its parser passes over. */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import { Failure } from '../domain/failure.ts';
import { hasControlCharacter } from './control-characters.ts';
import { findRepeatedName, isUtf8Form } from './encoding.ts';
import { xmlType } from './xml-bodies.ts';

const jsonLimitBytes = 64 * 1024;
const formLimitBytes = 16 * 1024;
const xmlLimitBytes = 128 * 1024;
const formFields = 50;
const maximumDepth = 32;

/** Bodies of management and registration: an object or an array. */
const parseJson = express.json({ limit: jsonLimitBytes, inflate: false, verify: keepJsonText });
const parseForm = express.urlencoded({
  extended: false,
  limit: formLimitBytes,
  parameterLimit: formFields,
  inflate: false,
  verify: checkForm,
});

/** Kept as bytes: what they stand for is the contract's to say. */
const keepXml = express.raw({ limit: xmlLimitBytes, inflate: false, type: () => true });

/** The text of a JSON body while it is read: what the parser drops can be seen there only. */
const jsonTexts = new WeakMap<IncomingMessage, string>();

function keepJsonText(req: IncomingMessage, _res: unknown, body: Buffer): void {
  if (!isUtf8(body)) throw notUtf8('the body');
  jsonTexts.set(req, body.toString('utf8'));
}

function checkForm(_req: unknown, _res: unknown, body: Buffer): void {
  if (!isUtf8Form(body.toString('latin1'))) throw notUtf8('the body');
}

export function notUtf8(where: string): Failure {
  return new Failure('request_malformed', { name: where, message: `${where} is not UTF-8` });
}

export interface Codec {
  readonly parse: RequestHandler;
  /** What stands for no body. */
  empty(): unknown;
  /** Finds what the parser passes over, and puts the body in its last form. */
  finish(req: Request): Failure | null;
}

export const codecs = {
  'application/json': {
    parse: parseJson,
    // An operation reads one object.
    empty: () => ({}),
    finish: (req) => findRepetition(req) ?? findJsonFault(req.body),
  },
  'application/x-www-form-urlencoded': {
    parse: parseForm,
    empty: () => ({}),
    finish: (req) => {
      const fault = findFormFault(req.body);
      if (!fault) req.body = withoutEmpty(req.body);
      return fault;
    },
  },
  [xmlType]: {
    parse: keepXml,
    // A document has an element at least: this is none.
    empty: () => Buffer.alloc(0),
    finish: () => null,
  },
} as const satisfies Record<string, Codec>;

function findRepetition(req: IncomingMessage): Failure | null {
  const name = findRepeatedName(jsonTexts.get(req) ?? '');
  return name === null ? null : repeated(name);
}

/** RFC 6749 §3.1, §3.2: a parameter that is sent without a value counts as left out. */
export function withoutEmpty(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

function repeated(name: string): Failure {
  return new Failure('parameter_repeated', { name: printable(name), message: `${printable(name)} is given twice` });
}

export function findFormFault(fields: Readonly<Record<string, unknown>>): Failure | null {
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) return repeated(name);
    if (hasControlCharacter(name) || hasControlCharacter(String(value))) return unprintable(printable(name));
  }
  return null;
}

function findJsonFault(value: unknown, path = '', depth = 1): Failure | null {
  if (typeof value === 'string') return hasControlCharacter(value) ? unprintable(path) : null;
  if (typeof value !== 'object' || value === null) return null;
  if (depth > maximumDepth) {
    return new Failure('request_malformed', { message: `the body is nested deeper than ${maximumDepth} levels` });
  }
  for (const [name, member] of Object.entries(value)) {
    // An own `__proto__` would become a prototype in the first careless copy.
    if (name === '__proto__')
      return new Failure('request_malformed', { name, message: '__proto__ is no name of a member' });
    if (hasControlCharacter(name)) return unprintable(path);
    const fault = findJsonFault(member, path ? `${path}.${name}` : name, depth + 1);
    if (fault) return fault;
  }
  return null;
}

function unprintable(name: string): Failure {
  const where = name ? printable(name) : 'the body';
  return new Failure('request_malformed', { name: where, message: `${where} holds a character that is not allowed` });
}

/** A name as sent, short and safe to repeat in an answer. */
function printable(name: string): string {
  return name
    .replace(/[^\x20-\x7e]/g, '?')
    .replace(/["\\]/g, "'")
    .slice(0, 100);
}
