/**
 * Passwords hashed by another service, kept until their user signs in for the first time: `i1:<algorithm>:<salt,
 * base64url>:<SHA-256, hexadecimal>` or `i1:bcrypt:<hash>`.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { Failure } from '../failure.ts';

const saltedAlgorithms = ['salt+sha256', 'sha256+salt'] as const;
const algorithms = [...saltedAlgorithms, 'bcrypt'] as const;

type Algorithm = (typeof saltedAlgorithms)[number];

const salted = /^i1:(salt\+sha256|sha256\+salt):([\w-]*):([0-9a-f]{64})$/;

/** The cost, an exponent of two, is bounded: every check of a higher one would delay all sign-ins. */
const bcrypt = /^\$2[aby]\$(?:0[4-9]|1[0-2])\$[./A-Za-z0-9]{53}$/;
const bcryptPrefix = 'i1:bcrypt:';

export function isImportedDigest(digest: string): boolean {
  return salted.test(digest) || bcryptHashOf(digest) !== null;
}

/** The bcrypt hash that an imported digest holds, or null. */
export function bcryptHashOf(digest: string): string | null {
  if (!digest.startsWith(bcryptPrefix)) return null;
  const hash = digest.slice(bcryptPrefix.length);
  return bcrypt.test(hash) ? hash : null;
}

/** The stored form. Throws `value_invalid` for an unknown algorithm or an invalid digest, which the caller calls `name`. */
export function importDigest(algorithm: string, salt: string, digest: string, name = 'password'): string {
  const known = algorithms.find((one) => one === algorithm);
  if (!known) {
    const message = `password_algorithm must be one of ${algorithms.join(', ')}`;
    throw new Failure('value_invalid', { name: 'password_algorithm', message });
  }
  // A bcrypt hash includes its salt.
  if (known === 'bcrypt') return `${bcryptPrefix}${readBcrypt(digest, name)}`;
  if (!/^[0-9A-Fa-f]{64}$/.test(digest)) {
    const message = `${name} must be 64 hexadecimal digits with this password_algorithm`;
    throw new Failure('value_invalid', { name, message });
  }
  return `i1:${known}:${Buffer.from(salt, 'utf8').toString('base64url')}:${digest.toLowerCase()}`;
}

function readBcrypt(hash: string, name: string): string {
  if (bcrypt.test(hash)) return hash;
  const rule = 'must be a bcrypt hash ($2a$, $2b$ or $2y$, of a cost from 04 to 12) with this password_algorithm';
  throw new Failure('value_invalid', { name, message: `${name} ${rule}` });
}

/** Whether the password matches an imported digest that is a salted SHA-256. */
export function matchesSalted(password: string, imported: string): boolean {
  const [, algorithm, encodedSalt = '', digest = ''] = salted.exec(imported) ?? [];
  const salt = Buffer.from(encodedSalt, 'base64url');
  const given = Buffer.from(password, 'utf8');
  const order: Readonly<Record<Algorithm, readonly Buffer[]>> = {
    'salt+sha256': [salt, given],
    'sha256+salt': [given, salt],
  };
  const parts = order[algorithm as Algorithm];
  const computed = createHash('sha256').update(Buffer.concat(parts)).digest();
  return timingSafeEqual(computed, Buffer.from(digest, 'hex'));
}
