export interface BasicPair {
  readonly id: string;
  readonly secret: string;
}

/**
 * The pair of a Basic header (RFC 7617), or null when it has another form. Both halves are percent-decoded
 * (RFC 6749 §2.3.1), which leaves the characters of our ids and secrets as they are.
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
  // `decodeURIComponent` throws on a stray percent sign; this says so without a catch.
  return /%(?![0-9A-Fa-f]{2})/.test(text) || /%[89A-Fa-f]/.test(text) ? null : decodeURIComponent(text);
}
