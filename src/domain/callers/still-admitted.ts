/** Whether who was admitted when a call began would be admitted now: for answers that go on, and for what is written. */

import type { Services } from '../../services.ts';
import type { Store, StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { accountOf } from '../accounts/accounts.ts';
import { Failure } from '../failure.ts';
import { bearerToken, dpopToken } from './bearer.ts';
import { readConsoleToken } from './console-tokens.ts';
import { authenticateBearer } from './credential-tokens.ts';
import { isKeyActive } from './find-api-key.ts';
import { inWriteTurn } from './write-turns.ts';

type Reading = Pick<Services, 'clock' | 'addresses'> & {
  readonly store: Pick<StoreVerbs, 'accounts' | 'administrators' | 'callers'>;
};

/**
 * `authorization`: the header of the request; `scopes`: all that the caller must still have. Rejects where that cannot
 * be found out.
 */
export async function isStillAdmitted(
  services: Reading,
  { id }: Pick<Account, 'id'>,
  authorization: string | undefined,
  scopes: readonly string[],
): Promise<boolean> {
  const bound = dpopToken(authorization);
  try {
    const now =
      bound === null
        ? await authenticateBearer(services, { id }, bearerToken(authorization) ?? '')
        : await readAdministrator(services, id, bound);
    return now !== null && scopes.every((scope) => now.scopes.includes(scope));
  } catch (error) {
    if (error instanceof Failure && error.code === 'caller_unauthenticated') return false;
    throw error;
  }
}

async function readAdministrator(services: Reading, accountId: number, accessToken: string) {
  // Its settings may be others by now.
  const record = await services.store.accounts.find(accountId);
  return record && readConsoleToken(services, accountOf(record, services.addresses), accessToken);
}

/** Who was let in by a call, and the evidence by which it is known again. */
export type Admitted =
  | { readonly keyDigest: string }
  | { readonly authorization: string | undefined; readonly scopes: readonly string[] };

/**
 * The same store for the writes of one call: each transaction begins by looking again whether its caller is admitted, and
 * looks once more before it commits. A call waits between them, for the hash of a password, for the verdict on a
 * function, or for other writes, and who lost the right meanwhile would have made another one by then. Whoever takes a
 * right records it in the account's trail, so that at the second look it is taken already, or will be after the commit. A
 * transaction throws `caller_unauthenticated` or `api_key_invalid`, and `unavailable` where its account gets no turn.
 */
export function storeWhileAdmitted(
  services: Pick<Services, 'store' | 'clock' | 'addresses'>,
  account: Pick<Account, 'id'>,
  admitted: Admitted,
): Store {
  const { store } = services;
  return {
    ...store,
    transaction: (work) => inWriteTurn(store, account, (begun, ended) => transact(work, begun, ended)),
  };

  function transact<Result>(
    work: (tx: StoreVerbs) => Promise<Result>,
    begun: () => void,
    ended: () => void,
  ): Promise<Result> {
    return store.transaction(async (tx) => {
      begun();
      if (!(await isAdmitted(tx))) throw refusal();
      await tx.events.beforeCommit(async (own, committed) => {
        // A caller may give up its own right: only what others took counts.
        if (!(await isAdmitted(own)) && !(await isAdmitted(committed))) throw refusal();
      });
      await tx.events.atLast(ended);
      return work(tx);
    });
  }

  function isAdmitted(verbs: StoreVerbs): Promise<boolean> {
    if ('keyDigest' in admitted) return isKeyActive(verbs, admitted.keyDigest);
    return isStillAdmitted({ ...services, store: verbs }, account, admitted.authorization, admitted.scopes);
  }

  function refusal(): Failure {
    if ('keyDigest' in admitted) return new Failure('api_key_invalid', { reason: wasTaken });
    const scheme = dpopToken(admitted.authorization) === null ? {} : { scheme: 'DPoP' as const };
    return new Failure('caller_unauthenticated', { reason: wasTaken, challenged: true, ...scheme });
  }
}

const wasTaken = 'the right was taken meanwhile';
