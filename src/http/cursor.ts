/**
 * Cursors: a place in a list and the list's parameters, authenticated. On the wire they are base64 of `cursor=<token>`,
 * which contains only letters and digits and needs no padding: the token has only letters and digits, and its length
 * fills the last group of three bytes.
 */

import { timingSafeEqual } from 'node:crypto';
import type { Account } from '../domain/accounts/account.ts';
import type { ListPosition } from '../domain/listing.ts';
import type { Services } from '../services.ts';

/** The contents of a cursor; parameters as they were sent. */
export interface CursorContent {
  readonly direction: 'after' | 'before';
  readonly position: ListPosition;
  readonly limit: number;
  /** As in `sort`: `-created_at`. */
  readonly sort: string;
  readonly filters: Readonly<Record<string, string>>;
  readonly fields: string | null;
}

type Vault = Pick<Services, 'vault'>;

const prefix = 'cursor=';
const macBytes = 16;

/**
 * Escapes for the two characters of base64url that are neither letters nor digits, and for `x`, which introduces them.
 */
const escapes: Readonly<Record<string, string>> = { x: 'x0', '-': 'x1', _: 'x2' };
const unescapes: Readonly<Record<string, string>> = { x0: 'x', x1: '-', x2: '_', x3: '' };

function macOf({ vault }: Vault, account: Account, list: string, payload: string): Buffer {
  return vault.mac(account.record, 'list cursor', `${list} ${payload}`).subarray(0, macBytes);
}

function tokenOf(bytes: Buffer): string {
  let token = bytes.toString('base64url').replace(/[x_-]/g, (character) => escapes[character] ?? character);
  while ((prefix.length + token.length) % 3 !== 0) token += 'x3';
  return token;
}

/** The cursor of an account's list (named by operationId). */
export function writeCursor(services: Vault, account: Account, list: string, content: CursorContent): string {
  const { direction, position, limit, sort, filters, fields } = content;
  const payload = JSON.stringify([direction, position.key, position.id, limit, sort, filters, fields]);
  const bytes = Buffer.concat([macOf(services, account, list, payload), Buffer.from(payload)]);
  return Buffer.from(prefix + tokenOf(bytes)).toString('base64');
}

/** The contents of a cursor of this list, in its wire form or as the token alone; null for any other text. */
export function readCursor(services: Vault, account: Account, list: string, text: string): CursorContent | null {
  const decoded = Buffer.from(text, 'base64');
  // Only the exact wire form is accepted, here and below: a decoder ignores what it does not understand.
  const written = decoded.toString('base64') === text ? decoded.toString('latin1') : '';
  const token = written.startsWith(prefix) ? written.slice(prefix.length) : text;
  if (!/^[A-Za-z0-9]+$/.test(token)) return null;
  const bytes = Buffer.from(
    token.replace(/x[0-3]/g, (escaped) => unescapes[escaped] ?? escaped),
    'base64url',
  );
  if (tokenOf(bytes) !== token) return null;
  const mac = bytes.subarray(0, macBytes);
  const payload = bytes.subarray(macBytes).toString('utf8');
  if (mac.length < macBytes || !timingSafeEqual(mac, macOf(services, account, list, payload))) return null;
  const [direction, key, id, limit, sort, filters, fields] = JSON.parse(payload);
  return { direction, position: { key, id }, limit, sort, filters, fields };
}
