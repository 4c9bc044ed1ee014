/** What the settings may hold: each reader answers undefined for a text that is not allowed. */

import { isIP } from 'node:net';
import type { SmtpServer } from './adapters/mail.ts';
import type { EgressHost, EgressRules } from './domain/egress.ts';
import type { HookRuntime } from './domain/hooks/runner.ts';
import { isDatabaseUrl } from './store/database-url.ts';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof logLevels)[number];

export function parsePort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** Whole seconds, up to five minutes. */
export function parseDrain(text: string): number | undefined {
  return /^\d{1,3}$/.test(text) && Number(text) <= 300 ? Number(text) : undefined;
}

/** Whole milliseconds, from a tenth of a second to a minute. */
export function parseDatabaseWait(text: string): number | undefined {
  const milliseconds = /^\d{3,5}$/.test(text) ? Number(text) : 0;
  return milliseconds >= 100 && milliseconds <= 60_000 ? milliseconds : undefined;
}

export function parseListening(text: string): string | undefined {
  return isIP(text) || /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text) ? text : undefined;
}

export function parseSwitch(text: string): boolean | undefined {
  return text === '1' ? true : text === '0' ? false : undefined;
}

export function parseScheme(text: string): 'http' | 'https' | undefined {
  return text === 'http' || text === 'https' ? text : undefined;
}

export function parseDomain(text: string): string | undefined {
  const form = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?::\d{1,5})?$/i;
  // A label of 63 characters and a dot come before it.
  return text.length <= 189 && form.test(text) ? text.toLowerCase() : undefined;
}

export function parseDatabase(text: string): string | undefined {
  return isDatabaseUrl(text) ? text : undefined;
}

export function parseProxies(text: string): string[] | undefined {
  const proxies = text.split(',').map((proxy) => proxy.trim());
  return proxies.every(isNetwork) ? proxies : undefined;
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  // A prefix of 0 would trust everyone.
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

/** Up to 20 identifiers, no two the same, each with `=` and an absolute path or without. */
export function parseRuntimes(text: string): HookRuntime[] | undefined {
  const runtimes = text.split(',').map((entry) => {
    const [, name = '', node = null] =
      /^([A-Za-z0-9][A-Za-z0-9.-]{0,49})(?:=(\/[^\0]{1,1023}))?$/.exec(entry.trim()) ?? [];
    return Object.freeze({ name, node });
  });
  const names = new Set(runtimes.map(({ name }) => name));
  return runtimes.length <= 20 && names.size === runtimes.length && !names.has('') ? runtimes : undefined;
}

/** `public`, `none`, or hosts with commas between them, `public` among them or not. */
export function parseEgress(text: string): EgressRules | undefined {
  if (text === 'none') return { public: false, hosts: [] };
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.includes('none')) return undefined;
  const hosts = entries.filter((entry) => entry !== 'public').map(parseEgressHost);
  if (!hosts.every((host) => host !== undefined)) return undefined;
  return { public: entries.includes('public'), hosts: Object.freeze(hosts) };
}

/** `host`, `host:port`, or either after `http://` or `https://`; https unless said. */
function parseEgressHost(text: string): EgressHost | undefined {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `https://${text}`);
  const hostname = url?.hostname.replace(/\.$/, '') ?? '';
  if (!url || !/^[a-z0-9_.:[\]-]+$/.test(hostname) || url.href !== `${url.origin}/`) return undefined;
  const scheme = url.protocol === 'http:' ? 'http' : 'https';
  return { scheme, hostname, port: Number(url.port) || (scheme === 'http' ? 80 : 443) };
}

export function parseRegistry(text: string): string | undefined {
  if (text === 'none') return text;
  const url = /^https?:\/\//.test(text) ? URL.parse(text) : null;
  return url && url.username === '' && url.password === '' && url.search === '' ? url.href : undefined;
}

/** Without a slash at its end. */
export function parseCollector(text: string): string | undefined {
  const url = /^https?:\/\//.test(text) ? URL.parse(text) : null;
  const isPlain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain ? url.href.replace(/\/+$/, '') : undefined;
}

export function parseShare(text: string): number | undefined {
  return /^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(text) ? Number(text) : undefined;
}

export function parseStartPage(text: string): 'account' | 'docs' | undefined {
  return text === 'account' || text === 'docs' ? text : undefined;
}

export function parseConfinement(text: string): 'confined' | 'unconfined' | undefined {
  return text === 'confined' || text === 'unconfined' ? text : undefined;
}

/** `smtp://` or `smtps://`, with user and password or without. */
export function parseSmtp(text: string): SmtpServer | undefined {
  const url = /^smtps?:\/\/[^/?#]+\/?$/.test(text) ? URL.parse(text) : null;
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const secret = (part: string) => (part === '' ? null : decoded(part));
  const [user, password] = [secret(url?.username ?? ''), secret(url?.password ?? '')];
  if (!url || host === '' || user === undefined || password === undefined || (password !== null && user === null)) {
    return undefined;
  }
  const secure = url.protocol === 'smtps:';
  return { host, port: Number(url.port) || (secure ? 465 : 587), secure, user, password, isLocal: isLoopback(host) };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** One address, or a name with one in angle brackets. */
export function parseSender(text: string): string | undefined {
  const address =
    /^(?:[^<>@,;:"\p{Cc}]{1,100} <)?[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?>?$/iu;
  return address.test(text) && text.includes('<') === text.endsWith('>') ? text : undefined;
}

/** Without its port. */
export function hostnameOf(domain: string): string {
  return domain.replace(/:\d+$/, '');
}

export function parseLevel(text: string): LogLevel | undefined {
  return logLevels.find((level) => level === text);
}

export function parseToken(text: string): string | undefined {
  return /^[\x21-\x7e]{16,256}$/.test(text) ? text : undefined;
}

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Whether one letter was added, left out or replaced, or two neighbours change places. */
export function isOneSlipFrom(name: string, given: string): boolean {
  if (Math.abs(name.length - given.length) > 1) return false;
  let start = 0;
  while (start < name.length && name[start] === given[start]) start += 1;
  const [nameRest, givenRest] = [name.slice(start), given.slice(start)];
  const swapped = nameRest.slice(0, 2) === [...givenRest.slice(0, 2)].reverse().join('');
  return (
    nameRest.slice(1) === givenRest ||
    nameRest === givenRest.slice(1) ||
    nameRest.slice(1) === givenRest.slice(1) ||
    (swapped && nameRest.slice(2) === givenRest.slice(2))
  );
}
