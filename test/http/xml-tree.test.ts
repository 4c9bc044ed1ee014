/** Documents that are read, and those that are refused. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseXml } from '../../src/http/xml-tree.ts';

const declared = '<?xml version="1.0" encoding="UTF-8"?>\n';

function refuses(document: string, message: RegExp): void {
  assert.throws(
    () => parseXml(document),
    ({ code, message: said }: { code?: string; message: string }) => {
      assert.equal(code, 'request_malformed', said);
      assert.match(said, /^the body is not valid XML at line \d+, column \d+: /);
      assert.match(said, message);
      return true;
    },
    JSON.stringify(document.slice(0, 100)),
  );
}

const text = (document: string) => parseXml(document).text;

describe('reading XML', () => {
  it('reads elements, attributes, text, references and one CDATA section', () => {
    const root = parseXml(`${declared}<!-- c --><user type='x' nil = "false">\r\n  <email>a&amp;&#98;&#x1F600;</email>
      <!-- between -->
      <notes ><![CDATA[<b>&amp;]]></notes ><phone/>\t</user>\n<!-- end -->\n`);
    assert.deepEqual(
      [root.name, [...root.attributes], root.text],
      [
        'user',
        [
          ['type', 'x'],
          ['nil', 'false'],
        ],
        '',
      ],
    );
    const children = root.children.map(({ name, text: one }) => [name, one]);
    assert.deepEqual(children, [
      ['email', 'a&b😀'],
      ['notes', '<b>&amp;'],
      ['phone', ''],
    ]);
  });

  it('reads all ends of line as line feeds (XML 1.0 §2.11), and a byte order mark as nothing', () => {
    assert.equal(text('\ufeff<a>\r\n\r\n\r&#13;</a>'), '\n\n\n\r');
    assert.equal(text('<a>  kept  </a>'), '  kept  ');
  });

  it('reports line and column of the error', () => {
    refuses('<user>\n  <a>é&nbsp;</a>\n</user>', /line 2, column 7: an unknown reference/);
  });

  it('X1: refuses a DOCTYPE before parsing, wherever it stands', () => {
    for (const doctype of ['<!DOCTYPE a>', '<!doctype a>', '<!DoCtYpE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>']) {
      for (const document of [`${doctype}<a/>`, `${declared}${doctype}<a>&x;</a>`, `<a><![CDATA[${doctype}]]></a>`]) {
        refuses(document, /a DOCTYPE is not allowed/);
      }
    }
    refuses('<a><!ENTITY x "y"></a>', /only elements, text and comments/);
    refuses('<a>&x;</a>', /an unknown reference/);
    refuses('<xi:include href="file:///etc/passwd"/>', /prefixes/);
  });

  it('X1: accepts only XML 1.0 in UTF-8', () => {
    for (const encoding of ['UTF-16', 'utf-7', 'ISO-8859-1', 'US-ASCII', 'UTF-8 ', '']) {
      refuses(`<?xml version="1.0" encoding="${encoding}"?><a/>`, /declaration/);
    }
    refuses('<?xml version="1.1"?><a/>', /declaration/);
    refuses('<?xml encoding="UTF-8"?><a/>', /declaration/);
    refuses('<?xml version="1.0"', /declaration/);
    refuses('+ADw-a/+AD4-', /outside/);
    refuses(Buffer.from('<a/>', 'utf16le').toString('latin1'), /a character that is not allowed/);
    assert.equal(text("<?xml version='1.0' encoding='utf-8' standalone='yes' ?><a>x</a>"), 'x');
  });

  it('X3: refuses text in pieces, two roots, trailing junk, namespaces, nothing', () => {
    refuses('<email>admin@x.com<!-- -->.evil.com</email>', /a comment/);
    refuses('<email>a<![CDATA[b]]></email>', /several pieces/);
    refuses('<email><![CDATA[a]]><![CDATA[b]]></email>', /several pieces/);
    refuses('<email> <![CDATA[b]]></email>', /several pieces/);
    refuses('<email><!-- --></email>', /a comment/);
    refuses('<user>x<a/></user>', /text next to elements/);
    refuses('<user><a/><![CDATA[ ]]></user>', /text next to elements/);
    refuses('<a/><b/>', /follows the root/);
    refuses('<a/>x', /follows the root/);
    refuses('<a/>\0', /a character/);
    refuses('<a xmlns="urn:x"/>', /namespaces/);
    refuses('<a xmlns:x="urn:x"/>', /not well-formed/);
    refuses('<x:a/>', /prefixes/);
    refuses('', /no element/);
    refuses(' \n', /no element/);
    refuses('x', /outside/);
  });

  it('refuses what is not well-formed', () => {
    for (const document of [
      ...[
        '<a>',
        '<a',
        '<a></b>',
        '<a></a',
        '</a>',
        '<>',
        '< a/>',
        '<a/ >',
        '<1/>',
        '<é/>',
        '<a><b></a></b>',
        '<a>]]></a>',
      ],
      ...['<a b/>', '<a b=c/>', '<a b="c/>', '<a b="<"/>', '<a b="&amp;"/>', '<a b="1"c="2"/>', '<a b="1" b="1"/>'],
      ...[
        '<a>&</a>',
        '<a>&amp</a>',
        '<a>&#;</a>',
        '<a>&#x;</a>',
        '<a>&#x110000;</a>',
        '<a>&#0;</a>',
        '<a>&#xD800;</a>',
      ],
      ...['<a>&#x1F;</a>', '<a>\u0001</a>', '<a>\ufffe</a>', '<a>&#xFFFF;</a>', '<a>&#99999999;</a>', '<a>&AMP;</a>'],
      ...['<!-- -- --><a/>', '<!-- <a/>', '<a><![CDATA[x</a>', '<a><![cdata[x]]></a>', '<?pi?><a/>', '<a><?pi x?></a>'],
      ...[' <?xml version="1.0"?><a/>', '<a/><?xml version="1.0"?>', '\u00a0<a/>', '<a\u00a0b="1"/>'],
    ]) {
      refuses(document, /./);
    }
  });

  it('limits depth, elements, attributes and names', () => {
    const nested = (depth: number) => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;
    assert.ok(parseXml(nested(16)));
    refuses(nested(17), /deeper than 16/);
    const siblings = (count: number) => `<r>${'<a/>'.repeat(count)}</r>`;
    assert.equal(parseXml(siblings(499)).children.length, 499);
    refuses(siblings(500), /more than 500 elements/);
    const attributes = (count: number) => `<a${Array.from({ length: count }, (_, at) => ` b${at}="1"`).join('')}/>`;
    assert.equal(parseXml(attributes(8)).attributes.size, 8);
    refuses(attributes(9), /more than 8 attributes/);
    refuses(`<a b="${'x'.repeat(101)}"/>`, /100 characters/);
    refuses(`<${'a'.repeat(101)}/>`, /100 characters/);
  });

  it('X3: JavaScript names have no special meaning', () => {
    const { children } = parseXml('<__proto__ constructor="x"><__proto__>1</__proto__><toString/></__proto__>');
    assert.deepEqual(
      children.map(({ name }) => name),
      ['__proto__', 'toString'],
    );
    assert.equal(({} as { text?: string }).text, undefined);
  });
});
