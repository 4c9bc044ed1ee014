/** The address of a peer, in the forms that sockets and proxies write. */

import { isIPv4, isIPv6 } from 'node:net';

/**
 * The address without a port or brackets, which some proxies add (as RFC 7239 §6 does); null for anything else. An
 * IPv4-mapped address in dotted form becomes the IPv4 address.
 */
export function addressIn(text: string): string | null {
  const bracketed = /^\[(?<address>[^\]]*)\](?::\d{1,5})?$/.exec(text)?.groups?.['address'];
  if (bracketed !== undefined) return isIPv6(bracketed) ? withoutMapping(bracketed) : null;
  const address = /^(?<address>[\d.]+):\d{1,5}$/.exec(text)?.groups?.['address'] ?? text;
  return isIPv4(address) || isIPv6(address) ? withoutMapping(address) : null;
}

function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
