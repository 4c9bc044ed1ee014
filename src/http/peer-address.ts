/** The address of a peer, as sockets and proxies write it. */

import { isIPv4, isIPv6 } from 'node:net';

/**
 * The address in what a peer or a proxy writes, without the port and the brackets that some write with it (as RFC 7239
 * §6 does); null for anything else. An IPv4-mapped address is the IPv4 address, where it is written so.
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
