import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Account } from '../domain/accounts/account.ts';
import type { Limit, LimitName } from '../domain/accounts/limit-settings.ts';
import { Failure } from '../domain/failure.ts';
import type { LimitState, Limits } from '../services.ts';

/**
 * Counters in the memory of this process, over fixed windows; each node counts for itself. One limiter exists for
 * each pair of points and window, shared by all accounts that use the pair; keys carry account and limit.
 */
export function createLimits(): Limits {
  const limiters = new Map<string, RateLimiterMemory>();

  function limiterOf({ points, windowSeconds }: Limit): RateLimiterMemory {
    const name = `${points}/${windowSeconds}`;
    const existing = limiters.get(name);
    if (existing) return existing;
    const made = new RateLimiterMemory({ points, duration: windowSeconds, keyPrefix: name });
    limiters.set(name, made);
    return made;
  }

  async function withLimiter<T>(
    account: Account,
    name: LimitName,
    key: string,
    work: (limiter: RateLimiterMemory, key: string, limit: Limit) => Promise<T>,
  ): Promise<T | null> {
    const limit = account.settings.limits[name];
    return limit ? work(limiterOf(limit), `${account.id}:${name}:${key}`, limit) : null;
  }

  return {
    take: (account, name, key) =>
      withLimiter(account, name, key, async (limiter, full, limit) => {
        try {
          return stateOf(await limiter.consume(full), limit);
        } catch (refusal) {
          if (refusal instanceof Error) throw refusal;
          const { resetSeconds } = stateOf(refusal as RateLimiterRes, limit);
          throw new Failure('rate_limited', { retryAfterSeconds: Math.max(1, resetSeconds), reason: `limit ${name}` });
        }
      }),
    refund: async (account, name, key) => {
      await withLimiter(account, name, key, (limiter, full) => limiter.reward(full));
    },
    reset: async (account, name, key) => {
      await withLimiter(account, name, key, (limiter, full) => limiter.delete(full));
    },
    state: (account, name, key) =>
      withLimiter(account, name, key, async (limiter, full, limit) => {
        const found = await limiter.get(full);
        return found
          ? stateOf(found, limit)
          : { limit: limit.points, remaining: limit.points, resetSeconds: limit.windowSeconds };
      }),
  };
}

function stateOf(result: RateLimiterRes, { points, windowSeconds }: Limit): LimitState {
  return {
    limit: points,
    remaining: Math.max(0, result.remainingPoints),
    // A window ends by a timer; the time left is told by the clock, which may have been moved since it began.
    resetSeconds: Math.min(windowSeconds, Math.max(0, Math.ceil(result.msBeforeNext / 1000))),
  };
}
