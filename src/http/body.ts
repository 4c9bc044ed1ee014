/** Reads request bodies: JSON and forms, bounded, and free of text that no surface can store or show. */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import express, { type RequestHandler } from 'express';
import { Failure } from '../domain/failure.ts';
import { readAnyQuery } from './any-query.ts';
import { hasControlCharacter } from './control-characters.ts';
import { findRepeatedName, isUtf8Form } from './encoding.ts';
import { exchangeOf } from './exchange.ts';

const jsonLimitBytes = 64 * 1024;
const formLimitBytes = 16 * 1024;
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

/** The text of a JSON body while it is read: what the parser drops can be seen there only. */
const jsonTexts = new WeakMap<IncomingMessage, string>();

function keepJsonText(req: IncomingMessage, _res: unknown, body: Buffer): void {
  if (!isUtf8(body)) throw notUtf8('the body');
  jsonTexts.set(req, body.toString('utf8'));
}

function checkForm(_req: unknown, _res: unknown, body: Buffer): void {
  if (!isUtf8Form(body.toString('latin1'))) throw notUtf8('the body');
}

function notUtf8(where: string): Failure {
  return new Failure('request_malformed', { name: where, message: `${where} is not UTF-8` });
}

/**
 * Parses the body in the form that the operation's contract names; other media types are refused before reading.
 * `emptyIsObject`: without a body the Content-Type is not looked at.
 */
export function readBody(emptyIsObject = false): RequestHandler {
  return (req, res, next) => {
    const accepted = Object.keys(exchangeOf(res).operation?.requestBody?.content ?? {});
    if (accepted.length === 0) {
      // The validator compiles and keeps a check for every media type it sees, parameters included: it sees ours only.
      delete req.headers['content-type'];
      return next();
    }
    const required = exchangeOf(res).operation?.requestBody?.required === true;
    const empty = hasNoBody(req);
    if (empty && emptyIsObject) req.headers['content-type'] = accepted[0];
    const sent = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (!accepted.includes(sent)) {
      if (empty && !required && sent === '') return next();
      return next(new Failure('media_type_unsupported', { message: `Content-Type must be ${accepted.join(' or ')}` }));
    }
    if (!isUtf8Charset(req.headers['content-type'])) return next(bodyFailure({ status: 415 }));
    if (empty) {
      // The parsers leave no body at all then; an operation reads one object.
      req.body = {};
      req.headers['content-type'] = sent;
      return next();
    }
    const parse = sent === 'application/json' ? parseJson : parseForm;
    parse(req, res, (error?: unknown) => {
      if (error) return next(bodyFailure(error));
      req.headers['content-type'] = sent;
      const isJson = sent === 'application/json';
      const fault = isJson ? (findRepetition(req) ?? findJsonFault(req.body)) : findFormFault(req.body);
      if (!isJson && !fault) req.body = withoutEmpty(req.body);
      next(fault ?? undefined);
    });
  };
}

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

/** RFC 8259 §8.1 and the URL standard know no other; parsers read more, UTF-7 among them. */
function isUtf8Charset(contentType: string | undefined): boolean {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType ?? '') ?? [];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
}

function findRepetition(req: IncomingMessage): Failure | null {
  const name = findRepeatedName(jsonTexts.get(req) ?? '');
  return name === null ? null : repeated(name);
}

/** Faults of a query string: a parameter given twice, or text that is not text (RFC 6749 §3.1). */
export function readQuery(): RequestHandler {
  return (req, res, next) => {
    const { operation } = exchangeOf(res);
    if (operation?.['x-any-query']) {
      setQuery(req, readAnyQuery(req.url, operation.parameters ?? []));
      return next();
    }
    const isText = isUtf8Form(req.url.replace(/^[^?]*/, ''));
    const fault = isText ? findFormFault(req.query as Record<string, unknown>) : notUtf8('the query');
    if (fault) return next(fault);
    setQuery(req, withoutBrackets(withoutEmpty(req.query)));
    next();
  };
}

/** Express parses the query anew at each look; what is set here is what all later steps see. */
function setQuery(req: IncomingMessage, value: object): void {
  Object.defineProperty(req, 'query', { value, writable: true, enumerable: true, configurable: true });
}

/** The validator would fold `client_id[]` into `client_id`. No contract has a name with brackets, so it is an unknown one. */
function withoutBrackets(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !name.includes('[')));
}

/** RFC 6749 §3.1, §3.2: a parameter that is sent without a value counts as left out. */
function withoutEmpty(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

/** What Express's parsers say, in the domain's words. They mark their errors with `type` and `status`. */
function bodyFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { type, status } = error as { type?: string; status?: number };
  if (status === 413) return new Failure('body_too_large', { message: 'the body is larger than allowed' });
  if (status === 415)
    return new Failure('media_type_unsupported', { message: 'the body must be UTF-8 and not compressed' });
  if (type === 'entity.parse.failed')
    return new Failure('request_malformed', { message: 'the body is not valid JSON' });
  return new Failure('request_malformed', { message: 'the body could not be read' });
}

function repeated(name: string): Failure {
  return new Failure('parameter_repeated', { name: printable(name), message: `${printable(name)} is given twice` });
}

function findFormFault(fields: Readonly<Record<string, unknown>>): Failure | null {
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
