/** What the worst documents cost. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseXml } from '../../src/http/xml-tree.ts';

/** What the worst documents of 128 KB are, by what they are made of. */
const bombs: Readonly<Record<string, string>> = {
  'entity declarations': `<!DOCTYPE a [${'<!ENTITY b "&c;&c;">'.repeat(6_000)}]><a>&b;</a>`,
  'elements in elements': '<a>'.repeat(43_000),
  'elements side by side': `<r>${'<a/>'.repeat(32_000)}</r>`,
  attributes: `<a ${Array.from({ length: 12_000 }, (_, at) => `b${at}="1"`).join(' ')}/>`,
  'white space in a tag': `<a${' '.repeat(130_000)}`,
  'white space before an attribute': `<a${' b = "1"'.repeat(16_000)}${' '.repeat(2_000)}!`,
  references: `<a>${'&amp;'.repeat(26_000)}`,
  'ampersands without a reference': `<a>${'&'.repeat(130_000)}</a>`,
  'sections of one text': `<a>${'<![CDATA[x]]>'.repeat(10_000)}</a>`,
  'comments between elements': `<a>${'<!---->'.repeat(18_000)}<b/></a>`,
  'the start of a comment, again and again': `<a>${'<!--'.repeat(32_000)}`,
  'brackets in a text': `<a>${']'.repeat(130_000)}`,
  'one text': `<a>${'x'.repeat(130_000)}</a>`,
  'one section': `<a><![CDATA[${']'.repeat(130_000)}]]></a>`,
  'one comment': `<!--${'- '.repeat(65_000)}--><a/>`,
  'white space in an element': `<a>${' '.repeat(130_000)}</a>`,
  'references that are read': `<a>${'&amp;'.repeat(26_000)}</a>`,
  'references to characters that are read': `<a>${'&#65;'.repeat(26_000)}</a>`,
  'references to characters that are not allowed': `<a>${'&#0;'.repeat(32_000)}</a>`,
  'as much as is read': `<r>${`<a${Array.from({ length: 8 }, (_, at) => ` b${at}="${'x'.repeat(20)}"`).join('')}>x&lt;</a>`.repeat(499)}</r>`,
  'closing tags': '</a>'.repeat(32_000),
  'a long name of a closing tag': `<a></${'a'.repeat(130_000)}>`,
  'ends of line': `<a>${'\r'.repeat(130_000)}&</a>`,
  'a long name': `<${'a'.repeat(130_000)}`,
  'compressed bytes': gzipSync(Buffer.alloc(1_000_000)).toString('latin1'),
};

describe('X1, X2: the cost of the worst documents', () => {
  for (const [what, document] of Object.entries(bombs)) {
    it(`${what}: less than 50 ms of the processor and 32 MB`, (t) => {
      let [most, least] = [0, Number.POSITIVE_INFINITY];
      const heapBefore = process.memoryUsage().heapUsed;
      for (let round = 0; round < 5; round += 1) {
        const before = process.threadCpuUsage();
        try {
          parseXml(document);
        } catch (error) {
          const { code, message } = error as { code?: string; message: string };
          assert.equal(code, 'request_malformed');
          assert.ok(message.length < 200, message);
        }
        const { user, system } = process.threadCpuUsage(before);
        const took = (user + system) / 1000;
        [most, least] = [Math.max(most, took), Math.min(least, took)];
      }
      const grown = (process.memoryUsage().heapUsed - heapBefore) / 2 ** 20;
      t.diagnostic(
        `${document.length} characters: ${least.toFixed(2)} to ${most.toFixed(2)} ms, heap ${grown.toFixed(1)} MB`,
      );
      // Time of the processor, and the least of five: the machine may be busy with something else.
      assert.ok(least < 50, `${least} ms`);
      assert.ok(grown < 32, `${grown} MB`);
    });
  }
});
