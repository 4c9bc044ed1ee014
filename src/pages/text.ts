/**
 * Prepares text from outside (names of people, applications and accounts) for display. Escaping is the templates' work.
 */

import { once } from './once.ts';

const OPENS_ISOLATE = /[\u2066-\u2068]/u;
const CLOSES_ISOLATE = '\u2069';

/**
 * Makes every directional isolate inside `text` end inside it: a "pop directional isolate" that closes nothing is
 * dropped, and one that is missing is added. Browsers write the isolation of `<bdi>` with the same characters, so that
 * the first would end it early and the second would end an isolate of the text in its place; either way the words of
 * the page behind it would be reordered (Unicode UAX #9, sections 3.1.2 and 6.3).
 */
export function closedInItself(text: string): string {
  let open = 0;
  let kept = '';
  for (const character of text) {
    if (character === CLOSES_ISOLATE && open === 0) continue;
    if (character === CLOSES_ISOLATE) open -= 1;
    else if (OPENS_ISOLATE.test(character)) open += 1;
    kept += character;
  }
  return kept + CLOSES_ISOLATE.repeat(open);
}

/** `text` isolated by control characters, for places such as `<title>` where no element can do it. */
export function isolated(text: string): string {
  return `\u2068${closedInItself(text)}${CLOSES_ISOLATE}`;
}

/** Made when it is needed: that takes some milliseconds. */
const graphemes = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));
const SAYS_SOMETHING = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** The letter, digit or symbol that stands for a name in a small tile: one user-perceived character, or a dot. */
export function initial(name: string): string {
  for (const { segment } of graphemes().segment(name.slice(0, 64))) {
    // A longer cluster is stacked marks, which no tile can show.
    if (SAYS_SOMETHING.test(segment)) return segment.length <= 16 ? segment.toLocaleUpperCase('en') : '•';
  }
  return '•';
}

const TILE_COLOURS = 6;

/** Which of the six tile colours a name gets: always the same one, so that people come to know it. From 1 to 6. */
export function tileColour(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return (sum % TILE_COLOURS) + 1;
}

/** A link that a page may show. */
interface WebLink {
  readonly href: string;
  readonly host: string;
}

/**
 * The link for a URI that came with a client's registration, or undefined when it is not plain http or https: a page
 * must never offer `javascript:` or `data:` (RFC 7591 section 5: the server cannot trust these values).
 */
export function webLink(uri: string | undefined): WebLink | undefined {
  if (uri === undefined || !URL.canParse(uri)) return undefined;
  const { protocol, href, host } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? { href, host } : undefined;
}

/** The host of a web address. A private scheme may be followed by any host, which says nothing about the application. */
export function placeOf(uri: string): string {
  const { protocol, host } = URL.parse(uri) ?? { protocol: '', host: '' };
  return /^https?:$/.test(protocol) ? host : uri.split(':', 1)[0] || '';
}
