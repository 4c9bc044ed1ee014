/** Distinguished names of certificates, as texts of RFC 4514 and as Node writes them. */

/** OpenSSL's names of the attributes that are often registered by their numbers, which RFC 4514 allows for all. */
const shortNames: ReadonlyMap<string, string> = new Map([
  ['2.5.4.3', 'CN'],
  ['2.5.4.5', 'SERIALNUMBER'],
  ['2.5.4.6', 'C'],
  ['2.5.4.7', 'L'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.9', 'STREET'],
  ['2.5.4.10', 'O'],
  ['2.5.4.11', 'OU'],
  ['2.5.4.15', 'BUSINESSCATEGORY'],
  ['2.5.4.17', 'POSTALCODE'],
  ['2.5.4.97', 'ORGANIZATIONIDENTIFIER'],
  ['0.9.2342.19200300.100.1.1', 'UID'],
  ['0.9.2342.19200300.100.1.25', 'DC'],
  ['1.2.840.113549.1.9.1', 'EMAILADDRESS'],
  ['1.3.6.1.4.1.311.60.2.1.1', 'JURISDICTIONL'],
  ['1.3.6.1.4.1.311.60.2.1.2', 'JURISDICTIONST'],
  ['1.3.6.1.4.1.311.60.2.1.3', 'JURISDICTIONC'],
]);

/** A type, a value with escapes, and what follows: another attribute of the same part, the next part, or the end. */
const attribute =
  /\s*([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)\s*=((?:\\[0-9A-Fa-f]{2}|\\[ "#+,;<=>\\]|[^\\"+,;<>])*)([+,]|$)/y;

/**
 * A name in the one form in which two can be compared, or null for a text that is none (RFC 4514). Types compare without
 * case, values exactly: what differs there is another name. Values in hexadecimal (`#…`) are not read. `spelled`: the
 * numbers of types that the text spells so, letter by letter.
 */
export function readName(text: string, spelled?: ReadonlyMap<string, string>): string | null {
  const parts: string[][] = [[]];
  attribute.lastIndex = 0;
  for (let end = ','; end !== ''; ) {
    const [, type = '', escaped = '', next] = attribute.exec(text) ?? [];
    const value = next === undefined ? null : unescaped(escaped);
    if (value === null) return null;
    const name = spelled?.get(type) ?? type;
    parts.at(-1)?.push(`${shortNames.get(name) ?? name.toUpperCase()}=${value}`);
    end = next ?? '';
    if (end === ',') parts.push([]);
  }
  return JSON.stringify(parts.map((part) => part.sort()));
}

/** Types that OpenSSL tells from others by case alone: `uniqueIdentifier` from `userId`, and an address from `mail`. */
const spelledByOpenSsl: ReadonlyMap<string, string> = new Map([
  ['uid', '0.9.2342.19200300.100.1.44'],
  ['Mail', '1.3.6.1.7'],
]);

/** The name of a certificate's subject as Node writes it: a line for each part, the widest first. */
export function nameOf(subject: string | undefined): string | null {
  return readName((subject ?? '').split('\n').reverse().join(','), spelledByOpenSsl);
}

/** The value itself, or null if it is in hexadecimal or no UTF-8. Spaces around it count only with a backslash. */
function unescaped(escaped: string): string | null {
  const pieces = escaped.match(/\\[0-9A-Fa-f]{2}|\\.|[^\\]/gsu) ?? [];
  while (pieces[0] === ' ') pieces.shift();
  while (pieces.at(-1) === ' ') pieces.pop();
  if (pieces[0] === '#') return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces.map(bytesOf)));
  } catch {
    return null;
  }
}

/** A character, with a backslash before it or not, or a byte in hexadecimal. */
function bytesOf(piece: string): Buffer {
  if (!piece.startsWith('\\')) return Buffer.from(piece);
  return piece.length === 3 ? Buffer.from(piece.slice(1), 'hex') : Buffer.from(piece.slice(1));
}
