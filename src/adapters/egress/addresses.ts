/** Which addresses are public, and which others a host listed by the operator may have. */

import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** The only block of public IPv6 addresses (RFC 4291 §2.4); `::127.0.0.1` and the like are outside it. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * Where clouds tell a virtual machine its own data, keys included: Azure, Alibaba, AWS and Google by IPv6. By their
 * numbers they are public, shared, or private addresses like others; the rest is in 169.254.0.0/16.
 */
const metadataServers = ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254'];
/** Ranges in which operators have hosts that they may list by name. */
const internalRanges: readonly string[] = ['unicast', 'private', 'uniqueLocal', 'carrierGradeNat'];
/**
 * Blocks without hosts on the Internet (RFC 2544, RFC 5737): resolvers of closed networks assign them to names whose
 * connections a gateway takes. Other reserved blocks stay excluded, because some clouds serve machine metadata there.
 */
const placeholderBlocks = ['192.0.2.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'].map((block) =>
  ipaddr.IPv4.parseCIDR(block),
);

/** Whether two texts are the same address: an IPv6 address can be written in many ways. */
export function isSameAddress(one: string, other: string): boolean {
  if (!ipaddr.isValid(one) || !ipaddr.isValid(other)) return false;
  return ipaddr.parse(one).toNormalizedString() === ipaddr.parse(other).toNormalizedString();
}

function isMetadataServer(address: string): boolean {
  return metadataServers.some((server) => isSameAddress(server, address));
}

function isOwn(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return own.some((entry) => isSameAddress(entry.address, address));
}

/**
 * Whether an address is on the public Internet and not on this machine. All special ranges of IANA are refused,
 * including those with an IPv4 address inside an IPv6 address (RFC 4291 §2.5.5, RFC 6052, RFC 3056, RFC 4380).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv6' && !parsed.match(globalUnicast)) return false;
  return !isMetadataServer(address) && !isOwn(address);
}

/**
 * Whether a host that the operator listed by name may have an address: private networks are allowed, but not this
 * machine, whose name is `localhost`, and not where clouds have their metadata.
 */
export function isListedAddress(hostname: string, address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (hostname === 'localhost') return parsed.range() === 'loopback';
  if (parsed.kind() === 'ipv6' && parsed.range() === 'unicast') return parsed.match(globalUnicast);
  if (parsed.kind() === 'ipv4' && placeholderBlocks.some((block) => parsed.match(block))) return true;
  return internalRanges.includes(parsed.range()) && !isMetadataServer(address);
}
