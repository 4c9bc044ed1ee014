/** Requests with `Idempotency-Key`, for the operations that document the parameter. */

import { Failure } from '../domain/failure.ts';
import { answerOnce } from '../domain/idempotency.ts';
import { networkSourceOf } from '../domain/network-source.ts';
import type { Services } from '../services.ts';
import type { Contract, ContractOperation } from './contract.ts';
import type { Reply, Request, Store } from './operation.ts';
import { followIn } from './parameter-kinds.ts';

/** Characters of a key whose caller is a network alone: others there could get the answer by a guess. */
const fewestOfNetwork = 16;

/** Answers a request that is to be repeatable, or null for any other. `write` runs it over a store that claims the key. */
type AnswerOnce = (
  operationId: string,
  request: Request<unknown>,
  store: Store,
  write: (over: Store) => Promise<Reply<unknown>>,
) => ReturnType<typeof answerOnce> | null;

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

/** The repeatable operations of a surface. */
export function prepareRepeatable(services: Services, { contract }: { readonly contract: Contract }): AnswerOnce {
  const operations = readRepeatable(contract);
  return (operationId, request, given, write) => {
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
    return answerOnce({ ...services, store: given }, repeatable, write);
  };
}
