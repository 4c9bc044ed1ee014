import type { Request, Response } from 'express';
import type { Account } from '../domain/accounts/account.ts';
import type { LimitName } from '../domain/accounts/limit-settings.ts';
import { bearerToken } from '../domain/callers/bearer.ts';
import type { Caller } from '../domain/callers/caller.ts';
import { authenticateBearer } from '../domain/callers/credential-tokens.ts';
import { Failure } from '../domain/failure.ts';
import type { Services } from '../services.ts';
import { type RequestState, requestStateOf } from './request-state.ts';
import { takeLimit } from './say-limit.ts';

/**
 * Security handlers for the validator, one for each scheme of the contracts. The validator loses the class and code of
 * what a handler throws, so the reason is kept in the request's state.
 */
export function securityHandlers(services: Services, limit?: LimitName) {
  const callers = new WeakMap<RequestState, Promise<Caller>>();

  function identify(res: Response, account: Account, token: string): Promise<Caller> {
    // Several scopes are alternatives of one requirement; the token is looked up once for all of them.
    const state = requestStateOf(res);
    const known = callers.get(state);
    if (known) return known;
    const found = authenticateBearer(services, account, token);
    const counted = limit === undefined ? found : found.then((caller) => count(res, account, limit, caller));
    callers.set(state, counted);
    return counted;
  }

  async function count(res: Response, account: Account, name: LimitName, caller: Caller): Promise<Caller> {
    await takeLimit(res, services.limits, account, name, { credential: caller.clientId });
    return caller;
  }

  return {
    /** A bearer token of an API credential with any of the scopes that the operation accepts. */
    bearer: async (req: Request): Promise<boolean> => {
      const state = requestStateOf(req.res as Response);
      const token = bearerToken(req.headers.authorization);
      try {
        if (!state.account || token === null) {
          throw new Failure('caller_unauthenticated', { challenged: isBearer(req.headers.authorization) });
        }
        const caller = await identify(req.res as Response, state.account, token);
        // Each alternative gets the result for all of them: a refused one would cost an error with its stack.
        const accepted = acceptedScopes(state);
        if (!accepted.some((scope) => caller.scopes.includes(scope))) {
          throw new Failure('scope_insufficient', { scopes: accepted });
        }
        state.caller = caller;
        return true;
      } catch (error) {
        // A fault does not refuse the caller: failing to look a caller up does not make them unauthorized.
        state.callerFailure = error instanceof Failure ? error : new Failure('internal', {}, { cause: error });
        return false;
      }
    },
  };
}

/** Whether the header names the scheme anywhere; another scheme is answered as if there were no header. */
function isBearer(authorization: string | undefined): boolean {
  return authorization?.toLowerCase().includes('bearer') ?? false;
}

/** All scopes of which any one permits the operation. */
function acceptedScopes(state: RequestState): readonly string[] {
  return (state.operation?.security ?? []).flatMap((requirement) => requirement['bearer'] ?? []);
}
