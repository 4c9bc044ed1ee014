import type { operations } from '../../../generated/auth-2.ts';
import { unlimited } from '../../domain/callers/unlimited.ts';
import { Failure } from '../../domain/failure.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

/**
 * GET /auth/rate_limit: how much of the hourly limit on `/api/2/*` the credential has left. Where the limit is off, the
 * largest number is said to be left.
 */
export function readRateLimit({ limits }: Pick<Services, 'limits'>): Handler<operations['readRateLimit']> {
  return async ({ caller, origin }, respond) => {
    if (!caller) throw new Failure('caller_unauthenticated');
    const state = (await limits.state(origin.account, 'api-2', caller.limitedBy)) ?? unlimited;
    return respond(200, {
      status: { error: false, code: 200, type: 'success', message: 'Success' },
      data: {
        'X-RateLimit-Limit': state.limit,
        'X-RateLimit-Remaining': state.remaining,
        'X-RateLimit-Reset': state.resetSeconds,
      },
    });
  };
}
