/** Ours beside another reader of XML: what two readers read differently is a hole in one of them. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseStringPromise } from 'xml2js';
import { parseXml, type XmlElement } from '../../src/http/xml-tree.ts';
import { readSeed } from '../properties/seed.ts';

/** What another reader finds, in the form of ours. */
async function byAnother(document: string): Promise<XmlElement> {
  interface Node {
    readonly '#name': string;
    readonly $?: Readonly<Record<string, string>>;
    readonly _?: string;
    readonly $$?: readonly Node[];
  }
  const options = { explicitChildren: true, preserveChildrenOrder: true, explicitRoot: false, includeWhiteChars: true };
  const root: Node = await parseStringPromise(document, { ...options, strict: true });
  const convert = (node: Node): XmlElement => {
    const children = (node.$$ ?? []).map(convert);
    const attributes = new Map(Object.entries(node.$ ?? {}));
    return { name: node['#name'], attributes, children, text: children.length > 0 ? '' : (node._ ?? '') };
  };
  return convert(root);
}

/** The other reader drops a text of nothing but white space. */
function withoutBlanks({ text, children, ...element }: XmlElement): XmlElement {
  return { ...element, children: children.map(withoutBlanks), text: text.trim() === '' ? '' : text };
}

describe('beside another reader of XML', () => {
  const pieces = [
    ...[
      '<a>',
      '</a>',
      '<b type="x">',
      '</b>',
      '<c/>',
      "<d nil='true' />",
      'x',
      ' ',
      '\n',
      'é😀',
      '&lt;',
      '&#65;',
      '&amp;',
    ],
    ...['<![CDATA[&lt;]]>', '<!-- c -->', ']]>', '&', '<', '>', '"', '<a', '<?x?>', ':', '<!'],
  ];

  it('what is read is read by both alike', async (t) => {
    const seed = readSeed();
    let read = 0;
    const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => `<r>${parts.join('')}</r>`);
    await fc.assert(
      fc.asyncProperty(soup, async (document) => {
        let ours: XmlElement;
        try {
          ours = parseXml(document);
        } catch {
          return;
        }
        read += 1;
        assert.deepEqual(await byAnother(document), withoutBlanks(ours));
      }),
      { seed, numRuns: 20_000 },
    );
    t.diagnostic(`${read} of 20000 documents were read, PROPERTY_SEED=${seed}`);
    assert.ok(read > 500, `only ${read} documents were read`);
  });
});
