/**
 * Redirect URIs: which may be registered, and when a requested one matches. They are compared as strings (RFC 9700
 * §2.1); a URI is parsed only to apply the rules of registration.
 */

export const mostRedirectUris = 20;
export const longestUri = 2048;

export type ApplicationType = 'web' | 'native';

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Schemes that execute or open something when a redirect arrives, or that no application can claim: the web's own, those
 * of protocols, and of programs that come with a system. The list is of what is known; RFC 8252 §7.1 asks applications
 * for a domain name of theirs.
 */
const unclaimable: ReadonlySet<string> = new Set(
  [
    'about blob cid data feed file filesystem jar javascript livescript mhtml mocha resource urn vbscript view-source',
    'ws wss x-safari-http x-safari-https',
    'chrome chrome-extension edge moz-extension opera',
    'dav ftp ftps git gopher imap irc ircs ldap ldaps nfs nntp news pop rlogin rtsp sftp smb snmp ssh svn telnet tftp',
    'tn3270 vnc',
    'bitcoin callto facetime facetime-audio geo magnet mailto maps mms mmsto sip sips skype sms smsto steam tel upi webcal',
    'wtai xmpp',
    'afp android-app applescript content hcp help intent jnlp jnlps market mk onenote res shell x-help-script',
  ].flatMap((names) => names.split(' ')),
);
/** Windows alone has dozens of `ms-…`, some of which have run what they were given. */
const ofSystem = /^(ms|microsoft|search|x-apple|itms)([-.]|$)|-ms$/;

/**
 * Whether any application on a device can receive what is sent to the URI: a loopback address or a private scheme
 * belongs to nobody (RFC 8252 §8.6).
 */
export function isAnybodysUri(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol !== 'https:' || loopbackHosts.has(hostname) || /^127(\.\d{1,3}){3}$|\.localhost$/.test(hostname);
}

/** Why a URI may not be registered, or null. */
export function redirectUriFault(uri: string, applicationType: ApplicationType): string | null {
  if (uri === '') return 'is empty';
  if (uri.length > longestUri) return `is longer than ${longestUri} characters`;
  // Parsers drop tabs and line feeds and replace backslashes, so such a URI could be read in two ways.
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\<>"^`{|}]/.test(uri))
    return 'contains a character that is not allowed in a URI';
  if (uri.includes('#')) return 'has a fragment';
  if (uri.includes('*')) return 'has a wildcard';
  const parsed = URL.parse(uri);
  if (!parsed) return 'is not an absolute URI';
  const scheme = parsed.protocol.slice(0, -1);
  if (!uri.startsWith(`${scheme}:`)) return 'must have its scheme in lower case';
  if (parsed.username !== '' || parsed.password !== '' || /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/.test(uri))
    return 'has a user part';
  if (scheme === 'https' || scheme === 'http') return webUriFault(uri, scheme, parsed);
  if (applicationType === 'web') return 'must be https, or http on a loopback host, for a web application';
  return unclaimable.has(scheme) || ofSystem.test(scheme) || scheme.length < 2
    ? `uses the scheme ${scheme}, which no application can claim`
    : null;
}

function webUriFault(uri: string, scheme: string, parsed: URL): string | null {
  const authority = /^https?:\/\/([^/?]*)/.exec(uri)?.[1];
  if (!authority) return 'has no host';
  // `127.1` or `0x7f.1` would be compared as strings but reach a host other than the text says.
  const written = authority.toLowerCase().replace(/:\d*$/, '');
  if (written !== parsed.hostname) return 'must have its host in canonical form';
  if (scheme === 'http' && !loopbackHosts.has(parsed.hostname)) return 'must be https: http is only for loopback hosts';
  return null;
}

/**
 * Whether a client may receive responses at `asked`. Strings must be equal, but the port of a native application's http
 * loopback URI is ignored, because the system assigns a new one each time (RFC 8252 §7.3).
 */
export function isRegisteredUri(
  registered: readonly string[],
  asked: string,
  applicationType: ApplicationType,
): boolean {
  if (registered.includes(asked)) return true;
  if (applicationType !== 'native') return false;
  const portless = withoutLoopbackPort(asked);
  return portless !== null && registered.some((uri) => withoutLoopbackPort(uri) === portless);
}

function withoutLoopbackPort(uri: string): string | null {
  const [, host, rest] = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?((?:[/?].*)?)$/.exec(uri) ?? [];
  return host === undefined ? null : `${host}${rest}`;
}
