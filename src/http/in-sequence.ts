import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * The steps as one handler. Called like handlers of a router without a path: what a step throws, rejects with or passes
 * on ends the sequence. A router would look for a path, and bind functions, at each of them.
 */
export function inSequence(steps: readonly RequestHandler[]): RequestHandler {
  return (req, res, next) => run(steps, 0, req, res, next);
}

function run(steps: readonly RequestHandler[], index: number, req: Request, res: Response, next: NextFunction): void {
  const step = steps[index];
  try {
    const done: unknown = step
      ? step(req, res, (error?: unknown) => {
          if (error) next(error);
          else run(steps, index + 1, req, res, next);
        })
      : next();
    if (done instanceof Promise) done.catch((error: unknown) => next(error ?? new Error('Rejected promise')));
  } catch (error) {
    next(error);
  }
}
