/** Bodies by the contract: the value of a document, and how an answer is written. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readXml, writeXml } from '../../src/http/xml.ts';
import { xmlRulesReader } from '../../src/http/xml-rules.ts';
import { readSeed } from '../properties/seed.ts';
import { anyText } from '../properties/text.ts';
import { runsOf } from '../support/sample.ts';
import { readXmlAnswer } from '../support/xml-answer.ts';

const User = {
  type: 'object',
  xml: { name: 'user' },
  properties: {
    'created-at': { type: 'string', format: 'date-time', readOnly: true },
    email: { type: ['string', 'null'] },
    'group-id': { type: ['integer', 'null'] },
    note: { type: 'string', xml: { name: 'notes' } },
  },
};
const rulesOf = xmlRulesReader({ components: { schemas: { User } } });
const user = rulesOf({ $ref: '#/components/schemas/User' });
const users = rulesOf({ type: 'array', xml: { name: 'users' }, items: { $ref: '#/components/schemas/User' } });
const errors = rulesOf({ type: 'array', xml: { name: 'errors' }, items: { type: 'string', xml: { name: 'error' } } });

const read = (inside: string) => readXml(Buffer.from(`<user>${inside}</user>`), user);

function refuses(inside: string, code: string, message: RegExp): void {
  assert.throws(
    () => read(inside),
    (failure: { code?: string; message: string }) => {
      assert.equal(failure.code, code, inside);
      assert.match(failure.message, message);
      return true;
    },
  );
}

describe('reading bodies', () => {
  it('reads texts, integers, nil and empty elements by the contract', () => {
    const given = '<email type="string">a@b.c</email><group-id type="integer">\n 7 </group-id><notes/>';
    assert.deepEqual(read(given), { email: 'a@b.c', 'group-id': 7, note: '' });
    assert.deepEqual(read('<email nil="true"/><group-id nil="true" type="x"></group-id>'), {
      email: null,
      'group-id': null,
    });
    assert.deepEqual(read('<group-id/><email nil="false"> x </email>'), { 'group-id': null, email: ' x ' });
    assert.deepEqual(read(''), {});
  });

  it('ignores members that cannot be changed', () => {
    assert.deepEqual(read('<created-at a="b" nil="maybe"><deep>x</deep></created-at><email>x</email>'), { email: 'x' });
  });

  it('X3: accepts each known element once, as one text', () => {
    refuses('<email>a</email><email>b</email>', 'parameter_repeated', /email must not be repeated/);
    refuses('<created-at/><created-at/>', 'parameter_repeated', /created-at must not be repeated/);
    refuses('<email><b>x</b></email>', 'value_invalid', /email must contain text only/);
    for (const name of ['is-admin', '__proto__', 'constructor', 'toString', 'note', 'Email', 'password']) {
      refuses(`<${name}>x</${name}>`, 'value_invalid', new RegExp(`unknown element in user: ${name}`));
    }
    assert.equal(({} as { polluted?: string }).polluted, undefined);
    refuses('<email id="1">x</email>', 'value_invalid', /attribute other than type and nil/);
    refuses('<email nil="yes"/>', 'value_invalid', /must be true or false/);
    refuses('<email nil="true">x</email>', 'value_invalid', /must not have text when nil is true/);
    for (const number of ['x', '1.5', '0x1', '1e3', '12345678901', '１', '1 2', '+1', `1${'\t'.repeat(100_000)}1`]) {
      refuses(`<group-id>${number}</group-id>`, 'value_invalid', /group-id must be an integer/);
    }
  });

  it("requires the contract's root element, with elements in it", () => {
    const whole = (document: string) => () => readXml(Buffer.from(document), user);
    assert.throws(whole('<users/>'), { code: 'value_invalid', message: 'the root element must be user' });
    assert.throws(whole('<user>x</user>'), { code: 'value_invalid', message: 'user must contain elements' });
    assert.throws(whole('<user nil="true"/>'), { code: 'value_invalid' });
    assert.deepEqual(whole('<user type="user"/>')(), {});
    assert.throws(whole(''), { code: 'request_malformed' });
    assert.throws(() => readXml(Buffer.from([0x3c, 0x61, 0xff]), user), { message: 'the body is not UTF-8' });
    for (const encoding of ['utf16le', 'latin1'] as const) {
      const bytes = Buffer.from('\ufeff<user><email>é</email></user>', encoding);
      assert.throws(() => readXml(bytes, user), { code: 'request_malformed' }, encoding);
    }
  });
});

describe('writing bodies', () => {
  it('writes declaration, indentation, types and nil', () => {
    const shown = { 'created-at': '2026-11-21T10:00:00.000+00:00', email: null, 'group-id': null, note: 'a & b' };
    const lines = [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<users type="array">',
      '  <user>',
      '    <created-at type="datetime">2026-11-21T10:00:00.000+00:00</created-at>',
      '    <email nil="true"/>',
      '    <group-id type="integer" nil="true"/>',
      '    <notes>a &amp; b</notes>',
      '  </user>',
      '</users>',
    ];
    assert.equal(writeXml([shown], users), lines.join('\n'));
    assert.equal(writeXml([], users), `${lines[0]}\n<users type="array"/>`);
    assert.equal(writeXml(['x'], errors), `${lines[0]}\n<errors>\n  <error>x</error>\n</errors>`);
  });

  it('X5: only texts and numbers become nodes', () => {
    for (const value of [{ $: { admin: 'true' } }, { _: 'x' }, ['x'], true, 1.5, Number.NaN, undefined, () => 'x']) {
      assert.throws(() => writeXml({ 'created-at': 'x', email: value, 'group-id': 1, note: '' }, user), {
        code: 'internal',
      });
    }
  });

  it('X4, X5: every text that may be stored reads back unchanged, by us and by clients', (t) => {
    const seed = readSeed();
    const hostile = fc.constantFrom(
      ']]>',
      '&amp;',
      '&',
      '<',
      '</notes>',
      '<!--',
      '<![CDATA[',
      '"',
      "'",
      '\r',
      '\r\n',
      '\n',
    );
    const piece = fc.oneof({ weight: 3, arbitrary: anyText({ minLength: 0, maxLength: 12 }) }, hostile);
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => `x${pieces.join('')}x`);
    fc.assert(
      fc.property(text, (note) => {
        const document = writeXml({ 'created-at': 'x', email: null, 'group-id': 7, note }, user);
        assert.deepEqual(readXml(Buffer.from(document), user), { email: null, 'group-id': 7, note });
        assert.deepEqual(readXmlAnswer(document), { 'created-at': 'x', email: null, 'group-id': 7, notes: note });
      }),
      { seed, numRuns: runsOf(5_000) },
    );
    t.diagnostic(`PROPERTY_SEED=${seed}`);
  });
});

describe('contracts without XML of their own', () => {
  it('are refused at the start', () => {
    assert.throws(() => rulesOf({ type: 'object' }), /does not name its element/);
    assert.throws(
      () => rulesOf({ type: 'object', xml: { name: 'a' }, properties: { b: { type: 'boolean' } } }),
      /boolean/,
    );
  });
});
