import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBasic } from '../../../src/domain/callers/basic.ts';

function header(text: string): string {
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

test('a Basic header is an id, a colon and the rest, both percent-decoded (RFC 6749 §2.3.1)', () => {
  assert.deepEqual(readBasic(header('id:secret')), { id: 'id', secret: 'secret' });
  assert.deepEqual(readBasic(header('id:')), { id: 'id', secret: '' });
  assert.deepEqual(readBasic(header('id:a:b')), { id: 'id', secret: 'a:b' });
  assert.deepEqual(readBasic(header('%69d:%73ecret%2D')), { id: 'id', secret: 'secret-' });
  assert.deepEqual(readBasic(header('id:se_cr-et').replace('Basic', 'bAsIc')), { id: 'id', secret: 'se_cr-et' });
});

test('any other header has no credentials', () => {
  const others = ['', 'Basic', 'Basic ', 'Basic %%', 'Bearer abc', 'Basicabc', header('id'), header(':secret')];
  for (const text of [
    ...others,
    header('id:%zz'),
    header('%:x'),
    header('id:%ff'),
    'Basic YQ==YQ==',
    'Basic aWQ6eA== x',
  ]) {
    assert.equal(readBasic(text), null, text);
  }
});
