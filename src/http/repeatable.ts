/** Requests with `Idempotency-Key`, for the operations that document the parameter. */

import { Failure } from '../domain/failure.ts';
import { answerOnce } from '../domain/idempotency.ts';
import { networkSourceOf } from '../domain/network-source.ts';
import type { Services } from '../services.ts';
import type { AnswerIfMatch } from './conditional.ts';
import type { Contract, ContractOperation } from './contract.ts';
import type { Handler, Handlers, ReplyHeaders, Request } from './operation.ts';
import { followIn } from './parameter-kinds.ts';

/** Characters of a key whose caller is a network alone: others there could get the answer by a guess. */
const fewestOfNetwork = 16;

type Respond = Parameters<Handler<unknown>>[1];

interface Answered {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: ReplyHeaders;
}

interface Repeatable<Operations> {
  readonly contract: Contract;
  /** Over a store that claims the key. */
  readonly handlersOver?: (services: Services) => Handlers<Operations>;
}

/** Answers a request that is to be repeatable, or null for any other. `store`: what the write goes to. */
export type AnswerOnce = (
  operationId: string,
  request: Request<unknown>,
  respond: Respond,
  store: Services['store'],
) => Promise<Answered> | null;

function tooShort(): Failure {
  const name = 'Idempotency-Key';
  const message = `${name} must have at least ${fewestOfNetwork} characters in a request without a credential`;
  return new Failure('value_invalid', { name, message });
}

/** The operations that document the parameter. */
function readRepeatable(contract: Contract): ReadonlySet<string> {
  const follow = followIn(contract);
  const isRepeatable = ({ parameters = [] }: ContractOperation) =>
    parameters.map(follow).some(({ name }) => name === 'Idempotency-Key');
  const operations = Object.values(contract.paths).flatMap((item) => Object.values(item) as ContractOperation[]);
  return new Set(operations.filter(isRepeatable).map(({ operationId }) => operationId));
}

/**
 * The repeatable operations of a surface, whose handlers are run over a store that knows of the key. One that is also
 * conditional compares first.
 */
export function prepareRepeatable<Operations>(
  services: Services,
  { contract, handlersOver }: Repeatable<Operations>,
  answerIfMatch: AnswerIfMatch,
): AnswerOnce {
  const operations = readRepeatable(contract);
  if (!handlersOver) {
    if (operations.size > 0) throw new Error(`no handlers over another store: ${[...operations].join(', ')}`);
    return () => null;
  }
  return (operationId, request, respond, given) => {
    const key = request.headers['idempotency-key'];
    if (key === undefined || !operations.has(operationId)) return null;
    const { caller, origin, path, query, body } = request;
    if (!caller && key.length < fewestOfNetwork) throw tooShort();
    const repeatable = {
      account: origin.account,
      caller: caller ? `${caller.actor.type} ${caller.actor.id}` : `network ${networkSourceOf(origin.source)}`,
      key,
      request: JSON.stringify([operationId, path, query, body ?? null]),
    };
    return answerOnce({ ...services, store: given }, repeatable, async (store) => {
      const conditional = answerIfMatch(operationId, request, respond, store);
      if (conditional) return conditional;
      const handler = handlersOver({ ...services, store })[operationId as keyof Operations] as Handler<unknown>;
      return handler(request, respond);
    });
  };
}
