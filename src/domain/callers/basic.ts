export interface BasicPair {
  readonly id: string;
  readonly secret: string;
}

/**
 * The credentials in a Basic header (RFC 7617), or null when it is malformed. Both halves are percent-decoded (RFC 6749
 * §2.3.1), which does not change our ids and secrets.
 */
export function readBasic(header: string): BasicPair | null {
  const encoded = /^basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return null;
  const id = percentDecode(text.slice(0, colon));
  const secret = percentDecode(text.slice(colon + 1));
  return id === null || secret === null ? null : { id, secret };
}

function percentDecode(text: string): string | null {
  if (!text.includes('%')) return text;
  // `decodeURIComponent` throws on a stray percent sign; this checks without a catch.
  return /%(?![0-9A-Fa-f]{2})/.test(text) || /%[89A-Fa-f]/.test(text) ? null : decodeURIComponent(text);
}
