/** Which headers a request may have, and which of them a redirect to another origin keeps. */

import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { EgressHeaders } from '../../domain/egress.ts';
import { Refusal } from './refusal.ts';

const mostHeaders = 50;
const mostCharacters = 8_192;

/**
 * Dropped silently, as a browser does (Fetch Standard §2.2.2), because libraries set some of them on every request:
 * headers that frame a message or a connection, name the host, pretend to come through a proxy, or that metadata
 * services require as a proof that no stranger asks.
 */
const deniedNames = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'metadata',
  'metadata-flavor',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);
const deniedPrefixes = ['proxy-', 'sec-', 'x-forwarded-', 'x-real-ip', 'x-aws-ec2-metadata-', 'x-google-metadata-'];

/** All that another origin may see: any other header may be a credential. */
const namesAcrossOrigins = new Set(['accept', 'accept-language', 'content-language', 'content-type', 'user-agent']);

function isDenied(name: string): boolean {
  return deniedNames.has(name) || deniedPrefixes.some((prefix) => name.startsWith(prefix));
}

/**
 * Names in lower case, without the denied ones. Throws a `Refusal` for headers that are invalid in HTTP, or too many.
 */
export function readHeaders(given: EgressHeaders): EgressHeaders {
  const characters = given.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (given.length > mostHeaders || characters > mostCharacters) throw new Refusal('header_invalid');
  const headers: [string, string][] = [];
  for (const [name, value] of given) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (cause) {
      throw new Refusal('header_invalid', { cause });
    }
    if (!isDenied(name.toLowerCase())) headers.push([name.toLowerCase(), value]);
  }
  return headers;
}

export function headersAcrossOrigins(headers: EgressHeaders): EgressHeaders {
  return headers.filter(([name]) => namesAcrossOrigins.has(name));
}

/** Those that describe a body that is not sent again. */
export function headersWithoutBody(headers: EgressHeaders): EgressHeaders {
  return headers.filter(([name]) => !name.startsWith('content-'));
}
