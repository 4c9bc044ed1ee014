import type { RequestHandler } from 'express';
import { Failure } from '../domain/failure.ts';

/** Refuses a request whose `Accept` leaves out the one media type that the surface answers in (RFC 9110 §12.5.1). */
export function requireAccepted(type: string): RequestHandler {
  return (req, _res, next) => {
    if (!req.accepts(type)) {
      throw new Failure('media_type_unsupported', { name: 'Accept', message: `Accept must allow ${type}` });
    }
    next();
  };
}
