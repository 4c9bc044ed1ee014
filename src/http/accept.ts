import type { RequestHandler } from 'express';
import { Failure } from '../domain/failure.ts';

/** Refuses a request whose `Accept` excludes the only media type of the surface (RFC 9110 §12.5.1). */
export function requireAccepted(type: string): RequestHandler {
  return (req, _res, next) => {
    if (!req.accepts(type)) {
      throw new Failure('media_type_unsupported', { name: 'Accept', message: `Accept must allow ${type}` });
    }
    next();
  };
}
