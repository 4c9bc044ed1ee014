import type { Addresses } from '../../services.ts';
import { Failure } from '../failure.ts';

const subdomainForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Host and optional port; letters, digits, dots and hyphens, or an IPv6 address in brackets. */
const hostForm =
  /^(?:(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/;
/** The deprecated surfaces serve every account on these. */
const reservedSubdomains = ['api', 'app'];
const defaultPorts = { http: ':80', https: ':443' } as const;

/** A host in normal form: lower case, without the default port of the scheme. */
export function normalizeHost(addresses: Pick<Addresses, 'publicScheme'>, host: string): string {
  const lower = host.toLowerCase();
  const port = defaultPorts[addresses.publicScheme];
  return lower.endsWith(port) ? lower.slice(0, -port.length) : lower;
}

/** The account name in `<name>.<service domain>`; null for any other host. */
export function subdomainOf(addresses: Addresses, host: string): string | null {
  const suffix = `.${normalizeHost(addresses, addresses.serviceDomain)}`;
  if (!host.endsWith(suffix)) return null;
  const subdomain = host.slice(0, -suffix.length);
  return isSubdomain(subdomain) ? subdomain : null;
}

/** `<scheme>://app.<service domain>`: the oldest endpoints serve every account there. */
export function legacyAppUrl(addresses: Addresses): string {
  return `${addresses.publicScheme}://app.${normalizeHost(addresses, addresses.serviceDomain)}`;
}

/** Whether the host is `api.<service domain>` or `app.<service domain>`, where the API key determines the account. */
export function isLegacyHost(addresses: Addresses, host: string): boolean {
  const name = normalizeHost(addresses, host);
  const domain = normalizeHost(addresses, addresses.serviceDomain);
  return reservedSubdomains.some((subdomain) => name === `${subdomain}.${domain}`);
}

function isSubdomain(text: string): boolean {
  return subdomainForm.test(text) && !reservedSubdomains.includes(text);
}

/** Throws `value_invalid` with name `subdomain`. */
export function checkSubdomain(text: string): string {
  if (isSubdomain(text)) return text;
  const message = reservedSubdomains.includes(text)
    ? `the subdomain ${text} is reserved; choose another`
    : 'a subdomain has 1 to 63 lower-case letters, digits and hyphens, and no hyphen at either end';
  throw new Failure('value_invalid', { name: 'subdomain', message });
}

/** Reads an extra host of an account. Throws `value_invalid` with name `host`. */
export function readHost(addresses: Addresses, text: string): string {
  const host = normalizeHost(addresses, text);
  if (host.length > 255 || !hostForm.test(host)) {
    throw new Failure('value_invalid', {
      name: 'host',
      message: `${text} is not a host name with an optional port, such as login.example.com`,
    });
  }
  if (host.endsWith(`.${normalizeHost(addresses, addresses.serviceDomain)}`)) {
    const message = `hosts below ${addresses.serviceDomain} are subdomains; ${text} cannot be an extra host. Make it with gatehouse account create <subdomain>`;
    throw new Failure('value_invalid', { name: 'host', message });
  }
  return host;
}

/** Reads a base URL: scheme and host, nothing else. Throws `value_invalid` with name `base_url`. */
export function readBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.origin === text) return text;
  throw new Failure('value_invalid', { name: 'base_url', message: 'a base URL is a scheme and a host, nothing else' });
}
