import { setTimeout as delay } from 'node:timers/promises';
import type { Passwords, VerifyPassword } from '../../src/services.ts';

export interface CountingPasswords {
  /** Guesses that were held against a digest. */
  readonly evaluated: number;
  readonly passwords: Passwords;
}

/** A password check that is slow, concurrent, and counts the guesses. */
export function countingPasswords(): CountingPasswords {
  const counter = { evaluated: 0 };
  const verify: VerifyPassword = async (text, digest) => {
    if (digest !== null) counter.evaluated += 1;
    await delay(20);
    return text === digest;
  };
  const passwords: Passwords = {
    digest: async (text) => text,
    verify,
    withPlace: (_share, work) => work(verify),
  };
  return Object.assign(counter, { passwords });
}
