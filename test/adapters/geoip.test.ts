import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGeoIp } from '../../src/adapters/geoip.ts';
import type { Log } from '../../src/services.ts';

function logOf(warnings: string[]): Log {
  const none = () => {};
  return { debug: none, info: none, warn: (event) => void warnings.push(event), error: none };
}

test('the bundled file maps an address to its country, or to null', async () => {
  const warnings: string[] = [];
  const geoip = createGeoIp(null, logOf(warnings));
  assert.match((await geoip.countryOf('8.8.8.8')) ?? '', /^[A-Z]{2}$/);
  assert.equal(await geoip.countryOf('::ffff:8.8.8.8'), await geoip.countryOf('8.8.8.8'));
  assert.match((await geoip.countryOf('2a00:1450:4001:800::200e')) ?? '', /^[A-Z]{2}$/);
  for (const address of ['127.0.0.1', '10.0.0.1', '::1', 'no address', '']) {
    assert.equal(await geoip.countryOf(address), null, address);
  }
  assert.equal((await geoip.examine()).reason, null);
  assert.deepEqual(warnings, []);
});

test('without a readable file no address has a country, and the log says so once', async () => {
  const warnings: string[] = [];
  const geoip = createGeoIp('/nowhere/GeoLite2-Country.mmdb', logOf(warnings));
  assert.equal(await geoip.countryOf('8.8.8.8'), null);
  assert.equal(await geoip.countryOf('8.8.8.8'), null);
  const file = '/nowhere/GeoLite2-Country.mmdb';
  assert.deepEqual(await geoip.examine(), { file, reason: 'no such file' });
  assert.deepEqual(warnings, ['no location']);
});
