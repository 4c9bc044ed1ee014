import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../src/adapters/random.ts';
import { digestOf, matchesDigest, newSecret } from '../../src/domain/secrets.ts';
import { readText } from '../../src/domain/text.ts';
import { thrownBy } from './subject.ts';

test('a secret has 32 random bytes and only letters, digits, hyphen and underscore', () => {
  const secrets = new Set(Array.from({ length: 200 }, () => newSecret(systemRandom, 'cs_')));
  assert.equal(secrets.size, 200);
  for (const secret of secrets) assert.match(secret, /^cs_[A-Za-z0-9_-]{43}$/);
});

test('a digest matches only its secret', () => {
  const digest = digestOf('secret');
  assert.equal(digest.length, 43);
  assert.ok(matchesDigest('secret', digest));
  for (const other of ['Secret', 'secret ', '', digest]) assert.ok(!matchesDigest(other, digest));
  for (const none of [null, '', 'short']) assert.ok(!matchesDigest('secret', none));
});

test('a text must be NFC, without surrounding white space and control characters', () => {
  assert.equal(readText('name', 'Zoe\u0308'), 'Zoë');
  assert.equal(readText('name', '王伟 👩‍🚀'), '王伟 👩‍🚀');
  for (const bad of ['', ' a', 'a\t', 'a\u0000b', 'a\r\nb', 'a\u202Eb', '\uD800', 'x'.repeat(256), '\u2028']) {
    assert.equal(
      thrownBy(() => readText('name', bad)),
      'value_invalid name',
      JSON.stringify(bad),
    );
  }
  assert.equal(readText('name', '👍'.repeat(255)).length, 510);
});
