import type { Response } from 'express';
import type { Account } from '../domain/accounts/account.ts';
import type { LimitName } from '../domain/accounts/limit-settings.ts';
import { unlimited } from '../domain/callers/unlimited.ts';
import type { LimitState, LimitSubject, Limits } from '../domain/limits.ts';

/** Counts a call of a known caller; every response states what is left. Throws `rate_limited`. */
export async function takeLimit(
  res: Response,
  limits: Limits,
  account: Account,
  name: LimitName,
  subject: LimitSubject,
): Promise<void> {
  try {
    sayLimit(res, await limits.take(account, name, subject));
  } catch (refusal) {
    sayLimit(res, await limits.state(account, name, subject));
    throw refusal;
  }
}

function sayLimit(res: Response, state: LimitState | null): void {
  const { limit, remaining, resetSeconds } = state ?? unlimited;
  res.setHeader('x-ratelimit-limit', String(limit));
  res.setHeader('x-ratelimit-remaining', String(remaining));
  res.setHeader('x-ratelimit-reset', String(resetSeconds));
}
