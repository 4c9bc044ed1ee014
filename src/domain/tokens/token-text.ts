/**
 * Texts of tokens. Each names its row, so that a lookup is by integer key; what opens anything is the random part,
 * of which only a digest is stored.
 */

import { createCipheriv, createDecipheriv, createSecretKey, hash, type KeyObject } from 'node:crypto';
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

/** The row an access token names and its random part; null for any other text. */
export function parseAccessToken(text: string): { readonly id: number; readonly secret: string } | null {
  const [, text36, secret] = /^at_([0-9a-z]{1,6})_([\w-]{43})$/.exec(text) ?? [];
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

/** Another token of the family that an authentic one is of. */
export function newSuccessor(random: Random, presented: string): string {
  return presented.slice(0, -secretLength) + newAccessSecret(random);
}

/** An id below 2^31, as all are; null for a number that no row can have. */
function readId(text36: string | undefined): number | null {
  const id = Number.parseInt(text36 ?? '', 36);
  return id > 0 && id < 2 ** 31 ? id : null;
}

function familyOf(vault: Vault, account: Account, grantId: number): string {
  return vault.mac(account.record, 'refresh family', String(grantId)).subarray(0, 16).toString('base64url');
}

/** Seals the successor under a key that only the presented token gives: the database alone reveals nothing. */
export function sealSuccessor(random: Random, presented: string, successor: string): string {
  const nonce = random.bytes(12);
  const cipher = createCipheriv('aes-256-gcm', successorKey(presented), nonce);
  const sealed = Buffer.concat([nonce, cipher.update(successor, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString('base64url');
}

/** The successor that `sealSuccessor` sealed for this presented token. Throws when it was sealed for another. */
export function unsealSuccessor(presented: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', successorKey(presented), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
}

/** One hash is enough to make a key of 32 random bytes (RFC 5869 §3.3); the label keeps it apart from the stored digest. */
function successorKey(presented: string): KeyObject {
  return createSecretKey(hash('sha256', `gatehouse refresh successor ${presented}`, 'buffer'));
}
