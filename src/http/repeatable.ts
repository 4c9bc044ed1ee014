/** Requests with `Idempotency-Key`, for the operations that document it. */

import { answerOnce } from '../domain/idempotency.ts';
import { networkSourceOf } from '../domain/network-source.ts';
import type { Services } from '../services.ts';
import type { ContractOperation } from './contract.ts';
import type { Handler, Handlers, ReplyHeaders, Request } from './operation.ts';

type Respond = Parameters<Handler<unknown>>[1];

interface Answered {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: ReplyHeaders;
}

/** Answers a request that is to be repeatable, or null for any other. */
export type AnswerOnce = (
  operation: ContractOperation,
  request: Request<unknown>,
  respond: Respond,
) => Promise<Answered> | null;

function isRepeatable({ parameters = [] }: ContractOperation): boolean {
  return parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey'));
}

/** The repeatable operations of a surface, whose handlers are run over a store that knows of the key. */
export function prepareRepeatable<Operations>(
  services: Services,
  handlersOver: ((services: Services) => Handlers<Operations>) | undefined,
): AnswerOnce {
  return (operation, request, respond) => {
    const key = request.headers['idempotency-key'];
    if (key === undefined || !handlersOver || !isRepeatable(operation)) return null;
    const { operationId } = operation;
    const { caller, origin, path, query, body } = request;
    const repeatable = {
      account: origin.account,
      caller: caller ? `credential ${caller.credentialId}` : `network ${networkSourceOf(origin.source)}`,
      key,
      request: JSON.stringify([operationId, path, query, body ?? null]),
    };
    return answerOnce(services, repeatable, (store) => {
      const handler = handlersOver({ ...services, store })[operationId as keyof Operations] as Handler<unknown>;
      return handler(request, respond);
    });
  };
}
