import { hash, timingSafeEqual } from 'node:crypto';
import type { Random } from '../services.ts';

/** The prefixes of secrets, by which leak scanners and log filters recognize them. */
export const secretPrefixes = {
  credentialId: 'ac_',
  clientSecret: 'cs_',
  credentialToken: 'ct_',
  apiKey: 'ak_',
  inviteLink: 'il_',
  resetLink: 'pr_',
  registrationToken: 'rg_',
  consoleToken: 'gt_',
} as const;

/** Length of a secret without its prefix. */
export const secretLength = 43;

/** 32 random bytes as 43 characters of A–Z, a–z, 0–9, `-` and `_`, behind `prefix`. */
export function newSecret(random: Random, prefix: string): string {
  return prefix + random.bytes(32).toString('base64url');
}

/**
 * The number of a row as texts of tokens name it: base 36, 11 characters at most. Null for one that no row has. One
 * sequence numbers the tokens of all accounts, and a busy service passes 2^31 within a year.
 */
export function readRowId(text36: string | undefined): number | null {
  const id = Number.parseInt(text36 ?? '', 36);
  return id > 0 && Number.isSafeInteger(id) ? id : null;
}

/** What is stored of a secret of full entropy: its SHA-256, base64url (43 characters). Passwords go through `Passwords`. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Whether `secret` matches `digest`, in constant time; always false for null. */
export function matchesDigest(secret: string, digest: string | null): boolean {
  const presented = Buffer.from(digestOf(secret));
  const stored = Buffer.from(digest ?? '');
  const comparable = stored.length === presented.length ? stored : Buffer.alloc(presented.length);
  return timingSafeEqual(presented, comparable) && digest !== null;
}

/** A random UUID (RFC 9562 §5.4). */
export function newUuid(random: Random): string {
  return uuidOf(random.bytes(16));
}

/** A UUID made of 16 random bytes. */
export function uuidOf(bytes: Buffer): string {
  const uuid = Buffer.from(bytes.subarray(0, 16));
  uuid[6] = ((uuid[6] ?? 0) & 0x0f) | 0x40;
  uuid[8] = ((uuid[8] ?? 0) & 0x3f) | 0x80;
  return uuid.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
