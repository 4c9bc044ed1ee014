import { setTimeout as delay } from 'node:timers/promises';
import type { Passwords } from '../../src/services.ts';

export interface CountingPasswords {
  /** Guesses that were held against a digest. */
  readonly evaluated: number;
  readonly passwords: Passwords;
}

/** Passwords that take a while to check, all at once, and count the guesses. */
export function countingPasswords(): CountingPasswords {
  const counter = { evaluated: 0 };
  const passwords: Passwords = {
    digest: async (text) => text,
    verify: async (text, digest) => {
      if (digest !== null) counter.evaluated += 1;
      await delay(20);
      return text === digest;
    },
    withPlace: (work) => work(passwords.verify),
  };
  return Object.assign(counter, { passwords });
}
