/** Which addresses are public, and which of the others a host that the operator listed may have. */

import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** The one block from which public IPv6 addresses are given out (RFC 4291 §2.4); `::127.0.0.1` and the like are not in it. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** Public by its number, but answered by the host of a virtual machine in one cloud, with the machine's own data. */
const wireServer = '168.63.129.16';
/** Ranges in which operators keep what they may list by name. */
const internalRanges: readonly string[] = ['unicast', 'private', 'uniqueLocal', 'carrierGradeNat'];
/**
 * Blocks that lead nowhere on the Internet (RFC 2544, RFC 5737): resolvers of closed networks give them to names whose
 * connections a gateway takes. The other reserved ones stay out: some clouds tell machines about themselves there.
 */
const placeholderBlocks = ['192.0.2.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'].map((block) =>
  ipaddr.IPv4.parseCIDR(block),
);

/** Whether two texts are the same address: an IPv6 address can be written in many ways. */
export function isSameAddress(one: string, other: string): boolean {
  if (!ipaddr.isValid(one) || !ipaddr.isValid(other)) return false;
  return ipaddr.parse(one).toNormalizedString() === ipaddr.parse(other).toNormalizedString();
}

function isOwn(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return own.some((entry) => isSameAddress(entry.address, address));
}

/**
 * Whether an address is one of the public Internet and not of this machine. Every special range of IANA is refused,
 * those that carry an IPv4 address inside an IPv6 address (RFC 4291 §2.5.5, RFC 6052, RFC 3056, RFC 4380) too.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv6' && !parsed.match(globalUnicast)) return false;
  return address !== wireServer && !isOwn(address);
}

/**
 * Whether a host that the operator listed by name may be at an address: also in a private network, but not on this
 * machine, whose name is `localhost`, and not where machines are told about themselves (169.254.0.0/16).
 */
export function isListedAddress(hostname: string, address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (hostname === 'localhost') return parsed.range() === 'loopback';
  if (parsed.kind() === 'ipv6' && parsed.range() === 'unicast') return parsed.match(globalUnicast);
  if (parsed.kind() === 'ipv4' && placeholderBlocks.some((block) => parsed.match(block))) return true;
  return internalRanges.includes(parsed.range()) && address !== wireServer;
}
