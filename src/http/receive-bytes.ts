import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { Failure } from '../domain/failure.ts';

/**
 * Reads the bytes of a body into `req.body`. Fails with `body_too_large` as soon as the body is known to exceed `limit`
 * bytes, without waiting for the rest: the response ends the connection. Fails with `media_type_unsupported` for a
 * coded body, and with `request_malformed` when the client disconnects.
 */
export function receiveBytes(limit: number): RequestHandler {
  return (req, res, next) => {
    if ((req.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
      const message = 'the body must be UTF-8 and not compressed';
      return next(new Failure('media_type_unsupported', { message }));
    }
    const arrived = readArrived(req, limit);
    if (arrived) {
      req.body = arrived;
      return next();
    }
    readAtMost(req, limit).then(
      (bytes) => {
        req.body = bytes;
        next();
      },
      (failure: Failure) => {
        if (failure.code === 'body_too_large') res.setHeader('connection', 'close');
        next(failure);
      },
    );
  };
}

export function bodyTooLarge(message = 'the body is larger than allowed'): Failure {
  return new Failure('body_too_large', { message });
}

/**
 * The body, when all of it came with its head and is within the limit: then nobody has to wait for it. Null otherwise.
 * Node calls a request complete only after it has passed on the last bytes, which the parser has counted by then.
 */
function readArrived(req: IncomingMessage, limit: number): Buffer | null {
  const { destroyed, readableLength } = req;
  if (destroyed || readableLength === 0 || readableLength > limit) return null;
  if (!req.complete && readableLength !== Number(req.headers['content-length'])) return null;
  const bytes: unknown = req.read();
  return Buffer.isBuffer(bytes) && req.readableLength === 0 ? bytes : null;
}

function readAtMost(req: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > limit) return Promise.reject(bodyTooLarge());
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  const keep = (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) {
      chunks.push(chunk);
      return;
    }
    req.off('data', keep);
    reject(bodyTooLarge());
  };
  const giveUp = () => reject(new Failure('request_malformed', { message: 'the body could not be read' }));
  req
    .on('data', keep)
    .once('end', () => {
      // Every request is closed eventually.
      req.off('close', giveUp);
      resolve(Buffer.concat(chunks));
    })
    .once('error', giveUp)
    .once('close', giveUp);
  return promise;
}
