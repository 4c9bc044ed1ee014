import type { Request, Response } from 'express';
import type { Account } from '../domain/accounts/account.ts';
import { addressesOf } from '../domain/accounts/addresses.ts';
import type { LimitName } from '../domain/accounts/limit-settings.ts';
import { bearerToken, dpopToken } from '../domain/callers/bearer.ts';
import type { Caller } from '../domain/callers/caller.ts';
import { authenticateAdministrator } from '../domain/callers/console-tokens.ts';
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

  function identify(req: Request, account: Account, shown: ShownToken): Promise<Caller> {
    // Several scopes are alternatives of one requirement; the token is looked up once for all of them.
    const res = req.res as Response;
    const state = requestStateOf(res);
    const known = callers.get(state);
    if (known) return known;
    const found = shown.scheme === 'DPoP' ? byProof(req, state, account, shown.token) : byBearer(account, shown.token);
    const counted = limit === undefined ? found : found.then((caller) => count(res, account, limit, caller));
    callers.set(state, counted);
    return counted;
  }

  const byBearer = (account: Account, token: string) => authenticateBearer(services, account, token);

  function byProof(req: Request, { method }: RequestState, account: Account, accessToken: string): Promise<Caller> {
    // What the client signed is compared as a URL, so the path is read as one.
    const { pathname } = new URL(req.originalUrl, account.baseUrl);
    const proof = req.get('dpop') ?? '';
    const presented = { accessToken, proof, method, urls: addressesOf(account, pathname) };
    return authenticateAdministrator(services, account, presented);
  }

  async function count(res: Response, account: Account, name: LimitName, caller: Caller): Promise<Caller> {
    await takeLimit(res, services.limits, account, name, caller.limitedBy);
    return caller;
  }

  return {
    /**
     * A bearer token of an API credential with any of the scopes that the operation accepts; or an administrator's token
     * of the console, where the operation has the scheme `dpop` beside this one.
     */
    bearer: async (req: Request): Promise<boolean> => {
      const state = requestStateOf(req.res as Response);
      const shown = shownToken(state, req.headers.authorization);
      try {
        if (!state.account || shown === null) {
          throw new Failure('caller_unauthenticated', { challenged: isBearer(req.headers.authorization) });
        }
        const caller = await identify(req, state.account, shown);
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

interface ShownToken {
  readonly scheme: 'Bearer' | 'DPoP';
  readonly token: string;
}

/** The token of a header, by a scheme that the operation knows. */
function shownToken({ operation }: RequestState, header: string | undefined): ShownToken | null {
  const bound = operation?.security?.some((requirement) => 'dpop' in requirement) ? dpopToken(header) : null;
  if (bound !== null) return { scheme: 'DPoP', token: bound };
  const token = bearerToken(header);
  return token === null ? null : { scheme: 'Bearer', token };
}

/** Whether the header names the scheme anywhere; another scheme is answered as if there were no header. */
function isBearer(authorization: string | undefined): boolean {
  return authorization?.toLowerCase().includes('bearer') ?? false;
}

/** All scopes of which any one permits the operation. */
function acceptedScopes(state: RequestState): readonly string[] {
  return (state.operation?.security ?? []).flatMap((requirement) => requirement['bearer'] ?? []);
}
