/** The rules for a client's public key, wherever it comes from: a registration, a `jwks_uri`, a proof. */

import type { ClientKey } from '../../store/client-metadata.ts';

/** Maximum lengths of members in characters, as the contract says. */
export const longestMembers = {
  kty: 16,
  kid: 255,
  use: 16,
  alg: 32,
  n: 1366,
  e: 16,
  crv: 16,
  x: 128,
  y: 128,
} as const satisfies Record<keyof ClientKey, number>;

/** Maximum length of a certificate, DER in base64: the contract says so, too. */
export const longestCertificate = 8_192;

const leastModulusBits = 2048;
const mostModulusBits = 4096;
const mostExponentBytes = 4;

/**
 * Whether an RSA key is no more expensive to verify with than others. The time grows with the square of `n` and with
 * the length of `e`, and the owner of the key chooses both. True for other key types, whose sizes are set by their
 * curves.
 */
export function hasCommonSize({ kty, n, e }: ClientKey): boolean {
  if (kty !== 'RSA') return true;
  const modulus = numberIn(n, longestMembers.n);
  const exponent = numberIn(e, longestMembers.e);
  if (!modulus || !exponent || exponent.length > mostExponentBytes) return false;
  const bits = modulus.length * 8 - (Math.clz32(modulus[0] ?? 0) - 24);
  return bits >= leastModulusBits && bits <= mostModulusBits;
}

/** The bytes of a base64url number without leading zeros (RFC 7518 §2, Base64urlUInt), or null for other text. */
function numberIn(text: string | undefined, longest: number): Buffer | null {
  if (typeof text !== 'string' || text.length > longest || !/^[\w-]+$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? null : bytes.subarray(first);
}
