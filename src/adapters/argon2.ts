import { createHmac, randomBytes } from 'node:crypto';
import { Failure } from '../domain/failure.ts';
import type { Share } from '../domain/fair-queue/share.ts';
import { bcryptHashOf, isImportedDigest, matchesSalted } from '../domain/users/imported-passwords.ts';
import type { Passwords, VerifyPassword } from '../services.ts';
import { createImportedBcrypt } from './bcrypt.ts';
import { createHashPlaces, type HashPlace, type PasswordReport } from './hash-places.ts';
import { hashArgon2, verifyArgon2, verifyBcrypt } from './password-threads.ts';

interface Argon2Cost {
  /** KiB of memory. */
  readonly memoryCost: number;
  /** Passes over it. */
  readonly timeCost: number;
}

const threads = { hashArgon2, verifyArgon2, verifyBcrypt };

interface PasswordOptions {
  /** Secret mixed into every password before it is hashed: with the database alone passwords cannot be guessed. */
  readonly pepper: Buffer;
  /** Number of cores: all but one may hash, so that one is left for everything else. */
  readonly cores: number;
  /** Number of processes that share them: each gets as many threads as the others, and at least one. */
  readonly sharedBy?: number;
  /** Default: the OWASP minimum for argon2id. */
  readonly cost?: Argon2Cost;
  /** What hashes. Default: the password threads. */
  readonly hashing?: typeof threads;
  readonly report?: PasswordReport | undefined;
}

const defaultCost: Argon2Cost = { memoryCost: 19_456, timeCost: 2 };
const pepperName = 'p1';

/** Passwords as argon2id digests `p1:$argon2id$…`, where `p1` names the pepper. */
export function createPasswords({
  pepper,
  cores,
  sharedBy = 1,
  cost = defaultCost,
  hashing = threads,
  report,
}: PasswordOptions): Passwords {
  const places = createHashPlaces(Math.max(1, Math.ceil((cores - 1) / sharedBy)), report);
  const options = { ...cost, parallelism: 1 };
  const dummy = dummyDigest(cost);
  const bcrypt = createImportedBcrypt({ verify: hashing.verifyBcrypt });

  // NFKC, so that a password typed on another keyboard is the same. As text, because `verify` takes no bytes.
  const peppered = (password: string) =>
    createHmac('sha256', pepper).update(password.normalize('NFKC'), 'utf8').digest('base64url');

  async function verifyNow(accountId: number, password: string, digest: string | null): Promise<boolean> {
    const imported = digest !== null && isImportedDigest(digest);
    // Verified in any case, so that the time does not differ.
    const matches = await hashing.verifyArgon2(phcOf(digest === null || imported ? dummy : digest), peppered(password));
    const hash = digest === null ? null : bcryptHashOf(digest);
    if (hash !== null) return bcrypt.matches(accountId, password, hash);
    const right = imported ? matchesSalted(password, digest) : matches && digest !== null;
    if (!right) await bcrypt.spend(accountId, password);
    return right;
  }

  /** `verify` for an attempt of this share that has a place. */
  function verifierIn({ hash, forgive }: HashPlace, { accountId }: Share): VerifyPassword {
    return async (password, digest) => {
      const isRight = await hash(() => verifyNow(accountId, password, digest));
      // A user who signs in often and correctly stays ahead of one who guesses.
      if (isRight) forgive();
      return isRight;
    };
  }

  return {
    digest: (password, share) =>
      places.withPlace(share, ({ hash }) =>
        hash(async () => `${pepperName}:${await hashing.hashArgon2(peppered(password), options)}`),
      ),
    verify: (password, digest, share) => places.withPlace(share, (place) => verifierIn(place, share)(password, digest)),
    withPlace: (share, work) => places.withPlace(share, (place) => work(verifierIn(place, share))),
  };
}

function phcOf(digest: string): string {
  if (!digest.startsWith(`${pepperName}:$argon2id$`)) {
    throw new Failure('internal', { reason: 'a password digest is of an unknown form' });
  }
  return digest.slice(pepperName.length + 1);
}

/** A digest of no password, as costly to verify as a real one: it hides whether a user exists. */
function dummyDigest({ memoryCost, timeCost }: Argon2Cost): string {
  const text = (size: number) => randomBytes(size).toString('base64').replaceAll('=', '');
  return `${pepperName}:$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${text(16)}$${text(32)}`;
}
