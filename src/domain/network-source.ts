/** The source of a request for limits: an IPv4 address, or an IPv6 /64 network. */

import { isIPv4, isIPv6 } from 'node:net';
import { currentAuditContext } from './audit/context.ts';

declare const normalised: unique symbol;

/**
 * `192.0.2.1`, `2001:db8:0:1::/64` (four groups, lower case, no leading zeros), or `unknown`. Only `networkSourceOf`
 * creates one: two texts are equal exactly if limits treat them as the same network.
 */
export type NetworkSource = string & { readonly [normalised]: true };

const unknown = 'unknown' as NetworkSource;

/**
 * The source of an address, in any spelling. A zone id is dropped, and all invalid addresses are one source. An IPv6
 * address is cut to its /64, the least that one customer has (RFC 6177). An IPv6 address that a translator or tunnel
 * made from an IPv4 address counts as that IPv4 address, since its holder may have many of them.
 */
export function networkSourceOf(address: string): NetworkSource {
  if (isIPv4(address)) return address as NetworkSource;
  if (!isIPv6(address)) return unknown;
  const groups = groupsOf(address);
  const embedded = embeddedIPv4(groups);
  if (embedded !== null) return embedded as NetworkSource;
  const [a = 0, b = 0, c = 0, d = 0] = groups;
  return `${a.toString(16)}:${b.toString(16)}:${c.toString(16)}:${d.toString(16)}::/64` as NetworkSource;
}

/**
 * The networks around a source, widest first: /16 and /24 of an IPv4 address, /32 and /48 of an IPv6 network (what a
 * registry gives to a provider, and a provider to a site). None around `unknown`.
 */
export function networksAround(source: NetworkSource): readonly string[] {
  if (source === unknown) return [];
  if (isIPv4(source)) {
    const [a, b, c] = source.split('.');
    return [`${a}.${b}.0.0/16`, `${a}.${b}.${c}.0/24`];
  }
  const [a, b, c] = source.split(':');
  return [`${a}:${b}::/32`, siteOf(a, b, c)];
}

/** The /48 around an IPv6 /64 (it has 65,536 of them); null for an IPv4 address and for `unknown`. */
export function siteAround(source: NetworkSource): string | null {
  if (!source.includes(':')) return null;
  const [a, b, c] = source.split(':', 3);
  return siteOf(a, b, c);
}

function siteOf(...groups: readonly (string | undefined)[]): string {
  return `${groups.join(':')}::/48`;
}

/** The eight groups of a valid IPv6 address (RFC 4291 §2.2). */
function groupsOf(address: string): readonly number[] {
  const zone = address.indexOf('%');
  const text = zone < 0 ? address : address.slice(0, zone);
  const gap = text.indexOf('::');
  if (gap < 0) return readGroups(text);
  const front = readGroups(text.slice(0, gap));
  const back = readGroups(text.slice(gap + 2));
  while (front.length + back.length < 8) front.push(0);
  return front.concat(back);
}

/** The groups between colons; a dotted IPv4 address at the end counts as two. */
function readGroups(text: string): number[] {
  if (text === '') return [];
  const groups: number[] = [];
  for (const group of text.split(':')) {
    if (group.includes('.')) {
      const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
      groups.push((a << 8) | b, (c << 8) | d);
    } else groups.push(Number.parseInt(group, 16));
  }
  return groups;
}

function startsWith(groups: readonly number[], ...prefix: readonly number[]): boolean {
  for (let index = 0; index < prefix.length; index += 1) if (groups[index] !== prefix[index]) return false;
  return true;
}

/** The IPv4 address that is embedded in an IPv6 address; null for a native one. */
function embeddedIPv4(groups: readonly number[]): string | null {
  const [first, second] = groups;
  if (first === 0 && second === 0) {
    // IPv4-mapped (RFC 4291 §2.5.5.2) and IPv4-translated (RFC 2765 §2.1).
    const isLast = startsWith(groups, 0, 0, 0, 0, 0, 0xffff) || startsWith(groups, 0, 0, 0, 0, 0xffff, 0);
    return isLast ? dotted(groups, 12, 13, 14, 15) : null;
  }
  if (first === 0x64 && second === 0xff9b) {
    // The well-known prefix of NAT64 (RFC 6052 §2.1), and the one for local prefixes.
    if (startsWith(groups, 0x64, 0xff9b, 0, 0, 0, 0)) return dotted(groups, 12, 13, 14, 15);
    return groups[2] === 1 ? embeddedByOperator(groups) : null;
  }
  // 6to4 (RFC 3056 §2): the holder of one IPv4 address has 65,536 networks of /64.
  if (first === 0x2002) return dotted(groups, 2, 3, 4, 5);
  // Teredo (RFC 4380 §4): all clients of one server share a /64; the last 32 bits are the client's address, inverted.
  if (first === 0x2001 && second === 0) {
    const inverted = groups.map((group) => group ^ 0xffff);
    return dotted(inverted, 12, 13, 14, 15);
  }
  return null;
}

/**
 * The IPv4 address in 64:ff9b:1::/48, of which an operator takes a prefix of any length that RFC 6052 §2.2 allows (RFC
 * 8215 §4). The bytes after the IPv4 address are zero, and so is byte 8: the last non-zero byte reveals the length.
 */
function embeddedByOperator(groups: readonly number[]): string {
  if (byteOf(groups, 13) !== 0 || groups[7] !== 0) return dotted(groups, 12, 13, 14, 15);
  if (byteOf(groups, 12) !== 0) return dotted(groups, 9, 10, 11, 12);
  if (byteOf(groups, 11) !== 0) return dotted(groups, 7, 9, 10, 11);
  return dotted(groups, 6, 7, 9, 10);
}

function byteOf(groups: readonly number[], place: number): number {
  const group = groups[place >> 1] ?? 0;
  return place % 2 === 0 ? group >> 8 : group & 0xff;
}

/** The bytes at these positions as an IPv4 address. */
function dotted(groups: readonly number[], ...places: readonly number[]): string {
  return places.map((place) => byteOf(groups, place)).join('.');
}

/** Where the current request comes from; those without an address count as one source. */
export function currentNetworkSource(): NetworkSource {
  return networkSourceOf(currentAuditContext().source ?? '');
}
