/** Cookies of the hosted pages (RFC 6265): opaque, for this host only, unreadable to scripts. */

/**
 * The cookies of a request. If a name is sent twice the first one counts, which browsers send for the most specific
 * path.
 */
export function readCookies(header: string | undefined): Readonly<Record<string, string | undefined>> {
  const cookies: Record<string, string | undefined> = Object.create(null);
  for (const pair of (header ?? '').split(';')) {
    const [name = '', ...value] = pair.split('=');
    const key = name.trim();
    if (key && cookies[key] === undefined) cookies[key] = value.join('=').trim();
  }
  return cookies;
}
