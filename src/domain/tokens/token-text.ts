/**
 * Texts of tokens. Each names its row, so that a lookup is by integer key; what opens anything is the random part,
 * of which only a digest is stored.
 */

import { hash } from 'node:crypto';
import type { Random, Vault } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { newSecret } from '../secrets.ts';

/** 32 bytes in base64url. */
const secretLength = 43;

/** The random part of an access token, made before its row exists. */
export function newAccessSecret(random: Random): string {
  return newSecret(random, '');
}

/** `at_<id in base 36>_<secret>`. */
export function accessTokenText(id: number, secret: string): string {
  return `at_${id.toString(36)}_${secret}`;
}

/** The row an access token names, and its random part. */
export interface NamedToken {
  readonly id: number;
  readonly secret: string;
}

/** Of an opaque access token; null for any other text. */
export function parseAccessToken(text: string): NamedToken | null {
  return readNamed(/^at_([0-9a-z]{1,6})_([\w-]{43})$/.exec(text));
}

/** The `jti` of a JWT access token: `<id in base 36>.<secret>`. */
export function tokenIdText(id: number, secret: string): string {
  return `${id.toString(36)}.${secret}`;
}

/** Of a `jti`; null for any other text. */
export function parseTokenId(text: string): NamedToken | null {
  return readNamed(/^([0-9a-z]{1,6})\.([\w-]{43})$/.exec(text));
}

/** What the row of a JWT access token has the digest of: no opaque token is this text, so that none can be made from a `jti`. */
export function tokenIdSecret(secret: string): string {
  return `jti ${secret}`;
}

function readNamed(match: RegExpExecArray | null): NamedToken | null {
  const [, text36, secret] = match ?? [];
  const id = readId(text36);
  return id === null || secret === undefined ? null : { id, secret };
}

/**
 * `rt_<grant id in base 36>.<family><secret>`. `family` is a MAC of the grant's id: nobody can name a grant
 * who never held one of its tokens, so an authentic text whose secret is not known is an older token of the family.
 */
export function newRefreshToken(vault: Vault, random: Random, account: Account, grantId: number): string {
  return `rt_${grantId.toString(36)}.${familyOf(vault, account, grantId)}${newAccessSecret(random)}`;
}

/** The grant that an authentic refresh token belongs to; null for any other text. */
export function parseRefreshToken(vault: Vault, account: Account, text: string): number | null {
  const [, text36, family] = /^rt_([0-9a-z]{1,6})\.([\w-]{22})[\w-]{43}$/.exec(text) ?? [];
  const grantId = readId(text36);
  return grantId !== null && familyOf(vault, account, grantId) === family ? grantId : null;
}

/** An id below 2^31, as all are; null for a number that no row can have. */
function readId(text36: string | undefined): number | null {
  const id = Number.parseInt(text36 ?? '', 36);
  return id > 0 && id < 2 ** 31 ? id : null;
}

function familyOf(vault: Vault, account: Account, grantId: number): string {
  return vault.mac(account.record, 'refresh family', String(grantId)).subarray(0, 16).toString('base64url');
}

/** What is stored beside a used token so that its successor can be told again: 16 random bytes, base64url. */
export function newSuccessorSalt(random: Random): string {
  return random.bytes(16).toString('base64url');
}

/**
 * The successor of an authentic refresh token: its random part is the SHA-256 of salt and presented token. Whoever has
 * only the token or only the database learns nothing of it.
 */
export function successorOf(presented: string, salt: string): string {
  const secret = hash('sha256', `gatehouse refresh successor ${salt} ${presented}`, 'base64url');
  return presented.slice(0, -secretLength) + secret;
}
