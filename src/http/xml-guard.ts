/**
 * The syntax that a document may contain, checked before the parser sees it. The parser accepts more than XML allows
 * (`< a>`, HTML entities) and silently drops some things (a repeated attribute, a second root, an empty comment). So
 * only tokens with a single reading are allowed here; the parser checks how tags nest and what they contain.
 */

import { Failure } from '../domain/failure.ts';

const mostDepth = 16;
const mostElements = 500;
const mostAttributes = 8;
const mostCharacters = 100;

/** XML 1.0 §2.8; only these versions and encodings. */
const declaration =
  /<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(["'])1\.0\1(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(["'])[uU][tT][fF]-8\2)?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(["'])(?:yes|no)\3)?[ \t\n]*\?>/y;
const between = /(?:[ \t\n]|<!--(?:[^-]|-[^-])*-->)*/y;
const opening =
  /<([A-Za-z_][\w.-]*)((?:[ \t\n]+[A-Za-z_][\w.-]*[ \t\n]*=[ \t\n]*(?:"[^"<&]*"|'[^'<&]*'))*)[ \t\n]*(\/?)>/y;
const attribute = /([\w.-]+)[ \t\n]*=[ \t\n]*(?:"([^"]*)"|'([^']*)')/g;
const closing = /<\/[A-Za-z_][\w.-]*[ \t\n]*>/y;
const section = /<!\[CDATA\[[\s\S]*?\]\]>/y;
const text = /[^<&]*(?:&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});[^<&]*)*/y;
/** Wherever they stand: a document type, and what XML 1.0 §2.2 cannot hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const forbidden = /<!doctype|[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/iu;
/** The parser keeps attributes in an object, which these names would alter. */
const unkept = ['__proto__', 'hasOwnProperty'];

const textAlone = 'text next to elements or a comment, in several pieces, or not closed';
/** The error by what is found instead of a token; the first match counts. */
const wrong: readonly (readonly [RegExp, string])[] = [
  [/^<\?xml[ \t\n]/, 'the declaration must come first and say version 1.0 and, if any, the encoding UTF-8'],
  [/^<!--/, 'a comment that is not closed or contains --'],
  [/^<!\[CDATA\[/, textAlone],
  [/^<[!?]/, 'only elements, text and comments are allowed'],
  [/^<\/?[\w.-]*:/, 'namespace prefixes are not allowed'],
  [/^</, 'a tag that is not well-formed'],
];

/** `at` counts UTF-16 units from the start of the document, whose line ends are line feeds. */
export function malformed(document: string, at: number, what: string): Failure {
  const before = document.slice(0, at);
  const line = before.split('\n').length;
  const column = [...before.slice(before.lastIndexOf('\n') + 1)].length + 1;
  const message = `the body is not valid XML at line ${line}, column ${column}: ${what}`;
  return new Failure('request_malformed', { name: 'the body', message });
}

/** Throws `request_malformed` at the first fault or exceeded bound. Line ends must be line feeds. */
export function guardXml(document: string): void {
  new Guard(document).pass();
}

class Guard {
  readonly #document: string;
  #at = 0;
  #depth = 0;
  #elements = 0;

  constructor(document: string) {
    this.#document = document;
  }

  pass(): void {
    const found = this.#document.search(forbidden);
    if (found >= 0) {
      this.#fail(`a ${this.#document[found] === '<' ? 'DOCTYPE' : 'character that'} is not allowed`, found);
    }
    this.#match(declaration);
    for (this.#match(between); this.#at < this.#document.length; this.#match(between)) {
      if (this.#elements > 0 && this.#depth === 0) this.#fail('something follows the root element');
      if (this.#depth > 0 && this.#match(closing)) this.#depth -= 1;
      else this.#element();
    }
    if (this.#elements === 0) this.#fail('there is no element');
  }

  #element(): void {
    const from = this.#at;
    const [, name = '', attributes = '', empty] = this.#match(opening) ?? this.#fail(this.#whatIsWrong());
    this.#elements += 1;
    if (this.#elements > mostElements) this.#fail(`there are more than ${mostElements} elements`, from);
    if (this.#depth === mostDepth) this.#fail(`elements are nested deeper than ${mostDepth} levels`, from);
    const given = new Map<string, string>();
    for (const [, key = '', double, single] of attributes.matchAll(attribute)) {
      if (given.size === mostAttributes) this.#fail(`an element has more than ${mostAttributes} attributes`, from);
      if (key === 'xmlns') this.#fail('namespaces are not allowed', from);
      if (given.has(key)) this.#fail('an attribute is repeated', from);
      if (unkept.includes(key)) this.#fail(`an attribute ${key} is not allowed`, from);
      given.set(key, double ?? single ?? '');
    }
    if ([name, ...given.keys(), ...given.values()].some(({ length }) => length > mostCharacters)) {
      this.#fail(`a name or an attribute has more than ${mostCharacters} characters`, from);
    }
    if (empty) return;
    this.#depth += 1;
    this.#content();
  }

  /** One text up to the closing tag, or white space and comments up to an element. */
  #content(): void {
    const from = this.#at;
    const isSection = this.#match(section) !== null;
    const [found = ''] = (isSection ? null : this.#match(text)) ?? [];
    if (this.#sees('&')) this.#fail('an unknown reference');
    if (found.includes(']]>')) this.#fail(']]> in text', from);
    if (isSection || /[^ \t\n]/.test(found)) {
      if (this.#at < this.#document.length && !this.#sees('</')) this.#fail(textAlone);
    } else if (this.#match(between)?.[0] && this.#sees('</')) this.#fail('a comment in an element without elements');
  }

  #whatIsWrong(): string {
    const rest = this.#document.slice(this.#at, this.#at + 2 * mostCharacters);
    const otherwise = this.#depth > 0 ? textAlone : 'text outside of the root element';
    return wrong.find(([pattern]) => pattern.test(rest))?.[1] ?? otherwise;
  }

  #sees(start: string): boolean {
    return this.#document.startsWith(start, this.#at);
  }

  /** Advances past what a sticky pattern matches here. */
  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#document);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #fail(what: string, at = this.#at): never {
    throw malformed(this.#document, at, what);
  }
}
