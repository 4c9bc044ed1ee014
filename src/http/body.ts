/** Reads request bodies (JSON, forms, XML), limits their size, and rejects text that no surface can store or show. */

import type { IncomingMessage } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { Failure } from '../domain/failure.ts';
import { readAnyQuery } from './any-query.ts';
import { type Codec, codecs, findFormFault, isLeftOut, notUtf8, oneText } from './codecs.ts';
import { isUtf8Form } from './encoding.ts';
import { booleanText, type ParameterKinds } from './parameter-kinds.ts';
import { type RequestState, requestStateOf } from './request-state.ts';

/**
 * Parses the body in the media type that the operation's contract names; others are refused before reading.
 * `emptyIsObject`: without a body the Content-Type is ignored.
 */
export function readBody(emptyIsObject = false): RequestHandler {
  return (req, res, next) => {
    const accepted = Object.keys(requestStateOf(res).operation?.requestBody?.content ?? {});
    if (accepted.length === 0) {
      // The validator compiles and keeps a check for every media type that it sees, parameters included, so it only
      // sees ours.
      delete req.headers['content-type'];
      return next();
    }
    const required = requestStateOf(res).operation?.requestBody?.required === true;
    const empty = hasNoBody(req);
    if (empty && emptyIsObject) req.headers['content-type'] = accepted[0];
    const sent = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (!accepted.includes(sent)) {
      if (empty && !required && sent === '') return next();
      return next(new Failure('media_type_unsupported', { message: `Content-Type must be ${accepted.join(' or ')}` }));
    }
    if (!isUtf8Charset(req.headers['content-type'])) {
      return next(new Failure('media_type_unsupported', { message: 'the body must be UTF-8 and not compressed' }));
    }
    const codec: Codec = codecs[sent as keyof typeof codecs];
    // The validator gets the bare type.
    req.headers['content-type'] = sent;
    // No bytes would be kept of an empty body.
    const receive: RequestHandler = empty ? (_req, _res, done) => done() : codec.receive;
    receive(req, res, (error?: unknown) => {
      if (error) return next(error);
      try {
        const bytes: Buffer = empty ? noBytes : req.body;
        req.body = bytes.length === 0 ? emptyBody(req, codec, required) : codec.read(bytes, kindsOf(res).repeatable);
      } catch (fault) {
        return next(fault);
      }
      next();
    });
  };
}

const noBytes = Buffer.alloc(0);

/**
 * What an empty body stands for. An empty object changes or replaces something as any other does, so that a PUT without
 * a body is a fault of the client. Throws `request_invalid`.
 */
function emptyBody({ method }: IncomingMessage, codec: Codec, required: boolean): unknown {
  const value = codec.empty();
  // XML without an element is refused where it is read.
  if (!required || method !== 'PUT' || Buffer.isBuffer(value)) return value;
  throw new Failure('request_invalid', { name: 'the body', message: 'the body is missing' });
}

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

/** RFC 8259 §8.1 and the URL standard allow no other; parsers accept more, including UTF-7. */
function isUtf8Charset(contentType: string | undefined): boolean {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType ?? '') ?? [];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
}

/** Errors of a query string: a repeated parameter, or invalid text (RFC 6749 §3.1). */
export function readQuery(): RequestHandler {
  return (req, res, next) => {
    const { operation } = requestStateOf(res);
    if (operation?.['x-any-query']) {
      setQuery(req, readAnyQuery(req.url, operation.parameters ?? []));
      return next();
    }
    const isText = isUtf8Form(req.url.replace(/^[^?]*/, ''));
    const { repeatable } = kindsOf(res);
    const fault = isText ? findFormFault(req.query as Record<string, unknown>, repeatable) : notUtf8('the query');
    if (fault) return next(fault);
    setQuery(req, fieldsOf(req.query as Readonly<Record<string, unknown>>, requestStateOf(res)));
    next();
  };
}

/** Express parses the query at each access; all later steps see the value set here. */
function setQuery(req: IncomingMessage, value: object): void {
  Object.defineProperty(req, 'query', { value, writable: true, enumerable: true, configurable: true });
}

/**
 * The parameters as the contract's rules for their texts leave them. Those with brackets in their names are taken out
 * and noted: the validator would fold `client_id[]` into `client_id`.
 */
function fieldsOf(sent: Readonly<Record<string, unknown>>, state: RequestState): Record<string, string> {
  const { booleans, filled } = state.operation?.kinds ?? noKinds;
  const fields: Record<string, string> = {};
  for (const [name, given] of Object.entries(sent)) {
    const value = String(oneText(given));
    if (isLeftOut(name, value) && !filled.has(name)) continue;
    if (name.includes('[')) state.bracketed ??= name;
    else fields[name] = booleans.has(name) ? booleanText(value) : value;
  }
  return fields;
}

type TextKinds = Pick<ParameterKinds, 'booleans' | 'filled' | 'repeatable'>;

const none: ReadonlySet<string> = new Set();
const noKinds: TextKinds = { booleans: none, filled: none, repeatable: none };

function kindsOf(res: Response): TextKinds {
  return requestStateOf(res).operation?.kinds ?? noKinds;
}
