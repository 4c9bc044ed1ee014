/** One rule for the sizes of RSA keys, however their numbers are written. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCommonSize } from '../../../src/domain/clients/public-keys.ts';

const common = '10001';
/** A number with this many bits, in hexadecimal digits. */
const bits = (count: number) => ((1n << BigInt(count - 1)) | 1n).toString(16);
const encode = (hex: string) =>
  Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
const key = (n: string, e = common) => ({ kty: 'RSA', n: encode(n), e: encode(e) });

test('2048 to 4096 bits with an exponent of at most 4 bytes are accepted', () => {
  for (const count of [2048, 2049, 3072, 4095, 4096]) assert.equal(hasCommonSize(key(bits(count))), true, `${count}`);
  for (const count of [8, 1024, 2047, 4097, 8192]) assert.equal(hasCommonSize(key(bits(count))), false, `${count}`);
  for (const e of ['3', common, 'ffffffff']) assert.equal(hasCommonSize(key(bits(2048), e)), true, e);
  for (const e of ['100000001', bits(64), bits(2048), bits(3072)])
    assert.equal(hasCommonSize(key(bits(2048), e)), false, e);
});

test('leading zeros are ignored', () => {
  assert.equal(hasCommonSize(key(`00${bits(2048)}`, `0000${common.padStart(6, '0')}`)), true);
  assert.equal(hasCommonSize(key(`0000${bits(2040)}`)), false);
  assert.equal(hasCommonSize(key(`00${bits(4104)}`)), false);
});

test('an invalid number is not a key; keys on a curve are as large as their curve', () => {
  const good = key(bits(2048));
  for (const wrong of ['', '=', 'a b', 'AQ==', 'AA', 'A', undefined, 7 as unknown as string]) {
    assert.equal(hasCommonSize({ ...good, e: wrong as string }), false, String(wrong));
    assert.equal(hasCommonSize({ ...good, n: wrong as string }), false, String(wrong));
  }
  assert.equal(hasCommonSize({ kty: 'RSA' }), false);
  assert.equal(hasCommonSize({ kty: 'EC', crv: 'P-256' }), true);
});
