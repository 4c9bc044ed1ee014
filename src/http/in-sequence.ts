import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * The steps as one handler. Called like handlers of a router without a path: what a step throws, rejects with or passes
 * on ends the sequence, and goes to `refuse`, or on to the next handler. A router would look for a path, and bind
 * functions, at each of them.
 */
export function inSequence(steps: readonly RequestHandler[], refuse?: ErrorRequestHandler): RequestHandler {
  if (!refuse) return (req, res, next) => run(steps, 0, req, res, next, next);
  return (req, res, next) => {
    run(steps, 0, req, res, next, (error) => call((passOn) => refuse(error, req, res, passOn), next, next));
  };
}

function run(
  steps: readonly RequestHandler[],
  index: number,
  req: Request,
  res: Response,
  next: NextFunction,
  fail: (error: unknown) => void,
): void {
  const step = steps[index];
  if (!step) {
    next();
    return;
  }
  call(
    (passOn) => step(req, res, passOn),
    () => run(steps, index + 1, req, res, next, fail),
    fail,
  );
}

/** Calls a step; `fail` gets whatever it fails with, in any of its ways. */
function call(step: (passOn: NextFunction) => unknown, next: () => void, fail: (error: unknown) => void): void {
  try {
    const done = step((error?: unknown) => (error ? fail(error) : next()));
    if (done instanceof Promise) done.catch((error: unknown) => fail(error ?? new Error('Rejected promise')));
  } catch (error) {
    fail(error);
  }
}
