/** Where a browser may load a client's logo from. */

/**
 * A host name that CSP can express (Content Security Policy §2.3.1): labels of letters, digits and hyphens (RFC 1123
 * §2.1), or an IPv4 address.
 */
const plainHost = /^(?=.{1,253}$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/;

/**
 * The origin of a logo as a CSP source. Null for an invalid address, and for a host that a policy cannot express or
 * would misread: URLs allow `;`, `*` and `'` in a host, and CSP has no form for IPv6. Used both at registration and
 * when a page is made, because a stored address may be older than the rule.
 */
export function logoSource(uri: string): string | null {
  const parsed = URL.parse(uri);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || !plainHost.test(parsed.hostname)) return null;
  return parsed.origin;
}
