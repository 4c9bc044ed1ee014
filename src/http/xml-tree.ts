/** The subset of XML 1.0 that data needs: the guard admits only unambiguous documents, and xml2js parses them. */

import { Parser } from 'xml2js';
import type { Failure } from '../domain/failure.ts';
import { guardXml, malformed } from './xml-guard.ts';

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Empty if there are children. */
  readonly text: string;
}

/** An element or a text of the library. */
interface Node {
  readonly '#name': string;
  readonly $?: Readonly<Record<string, string>>;
  readonly _?: string;
  readonly $$?: readonly Node[];
}

/** The library's position: consumed characters and open elements. Its types omit it. */
interface Position {
  readonly position: number;
  readonly tags: readonly { readonly name: string }[];
}

const options = {
  strict: true,
  async: false,
  explicitRoot: false,
  // Elements and texts in document order: nothing is joined, sorted or dropped.
  explicitChildren: true,
  preserveChildrenOrder: true,
  charsAsChildren: true,
  includeWhiteChars: true,
  // A prefix keeps element names apart from the library's own (`_`, `__text__`) and JavaScript's.
  tagNameProcessors: [(name: string) => `<${name}`],
};

/** The beginnings of the library's messages, and what is said instead. The rest the guard refuses before. */
const faults: readonly (readonly [said: string, what: (open: string | undefined) => string])[] = [
  ['Unexpected close tag', (open) => `the element ${open} is closed by another tag`],
  ['Unmatched closing tag', () => 'a closing tag has no opening tag'],
  ['Unclosed root tag', (open) => `the element ${open} is not closed`],
  ['Invalid character entity', () => 'an unknown reference'],
];

/** The root element of a document. Throws `request_malformed` with line and column of the fault. */
export function parseXml(written: string): XmlElement {
  // XML 1.0 §2.11: all line ends are read as line feeds.
  const document = written
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n');
  guardXml(document);
  const parser = new Parser(options) as Parser & { readonly saxParser: Position };
  const { saxParser } = parser;
  const end: { root?: Node; failure?: Failure } = {};
  parser.on('end', (root: Node) => {
    end.root = root;
  });
  parser.on('error', ({ message }: Error) => {
    const open = saxParser.tags.at(-1)?.name;
    const what = faults.find(([said]) => message.startsWith(said))?.[1](open) ?? 'it is not well-formed';
    end.failure = malformed(document, Math.max(saxParser.position - 1, 0), what);
    // Otherwise the library would continue, and it swallows what is thrown before the end of the root.
    throw end.failure;
  });
  parser.parseString(document);
  if (!end.root || end.failure) throw end.failure ?? malformed(document, document.length, 'there is no element');
  return elementOf(end.root);
}

function elementOf({ '#name': name, $: attributes = {}, $$: inside = [] }: Node): XmlElement {
  const children = inside.filter((node) => node['#name'].startsWith('<')).map(elementOf);
  const text = children.length > 0 ? '' : inside.map(({ _: one = '' }) => one).join('');
  return { name: name.slice(1), attributes: new Map(Object.entries(attributes)), children, text };
}
