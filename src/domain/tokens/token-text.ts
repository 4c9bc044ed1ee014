/**
 * Texts of tokens. Each contains the id of its row, so that a lookup is by integer key. The random part is the secret;
 * only its digest is stored.
 */

import { hash } from 'node:crypto';
import type { Random, Vault } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { newSecret, readRowId } from '../secrets.ts';
import type { Binding } from './binding.ts';

/** 32 bytes in base64url. */
const secretLength = 43;

/** The random part of an access token, made before its row exists. */
export function newAccessSecret(random: Random): string {
  return newSecret(random, '');
}

/**
 * `at_<id in base 36>_<secret>`, or for a token that is bound to a key (RFC 9449) `dt_<id in base
 * 36>_<thumbprint>_<secret>`, to a certificate (RFC 8705) `ct_…` likewise. The stored digest covers what it is bound to
 * and the secret, so the binding cannot be removed or changed.
 */
export function accessTokenText(id: number, secret: string, binding: Binding | null = null): string {
  if (binding === null) return `at_${id.toString(36)}_${secret}`;
  return `${binding.to === 'key' ? 'dt' : 'ct'}_${id.toString(36)}_${binding.thumbprint}_${secret}`;
}

/** The part of an opaque access token whose digest is stored. */
export function accessTokenSecret(secret: string, binding: Binding | null): string {
  if (binding === null) return secret;
  return `${binding.to === 'key' ? 'dpop' : 'certificate'} ${binding.thumbprint} ${secret}`;
}

/** The row that an access token names, and its random part. */
interface NamedToken {
  readonly id: number;
  readonly secret: string;
}

/** Also what it is bound to; null for a bearer token. */
interface NamedAccessToken extends NamedToken {
  readonly binding: Binding | null;
}

/** Parses an opaque access token; null for any other text. */
export function parseAccessToken(text: string): NamedAccessToken | null {
  const [, form, id36, thumbprint, secret] = /^([dc])t_([0-9a-z]{1,11})_([\w-]{43})_([\w-]{43})$/.exec(text) ?? [];
  if (thumbprint !== undefined && secret !== undefined) {
    const id = readRowId(id36);
    return id === null ? null : { id, secret, binding: { to: kindIn(form), thumbprint } };
  }
  const named = readNamed(/^at_([0-9a-z]{1,11})_([\w-]{43})$/.exec(text));
  return named && { ...named, binding: null };
}

function kindIn(letter: string | undefined): Binding['to'] {
  return letter === 'd' ? 'key' : 'certificate';
}

/** The `jti` of a JWT access token: `<id in base 36>.<secret>`. */
export function tokenIdText(id: number, secret: string): string {
  return `${id.toString(36)}.${secret}`;
}

/** Parses a `jti`; null for any other text. */
export function parseTokenId(text: string): NamedToken | null {
  return readNamed(/^([0-9a-z]{1,11})\.([\w-]{43})$/.exec(text));
}

/**
 * The text whose digest the row of a JWT access token has. It differs from every opaque token's, so no opaque token can
 * be made from a `jti`.
 */
export function tokenIdSecret(secret: string): string {
  return `jti ${secret}`;
}

function readNamed(match: RegExpExecArray | null): NamedToken | null {
  const [, text36, secret] = match ?? [];
  const id = readRowId(text36);
  return id === null || secret === undefined ? null : { id, secret };
}

/**
 * `rt_<grant id in base 36>.<family><secret>`. `family` is a MAC of the grant's id. Only a holder of one of the grant's
 * tokens can know it, so an authentic text with an unknown secret is an older token of the family. A token that is
 * bound to a key (RFC 9449) is `rd_<grant id in base 36>.<thumbprint><family><secret>`, one that is bound to a
 * certificate (RFC 8705) `rc_…` likewise; its MAC covers what it is bound to. So a binding needs no column and cannot be
 * added or removed.
 */
export function newRefreshToken(
  vault: Vault,
  random: Random,
  account: Account,
  grantId: number,
  binding: Binding | null = null,
): string {
  const family = familyOf(vault, account, grantId, binding);
  const form = binding === null ? 'rt' : binding.to === 'key' ? 'rd' : 'rc';
  return `${form}_${grantId.toString(36)}.${binding?.thumbprint ?? ''}${family}${newAccessSecret(random)}`;
}

/** The contents of an authentic refresh token. */
interface ReadRefreshToken {
  readonly grantId: number;
  /** What it is bound to; null when it is bound to its client only. */
  readonly binding: Binding | null;
}

/** The grant of an authentic refresh token; null for any other text. */
export function parseRefreshToken(vault: Vault, account: Account, text: string): ReadRefreshToken | null {
  const [, text36, family] = /^rt_([0-9a-z]{1,11})\.([\w-]{22})[\w-]{43}$/.exec(text) ?? [];
  if (text36 === undefined) return parseBoundRefreshToken(vault, account, text);
  const grantId = readRowId(text36);
  return grantId !== null && familyOf(vault, account, grantId, null) === family ? { grantId, binding: null } : null;
}

function parseBoundRefreshToken(vault: Vault, account: Account, text: string): ReadRefreshToken | null {
  const [, form, text36, thumbprint, family] =
    /^r([dc])_([0-9a-z]{1,11})\.([\w-]{43})([\w-]{22})[\w-]{43}$/.exec(text) ?? [];
  const grantId = readRowId(text36);
  if (grantId === null || thumbprint === undefined) return null;
  const binding: Binding = { to: kindIn(form), thumbprint };
  return familyOf(vault, account, grantId, binding) === family ? { grantId, binding } : null;
}

function familyOf(vault: Vault, account: Account, grantId: number, binding: Binding | null): string {
  // Tokens that are bound to keys were there first.
  const kind = binding?.to === 'certificate' ? 'certificate ' : '';
  const named = binding === null ? String(grantId) : `${grantId} ${kind}${binding.thumbprint}`;
  return vault.mac(account.record, 'refresh family', named).subarray(0, 16).toString('base64url');
}

/** Stored with a used token so that its successor can be derived again: 16 random bytes, base64url. */
export function newSuccessorSalt(random: Random): string {
  return random.bytes(16).toString('base64url');
}

/**
 * The successor of an authentic refresh token: its random part is the SHA-256 of the salt and the presented token. The
 * token alone, or the database alone, is not enough to derive it.
 */
export function successorOf(presented: string, salt: string): string {
  const secret = hash('sha256', `gatehouse refresh successor ${salt} ${presented}`, 'base64url');
  return presented.slice(0, -secretLength) + secret;
}
