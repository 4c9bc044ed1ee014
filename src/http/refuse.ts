/** Responses to failures, from the surface's own table. */

import type { ErrorRequestHandler } from 'express';
import { actAs } from '../domain/audit/context.ts';
import { Failure, isOurs } from '../domain/failure.ts';
import type { Services } from '../services.ts';
import { type Deprecation, isSwitchedOff } from './deprecation.ts';
import { failureOf, type InvalidCode } from './failure-of.ts';
import { actorOf, type RequestState, requestStateOf } from './request-state.ts';
import { type ReplyForm, sendReply } from './send.ts';
import type { SurfaceDefinition } from './surface.ts';

export function refuse<Operations>(
  services: Services,
  definition: SurfaceDefinition<Operations>,
  deprecation: Deprecation | null,
  form: ReplyForm,
): ErrorRequestHandler {
  return async (error: unknown, _req, res, _next) => {
    const state = requestStateOf(res);
    let failure = failureOf(error, state, definition.invalid as InvalidCode | undefined);
    if (deprecation && isSwitchedOff(services, deprecation, state.account) && !isOurs(failure.code)) {
      // A surface that is switched off answers nothing else, whatever is wrong with the request.
      failure = new Failure('not_found');
      res.removeHeader('allow');
    }
    if (definition.onRefusal) failure = await told(failure, state, definition.onRefusal);
    state.failure = failure;
    if (failure.code === 'internal') reportFault(services, failure, state);
    noteShown(services, definition, failure, state);
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const { codes, kinds } = definition.failures;
    const refusal = codes[failure.code] ?? kinds[failure.kind];
    const context = {
      requestId: state.requestId,
      operation: state.operation?.operationId ?? null,
      account: state.account,
    };
    const reply = typeof refusal === 'function' ? refusal(failure, context) : refusal;
    const retryAfterSeconds = failure.detail.retryAfterSeconds ?? (failure.code === 'unavailable' ? 1 : undefined);
    if (retryAfterSeconds !== undefined) res.setHeader('retry-after', String(retryAfterSeconds));
    await sendReply(res, state.operation, reply, form);
  };
}

/** The refusal of a caller with a key, after the surface was told about it; or the fault, if that failed. */
async function told<Operations>(
  failure: Failure,
  state: RequestState,
  tell: NonNullable<SurfaceDefinition<Operations>['onRefusal']>,
): Promise<Failure> {
  const { account, operation, apiKey, source, requestId } = state;
  if (!account || !operation || apiKey === null || isOurs(failure.code) || failure.code === 'rate_limited')
    return failure;
  const telling = actAs({ actor: actorOf(state), source, requestId }, () =>
    tell(failure, operation.operationId, account),
  );
  return telling.then(
    () => failure,
    (fault: unknown) => failureOf(fault, state, undefined),
  );
}

/** The page shows the number of the request as a reference. */
function noteShown<Operations>(
  { refusals }: Pick<Services, 'refusals'>,
  { isShown }: SurfaceDefinition<Operations>,
  failure: Failure,
  { account, operation, requestId, source }: RequestState,
): void {
  const operationId = operation?.operationId ?? null;
  if (account && isShown?.(operationId)) {
    refusals.note(account.id, { requestId, source, operation: operationId, failure });
  }
}

function reportFault(services: Services, failure: Failure, state: RequestState): void {
  const { cause, detail } = failure;
  const fault = cause instanceof Error ? cause : failure;
  services.log.error('internal error', {
    requestId: state.requestId,
    ...(state.operation && { operation: state.operation.operationId }),
    ...(detail.reason !== undefined && { reason: detail.reason }),
    stack: fault.stack ?? fault.message,
  });
}
