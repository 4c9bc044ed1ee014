import { createHmac, randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { Failure } from '../domain/failure.ts';
import type { Passwords } from '../services.ts';

export interface Argon2Cost {
  /** KiB of memory. */
  readonly memoryCost: number;
  /** Passes over it. */
  readonly timeCost: number;
}

export interface PasswordOptions {
  /** Secret mixed into every password before it is hashed: the database alone is not enough to try passwords. */
  readonly pepper: Buffer;
  /** Cores of the machine: all but one may hash, so that signatures, on the same threads, are not held up. */
  readonly cores: number;
  /** The OWASP minimum for argon2id unless said. */
  readonly cost?: Argon2Cost;
}

const defaultCost: Argon2Cost = { memoryCost: 19_456, timeCost: 2 };
const pepperName = 'p1';
const mostWaiting = 64;

/** Passwords as argon2id digests `p1:$argon2id$…`, where `p1` names the pepper. */
export function createPasswords({ pepper, cores, cost = defaultCost }: PasswordOptions): Passwords {
  const places = createPlaces(Math.max(1, cores - 1), mostWaiting);
  const options = { ...cost, parallelism: 1 };
  const dummy = dummyDigest(cost);

  // NFKC, so that a password typed on another keyboard is the same password. As text: `verify` takes no other bytes.
  const peppered = (password: string) =>
    createHmac('sha256', pepper).update(password.normalize('NFKC'), 'utf8').digest('base64url');

  return {
    digest: (password) => places.use(async () => `${pepperName}:${await hash(peppered(password), options)}`),
    verify: (password, digest) =>
      places.use(async () => {
        const matches = await verify(phcOf(digest ?? dummy), peppered(password));
        return matches && digest !== null;
      }),
  };
}

function phcOf(digest: string): string {
  if (!digest.startsWith(`${pepperName}:$argon2id$`)) {
    throw new Failure('internal', { reason: 'a password digest is of an unknown form' });
  }
  return digest.slice(pepperName.length + 1);
}

/** The digest of no password, as costly to check as a real one: it hides whether a user exists. */
function dummyDigest({ memoryCost, timeCost }: Argon2Cost): string {
  const text = (size: number) => randomBytes(size).toString('base64').replaceAll('=', '');
  return `${pepperName}:$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${text(16)}$${text(32)}`;
}

/** A semaphore with a bounded queue, first come, first served. */
function createPlaces(places: number, mostInQueue: number) {
  let free = places;
  const waiting: (() => void)[] = [];

  async function enter(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return;
    }
    if (waiting.length >= mostInQueue) {
      throw new Failure('unavailable', { retryAfterSeconds: 1, reason: 'too many passwords wait to be checked' });
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }

  return {
    async use<T>(work: () => Promise<T>): Promise<T> {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
