/** Reads request bodies (JSON, forms, XML), limits their size, and rejects text that no surface can store or show. */

import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { Failure } from '../domain/failure.ts';
import { readAnyQuery } from './any-query.ts';
import { codecs, findFormFault, notUtf8, withoutEmpty } from './codecs.ts';
import { isUtf8Form } from './encoding.ts';
import { requestStateOf } from './request-state.ts';

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
    const codec = codecs[sent as keyof typeof codecs];
    // The validator gets the bare type.
    req.headers['content-type'] = sent;
    if (empty) {
      // No bytes would be kept.
      req.body = codec.empty();
      return next();
    }
    codec.receive(req, res, (error?: unknown) => {
      if (error) return next(error);
      try {
        req.body = req.body.length === 0 ? codec.empty() : codec.read(req.body);
      } catch (fault) {
        return next(fault);
      }
      next();
    });
  };
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
    const fault = isText ? findFormFault(req.query as Record<string, unknown>) : notUtf8('the query');
    if (fault) return next(fault);
    setQuery(req, withoutBrackets(withoutEmpty(req.query)));
    next();
  };
}

/** Express parses the query at each access; all later steps see the value set here. */
function setQuery(req: IncomingMessage, value: object): void {
  Object.defineProperty(req, 'query', { value, writable: true, enumerable: true, configurable: true });
}

/** The validator would fold `client_id[]` into `client_id`. No contract has a name with brackets, so it is unknown. */
function withoutBrackets(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !name.includes('[')));
}
