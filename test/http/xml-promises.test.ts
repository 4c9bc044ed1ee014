/** What XML libraries do silently: here a document is read verbatim or refused. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseXml, type XmlElement } from '../../src/http/xml-tree.ts';
import { readSeed } from '../properties/seed.ts';
import { anyText } from '../properties/text.ts';
import { runsOf } from '../support/sample.ts';

type Tree = readonly [name: string, attributes: Readonly<Record<string, string>>, inside: string | readonly Tree[]];

function treeOf({ name, attributes, children, text }: XmlElement): Tree {
  return [name, Object.fromEntries(attributes), children.length > 0 ? children.map(treeOf) : text];
}

const read: readonly (readonly [string, Tree])[] = [
  // Order, and duplicates.
  [
    '<r><a>1</a><b/><a>2</a></r>',
    [
      'r',
      {},
      [
        ['a', {}, '1'],
        ['b', {}, ''],
        ['a', {}, '2'],
      ],
    ],
  ],
  // White space, whatever Unicode calls so.
  ['<a> \n\t</a>', ['a', {}, ' \n\t']],
  ['<a>\u00a0\u2003\ufeff</a>', ['a', {}, '\u00a0\u2003\ufeff']],
  ['<a><![CDATA[ ]]></a>', ['a', {}, ' ']],
  ['<a><![CDATA[]]></a>', ['a', {}, '']],
  ['<a b=" x "/>', ['a', { b: ' x ' }, '']],
  // Once resolved, never twice.
  ['<a>&amp;lt;&amp;#65;</a>', ['a', {}, '&lt;&#65;']],
  ['<a><![CDATA[&lt;</a><!---->]]></a>', ['a', {}, '&lt;</a><!---->']],
  ['<a>]]&gt;&#0065;&#x0041;</a>', ['a', {}, ']]>AA']],
  ["<!----><a b='\"' >\n<!-- </a> --><c\n/><!----></a >", ['a', { b: '"' }, [['c', {}, '']]]],
  // What the library calls its own parts, and JavaScript those of every object.
  ...['_', '__text__', 'cdata', 'toString', '__proto__', 'hasOwnProperty', 'script'].flatMap((name) => [
    [`<${name}>x</${name}>`, [name, {}, 'x']] as const,
    [`<r><${name}>x</${name}></r>`, ['r', {}, [[name, {}, 'x']]]] as const,
  ]),
  ['<a constructor="x" toString="y"/>', ['a', { constructor: 'x', toString: 'y' } as unknown as Tree[1], '']],
];

const refused: readonly (readonly [string, string])[] = [
  ['<a>b<!---->c</a>', '1, column 5: text next to elements or a comment'],
  ['<a>\n<!---->\n</a>', '3, column 1: a comment in an element without elements'],
  ['<a>b<![CDATA[]]></a>', '1, column 5: text next to'],
  ['<a><![CDATA[]]>b</a>', '1, column 16: text next to'],
  ['<a><b/>c</a>', '1, column 8: text next to'],
  ['<a><![cdata[x]]></a>', '1, column 4: only elements'],
  ['<a b="1"\n   b="1"/>', '1, column 1: an attribute is repeated'],
  ['<a><b __proto__="1"/></a>', '1, column 4: an attribute __proto__'],
  ['<a hasOwnProperty="1" b="2"/>', '1, column 1: an attribute hasOwnProperty'],
  ['<a b="&lt;"/>', '1, column 1: a tag'],
  ['<a b="1"c="2"/>', '1, column 1: a tag'],
  ['< a/>', '1, column 1: a tag'],
  ['<a></ a>', '1, column 4: a tag'],
  ['</a><a/>', '1, column 1: a tag'],
  ...['&nbsp;', '&AMP;', '&#X41;', '&amp', '&x;'].map(
    (reference) => [`<a>\n😀${reference}</a>`, '2, column 2: an unknown reference'] as const,
  ),
  ...['&#0;', '&#xFFFE;', '&#xD83D;', '&#1114112;'].map(
    (reference) => [`<a>${reference}</a>`, `1, column ${3 + reference.length}: an unknown reference`] as const,
  ),
  ['<a>\n</b>', '2, column 4: the element a is closed by another tag'],
  ['<a><b></a></b>', '1, column 10: the element b is closed by another tag'],
  ['<a><b></b>', '1, column 10: the element a is not closed'],
  ['<a/>\n<b/>', '2, column 1: something follows the root element'],
];

const name = fc.constantFrom('a', 'b', 'user-id', '_', '__text__', 'toString', '__proto__', 'cdata', 'x.y');
/** Letters, white space and all that XML means something by; a carriage return is written as a reference. */
const text = fc.oneof(
  anyText({ minLength: 0, maxLength: 8 }),
  fc.string({ unit: fc.constantFrom(...'<>&\'"]! \n\ra;#') }),
);
const value = fc.string({ unit: fc.constantFrom(..."x>'] é;"), maxLength: 5 });
const attributes = fc.dictionary(fc.constantFrom('type', 'nil', 'constructor', 'b-c'), value, {
  noNullPrototype: true,
});
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.tuple(
    name,
    attributes,
    fc.oneof({ maxDepth: 3 }, text, fc.array(tie('tree') as fc.Arbitrary<Tree>, { minLength: 1, maxLength: 4 })),
  ),
}));
const gap = fc.constantFrom('', ' ', '\n', '<!---->', '\r\n  <!-- <a> -->\t');
const form = fc.record({ gap, space: fc.constantFrom('', ' ', '\n'), section: fc.boolean(), decimal: fc.boolean() });

function written(
  [element, given, inside]: Tree,
  how: { gap: string; space: string; section: boolean; decimal: boolean },
) {
  const reference = (one: string) =>
    how.decimal ? `&#${one.charCodeAt(0)};` : `&#x${one.charCodeAt(0).toString(16)};`;
  const attribute = ([key, one]: [string, string]): string => ` ${how.space}${key}${how.space}=${how.space}"${one}"`;
  let content: string;
  if (typeof inside !== 'string') content = [...inside.map((one): string => written(one, how)), ''].join(how.gap);
  else if (how.section && !/]]>|\r/.test(inside)) content = `<![CDATA[${inside}]]>`;
  else content = inside.replace(/[<>&\r]/g, reference);
  const tag = `<${element}${Object.entries(given).map(attribute).join('')}${how.space}`;
  return content === '' ? `${tag}/>` : `${tag}>${content}</${element}${how.space}>`;
}

describe('documents that are accepted', () => {
  for (const [document, tree] of read) {
    it(`reads ${JSON.stringify(document)}`, () => assert.deepEqual(treeOf(parseXml(document)), tree));
  }

  it('reads every document as its author meant it', (t) => {
    const seed = readSeed();
    fc.assert(
      fc.property(tree, form, (meant, how) => assert.deepEqual(treeOf(parseXml(written(meant, how))), meant)),
      { seed, numRuns: runsOf(5_000) },
    );
    t.diagnostic(`PROPERTY_SEED=${seed}`);
  });
});

describe('documents that are refused, and the position', () => {
  for (const [document, words] of refused) {
    it(`refuses ${JSON.stringify(document)}`, () => {
      assert.throws(
        () => parseXml(document),
        ({ code, message }: { code?: string; message: string }) =>
          code === 'request_malformed' && message.startsWith(`the body is not valid XML at line ${words}`),
      );
    });
  }
});
