import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { closedInItself, initial, isolated, tileColour, webLink } from '../../src/pages/text.ts';

describe('closedInItself', () => {
  it('keeps closed isolates, drops unmatched closing marks and closes open ones', () => {
    assert.equal(closedInItself('a\u2067b\u2069c'), 'a\u2067b\u2069c');
    assert.equal(closedInItself('\u2069a\u2067b\u2069\u2069c'), 'a\u2067b\u2069c');
    assert.equal(closedInItself('a\u2067b\u2068c'), 'a\u2067b\u2068c\u2069\u2069');
  });

  it('changes nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.equal(closedInItself(text).replaceAll('\u2069', ''), text.replaceAll('\u2069', ''));
        assert.equal(closedInItself(closedInItself(text)), closedInItself(text));
      }),
    );
  });

  it('isolates with one pair around it', () => {
    assert.equal(isolated('a\u2069b'), '\u2068ab\u2069');
  });
});

describe('initial', () => {
  for (const [name, expected] of [
    ['expense desk', 'E'],
    ['  "quoted"', 'Q'],
    ['42', '4'],
    ['\u202Eevil', 'E'],
    ['👩‍👩‍👧 family', '👩‍👩‍👧'],
    ['ßtraße', 'SS'],
    [`a${'\u0301'.repeat(60)}`, '•'],
    ['---', '•'],
    ['', '•'],
  ] as const) {
    it(`of ${JSON.stringify(name.slice(0, 16))} is ${expected}`, () => {
      assert.equal(initial(name), expected);
    });
  }
});

describe('tileColour', () => {
  it('is one of six and always the same for a name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        assert.ok([1, 2, 3, 4, 5, 6].includes(tileColour(name)));
        assert.equal(tileColour(name), tileColour(name));
      }),
    );
  });
});

describe('webLink', () => {
  it('accepts only http and https', () => {
    assert.deepEqual(webLink('https://example.com:8443/a b'), {
      href: 'https://example.com:8443/a%20b',
      host: 'example.com:8443',
    });
    assert.equal(webLink('http://example.com')?.host, 'example.com');
    for (const uri of [
      'javascript:alert(1)',
      ' JAVASCRIPT:alert(1)',
      'data:text/html,x',
      '/path',
      'not a uri',
      '',
      undefined,
    ]) {
      assert.equal(webLink(uri), undefined);
    }
  });
});
