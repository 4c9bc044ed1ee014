/** Where a browser may fetch a client's logo from. */

/** A host name as CSP can name it (Content Security Policy §2.3.1): labels of letters, digits and hyphens (RFC 1123 §2.1), or an IPv4 address. */
const plainHost = /^(?=.{1,253}$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/;

/**
 * The origin of a logo as a source of a page's policy; null for an address that is none, and for a host that a policy
 * cannot name or reads as something else: URLs allow `;`, `*` and `'` in a host, and IPv6 has no form there. One place
 * decides it, at registration and where a page is made: a stored address may be older than the rule.
 */
export function logoSource(uri: string): string | null {
  const parsed = URL.parse(uri);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || !plainHost.test(parsed.hostname)) return null;
  return parsed.origin;
}
