import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findRepeatedName, isUtf8Form } from '../../src/http/encoding.ts';

describe('duplicate names in a JSON object', () => {
  const cases: readonly (readonly [text: string, repeated: string | null])[] = [
    ['{}', null],
    ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', null],
    ['{"a":1,"b":2,"a":3}', 'a'],
    ['{"a":{"b":1,"b":2}}', 'b'],
    ['[{"a":1},{"a":1,"a":2}]', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"a" : 1 , "a"\n: 2}', 'a'],
    ['{"":1,"":2}', ''],
    ['{"a":"\\"b\\":1,","b":"{[\\\\"}', null],
    ['{"a":["b","b"],"b":"a"}', null],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ];
  for (const [text, repeated] of cases) {
    it(`${text}: ${repeated === null ? 'none' : JSON.stringify(repeated)}`, () => {
      JSON.parse(text);
      assert.equal(findRepeatedName(text), repeated);
    });
  }
});

describe('percent-encoded bytes', () => {
  for (const text of ['', 'a=b&c=%20+', 'a=%C3%A9', 'a=%f0%9f%98%80', 'a=%zz%', 'a=\u00c3\u00a9']) {
    it(`${text || 'nothing'} is UTF-8`, () => assert.ok(isUtf8Form(text)));
  }
  for (const text of ['a=%FF', 'a=%C3', 'a=%C0%AF', 'a=%ED%A0%80', 'a=%F4%90%80%80', '%80=a', 'a=\u00e9']) {
    it(`${text} is not UTF-8`, () => assert.ok(!isUtf8Form(text)));
  }
});
