import { logoSource } from '../domain/clients/logo.ts';

/** The scheme of an absolute URI (RFC 3986 section 3.1), which is also a source expression of the policy. */
const SCHEME = /^([a-z][a-z0-9+.-]{0,63}):/i;

/** What a page adds to the policy that all pages share. */
export interface PolicyParts {
  readonly redirectUri?: string | undefined;
  readonly logoUri?: string | undefined;
  readonly styleSource?: string;
  /** The page has a script of this host's. */
  readonly script?: boolean;
}

/**
 * The Content-Security-Policy of a hosted page: this host's style sheet and images, no frame, forms to this host only,
 * and no script, or (`script`) those that are files of this host.
 *
 * For a page whose form may end at a client, give the redirect URI of the authorization request: its scheme joins
 * `form-action`. Chromium applies that directive to every redirect behind a form, and with `'self'` alone it silently
 * stays on the page instead of returning to the client. The scheme and not the origin, because the redirects that the
 * client itself makes next, often to another origin, are checked as well; and a policy cannot name an IPv6 address.
 *
 * The origin of `logoUri` joins the images, where `logoSource` knows one. `styleSource` replaces this host's style
 * sheet, for a page that carries its own.
 */
export function contentSecurityPolicy(parts: PolicyParts = {}): string {
  const { redirectUri, logoUri, styleSource = "'self'", script = false } = parts;
  const scheme = redirectUri === undefined ? undefined : SCHEME.exec(redirectUri)?.[1]?.toLowerCase();
  const logo = logoUri === undefined ? null : logoSource(logoUri);
  const formAction = scheme === undefined ? "'self'" : `'self' ${scheme}:`;
  return [
    "default-src 'none'",
    ...(script ? ["script-src 'self'"] : []),
    `style-src ${styleSource}`,
    `img-src ${logo === null ? "'self'" : `'self' ${logo}`}`,
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
