/**
 * Passwords that another service hashed, kept as `i1:<algorithm>:<salt, base64url>:<SHA-256, hexadecimal>` until their
 * user signs in for the first time.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { Failure } from '../failure.ts';

const algorithms = ['salt+sha256', 'sha256+salt'] as const;

type Algorithm = (typeof algorithms)[number];

const form = /^i1:(salt\+sha256|sha256\+salt):([\w-]*):([0-9a-f]{64})$/;

export function isImportedDigest(digest: string): boolean {
  return form.test(digest);
}

/** What is stored. Throws `value_invalid` for an unknown algorithm, and a digest that is none. */
export function importDigest(algorithm: string, salt: string, digest: string): string {
  const known = algorithms.find((one) => one === algorithm);
  if (!known) {
    const message = `password_algorithm must be one of ${algorithms.join(', ')}`;
    throw new Failure('value_invalid', { name: 'password_algorithm', message });
  }
  if (!/^[0-9A-Fa-f]{64}$/.test(digest)) {
    const message = 'password must be 64 hexadecimal digits with this password_algorithm';
    throw new Failure('value_invalid', { name: 'password', message });
  }
  return `i1:${known}:${Buffer.from(salt, 'utf8').toString('base64url')}:${digest.toLowerCase()}`;
}

/** Whether the password is the one of an imported digest. */
export function matchesImported(password: string, imported: string): boolean {
  const [, algorithm, encodedSalt = '', digest = ''] = form.exec(imported) ?? [];
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
