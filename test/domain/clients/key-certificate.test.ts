import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateIn } from '../../../src/domain/clients/key-certificate.ts';
import { newCertificate } from '../../support/client-certificates.ts';

const { der, jwk } = newCertificate();
const key = { kty: 'EC', crv: 'P-256', x: String(jwk['x']), y: String(jwk['y']) };

test('the certificate of a key is kept, and none of another key', () => {
  assert.equal(certificateIn(jwk['x5c'], key), der.toString('base64'));
  assert.equal(certificateIn(newCertificate().jwk['x5c'], key), null);
});

test('a certificate whose public key cannot be read is that of no key', () => {
  const curve = Buffer.from('06082a8648ce3d030107', 'hex');
  const at = der.indexOf(curve) + curve.length - 1;
  const odd = Buffer.from(der);
  odd[at] = 0x7f;
  assert.equal(certificateIn([odd.toString('base64')], key), null);
  assert.equal(certificateIn(jwk['x5c'], { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }), null);
});
