import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { printableJson, printableText, printableValue } from '../../src/adapters/printable.ts';
import { fields, table } from '../../src/cli/output.ts';
import { readSeed } from '../properties/seed.ts';

const seed = readSeed();

/** What a terminal obeys, or what makes a line read differently from what it is. */
const obeyed = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
const hostile = '\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b31m\u0085\u007f\r\nforged\u202e\u2066\u200f\u2028\ud800\ttab';

test('control characters, line separators and bidi controls are written as escapes', () => {
  assert.equal(
    printableValue(hostile),
    '\\u001b]52;c;ZXZpbA==\\u0007\\u001b[2J\\u009b31m\\u0085\\u007f\\u000d\\u000aforged' +
      '\\u202e\\u2066\\u200f\\u2028\\ud800\ttab',
  );
  assert.equal(printableText('one\ntwo\r\u001b'), 'one\ntwo\\u000d\\u001b');
  assert.equal(printableValue('Ä 😀 عربي'), 'Ä 😀 عربي');
});

test('no text keeps one, and no value starts a line', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, (value) => {
      assert.doesNotMatch(printableValue(value).replaceAll('\t', ''), obeyed);
      assert.doesNotMatch(printableText(value).replace(/[\t\n]/g, ''), obeyed);
    }),
    { seed },
  );
});

test('JSON contains none and reads back unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const written = printableJson(value);
      assert.doesNotMatch(written, obeyed);
      assert.deepEqual(JSON.parse(written), JSON.parse(JSON.stringify(value)));
    }),
    { seed },
  );
  assert.deepEqual(JSON.parse(printableJson({ [hostile]: [hostile] })), { [hostile]: [hostile] });
});

test('tables and members of commands keep a value on its line', () => {
  const lines = table(['name'], [[hostile], ['plain']]).split('\n');
  assert.equal(lines.length, 4);
  assert.ok(lines.every((line) => !obeyed.test(line.replaceAll('\t', ''))));
  const shown = fields({ name: hostile, list: [hostile, 'b'] });
  assert.equal(shown.split('\n').length, 3);
  assert.doesNotMatch(shown.replace(/[\t\n]/g, ''), obeyed);
});
