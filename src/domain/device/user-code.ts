/** The code that a user reads on a device and types elsewhere (RFC 8628 §6.1). */

import type { Random, Vault } from '../../services.ts';
import type { AccountRecord } from '../../store/accounts.ts';

/** Without vowels, so that no words result, and without look-alikes. */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ';
const length = 8;

/** There are 20^8 of them: 34 bits. */
export function newUserCode({ bytes }: Random): string {
  let code = '';
  while (code.length < length) {
    // The last 16 of 256 values would make the first letters more frequent.
    for (const byte of bytes(length)) {
      if (byte < 240 && code.length < length) code += alphabet[byte % alphabet.length];
    }
  }
  return code;
}

/** The display form: `WDJB-MJHT`. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`;
}

/** The typed code in capitals, without separators. */
export function normalUserCode(typed: string): string {
  return typed.toUpperCase().replace(/[\s\p{Pd}._]/gu, '');
}

/** The stored digest: keyed, since all short texts could be tried. */
export function userCodeDigest({ mac }: Pick<Vault, 'mac'>, account: AccountRecord, code: string): string {
  return mac(account, 'user code', code).toString('base64url');
}
