/** What a URL reveals about the destination of a request, before any name is resolved. */

import { isIP } from 'node:net';
import type { EgressHost, EgressRules } from '../../domain/egress.ts';
import { Refusal } from './refusal.ts';

export interface Destination {
  readonly url: URL;
  readonly isTls: boolean;
  /** Without brackets and without a trailing dot. */
  readonly hostname: string;
  /** The host is an address. */
  readonly isLiteral: boolean;
  readonly port: number;
  /** The operator listed exactly this. */
  readonly isListed: boolean;
}

interface DestinationRules extends EgressRules {
  /** Whether the service itself is at a host: `name`, or `name:port`. */
  readonly isOwnHost: (host: string) => boolean | Promise<boolean>;
}

const mostUrlCharacters = 8_192;
const defaultPorts: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

function readUrl(text: string): URL {
  const url = text.length <= mostUrlCharacters ? URL.parse(text) : null;
  if (!url) throw new Refusal('url_invalid');
  // `https://trusted.example@evil.example` is meant to be misread; credentials belong in a header.
  if (url.username !== '' || url.password !== '') throw new Refusal('url_invalid');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Refusal('scheme_forbidden');
  return url;
}

function isListed({ scheme, hostname, port }: EgressHost, url: URL, wantedPort: number): boolean {
  return url.protocol === `${scheme}:` && url.hostname.replace(/\.$/, '') === hostname && port === wantedPort;
}

/**
 * Throws a `Refusal` for a destination that the rules do not allow. The URL parser has already normalized octal,
 * hexadecimal and shortened addresses, full-width digits and the like (URL Standard §3.5).
 */
export async function readDestination(text: string, rules: DestinationRules): Promise<Destination> {
  if (!rules.public && rules.hosts.length === 0) throw new Refusal('disabled');
  const url = readUrl(text);
  const port = url.port === '' ? (defaultPorts[url.protocol] ?? 0) : Number(url.port);
  const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isLiteral = isIP(hostname) !== 0;
  const destination = { url, isTls: url.protocol === 'https:', hostname, isLiteral, port };
  if (rules.hosts.some((host) => isListed(host, url, port))) return { ...destination, isListed: true };
  if (!rules.public) throw new Refusal('host_forbidden');
  if (!destination.isTls) throw new Refusal('scheme_forbidden');
  if (port !== 443) throw new Refusal('port_forbidden');
  // A name without a dot belongs to this machine or its network.
  if (!isLiteral && (!hostname.includes('.') || hostname.endsWith('.localhost'))) throw new Refusal('host_forbidden');
  if ((await rules.isOwnHost(hostname)) || (await rules.isOwnHost(`${hostname}:${port}`))) {
    throw new Refusal('host_forbidden');
  }
  return { ...destination, isListed: false };
}
