/**
 * Reads XML 1.0 as far as data needs it. What makes readers of XML differ or do more than read is refused: document
 * types with their entities, namespaces, processing instructions, and text in several pieces.
 */

import { XmlScanner } from './xml-scanner.ts';

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Empty where there are children. */
  readonly text: string;
}

export const mostDepth = 16;
export const mostElements = 500;
const mostAttributes = 8;
const mostAttributeCharacters = 100;
const mostNameCharacters = 100;

const space = /[ \t\n]*/y;
/** XML 1.0 §2.8; of the versions and encodings only these. */
const declaration =
  /<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(["'])1\.0\1(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(["'])[uU][tT][fF]-8\2)?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(["'])(?:yes|no)\3)?[ \t\n]*\?>/y;
const name = /[A-Za-z_][\w.-]*/y;
const attribute = /[ \t\n]+([A-Za-z_][\w.-]*)[ \t\n]*=[ \t\n]*(?:"([^"<&]*)"|'([^'<&]*)')/y;
const tagEnd = /[ \t\n]*(\/?)>/y;
const closingEnd = /[ \t\n]*>/y;
const characters = /[^<&]+/y;
const reference = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9A-Fa-f]{1,6}));/y;
const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
/** What XML 1.0 §2.2 cannot hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const impossible = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u;

/** The root element of a document. Throws `request_malformed` that says line and column of the fault. */
export function parseXml(document: string): XmlElement {
  // XML 1.0 §2.11: all ends of line are read as line feeds.
  return new Reader(document.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')).document();
}

class Reader extends XmlScanner {
  #elements = 0;

  document(): XmlElement {
    // Before anything is read: no parser sees a document type, wherever it stands.
    const doctype = this.text.search(/<!doctype/i);
    if (doctype >= 0) this.fail('a DOCTYPE is not allowed', doctype);
    const control = this.text.search(impossible);
    if (control >= 0) this.fail('a character that is not allowed', control);
    if (/<\?xml[ \t\n]/y.test(this.text) && !this.match(declaration)) {
      this.fail('the declaration must say version 1.0 and, if any, the encoding UTF-8');
    }
    this.#outside();
    if (this.atEnd) this.fail('there is no element');
    if (!this.sees('<')) this.fail('text outside of the root element');
    const root = this.#element(1);
    this.#outside();
    if (!this.atEnd) this.fail('something follows the root element');
    return root;
  }

  /** White space and comments, of which the document may have some around its root. */
  #outside(): void {
    do this.match(space);
    while (this.#comment());
  }

  #element(depth: number): XmlElement {
    const from = this.at;
    if (depth > mostDepth) this.fail(`elements are nested deeper than ${mostDepth} levels`);
    this.#elements += 1;
    if (this.#elements > mostElements) this.fail(`there are more than ${mostElements} elements`);
    this.skip('<');
    const found = this.#name();
    const attributes = this.#attributes();
    const end = this.match(tagEnd);
    if (!end) this.fail(`the tag ${found} is not well-formed`);
    if (end[1] === '/') return { name: found, attributes, children: [], text: '' };
    const content = this.#content(found, depth, from);
    this.skip('</');
    if (this.#name() !== found || !this.match(closingEnd)) this.fail(`the element ${found} is closed by another tag`);
    return { name: found, attributes, ...content };
  }

  #name(): string {
    if (this.sees('!') || this.sees('?')) this.fail('only elements, text and comments are allowed');
    const [found] = this.match(name) ?? this.fail('the name of an element is expected');
    if (this.sees(':')) this.fail('namespace prefixes are not allowed');
    if (found.length > mostNameCharacters) this.fail(`a name has more than ${mostNameCharacters} characters`);
    return found;
  }

  #attributes(): ReadonlyMap<string, string> {
    const attributes = new Map<string, string>();
    for (let found = this.match(attribute); found; found = this.match(attribute)) {
      const [, key = '', double, single] = found;
      if (key === 'xmlns') this.fail('namespaces are not allowed');
      if (attributes.has(key)) this.fail('an attribute is given twice');
      const value = double ?? single ?? '';
      if (attributes.size === mostAttributes) this.fail(`an element has more than ${mostAttributes} attributes`);
      if (key.length > mostNameCharacters || value.length > mostAttributeCharacters) {
        this.fail(`an attribute has more than ${mostAttributeCharacters} characters`);
      }
      attributes.set(key, value);
    }
    return attributes;
  }

  /** Elements, or one text: a comment or a CDATA section beside a text would leave open what the text is. */
  #content(found: string, depth: number, from: number): Pick<XmlElement, 'children' | 'text'> {
    const children: XmlElement[] = [];
    const texts: string[] = [];
    let [blank, comments] = [true, 0];
    while (!this.sees('</')) {
      if (this.atEnd) this.fail(`the element ${found} is not closed`, from);
      if (this.#comment()) comments += 1;
      else if (this.sees('<![CDATA[')) {
        texts.push(this.#section());
        blank = false;
      } else if (this.sees('<')) children.push(this.#element(depth + 1));
      else {
        const text = this.#run();
        texts.push(text);
        blank &&= /^[ \t\n]*$/.test(text);
      }
    }
    if (children.length > 0) {
      if (!blank) this.fail(`the element ${found} holds text beside elements`, from);
      return { children, text: '' };
    }
    if (comments > 0) this.fail(`the element ${found} holds a comment and no elements`, from);
    if (texts.length > 1) this.fail(`the text of the element ${found} is in several pieces`, from);
    return { children, text: texts[0] ?? '' };
  }

  /** A text up to the next tag, its references resolved. */
  #run(): string {
    let text = '';
    while (!this.atEnd && !this.sees('<')) {
      const plain = this.match(characters)?.[0];
      if (plain?.includes(']]>')) this.fail(']]> in a text');
      text += plain ?? this.#reference();
    }
    return text;
  }

  #reference(): string {
    const from = this.at;
    const [, word, decimal, hexadecimal] = this.match(reference) ?? this.fail('a reference that is not known');
    if (word !== undefined) return named[word] ?? '';
    const point = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    const character = point <= 0x10ffff ? String.fromCodePoint(point) : '\0';
    if (impossible.test(character)) this.fail('a reference to a character that is not allowed', from);
    return character;
  }

  #section(): string {
    const from = this.at;
    this.skip('<![CDATA[');
    return this.until(']]>', from);
  }

  #comment(): boolean {
    if (!this.sees('<!--')) return false;
    const from = this.at;
    this.skip('<!--');
    if (this.until('-->', from).includes('--')) this.fail('-- in a comment', from);
    return true;
  }
}
