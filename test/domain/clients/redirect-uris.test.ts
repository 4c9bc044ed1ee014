import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isAnybodysUri,
  isRegisteredUri,
  longestUri,
  redirectUriFault,
} from '../../../src/domain/clients/redirect-uris.ts';
import { readSeed } from '../../properties/seed.ts';
import { runsOf } from '../../support/sample.ts';

const long = `https://app.example.com/${'a'.repeat(longestUri - 'https://app.example.com/'.length)}`;
const everywhere = [
  'https://app.example.com',
  'https://app.example.com/',
  'https://app.example.com/callback?tenant=a%2Fb&x',
  'https://app.example.com:8443/callback',
  'https://xn--bcher-kva.example/callback',
  'https://192.0.2.1/callback',
  'https://[2001:db8::1]/callback',
  'https://app.example.com/a;b/c,d/(e)/~f/!g/$h/@i/:j',
  'http://localhost/callback',
  'http://localhost:3000/callback',
  'http://127.0.0.1:8080/',
  'http://[::1]:8080/',
  long,
];
const nativeOnly = ['com.example.app:/callback', 'com.example.app://callback', 'com.example.app:callback', 'myapp:/'];

test('web: https anywhere, http on loopback hosts; native: those and private-use schemes (RFC 8252 §7)', () => {
  for (const uri of everywhere) {
    assert.equal(redirectUriFault(uri, 'web'), null, uri);
    assert.equal(redirectUriFault(uri, 'native'), null, uri);
  }
  for (const uri of nativeOnly) {
    assert.equal(redirectUriFault(uri, 'native'), null, uri);
    assert.match(redirectUriFault(uri, 'web') ?? '', /must be https/, uri);
  }
});

const nowhere: readonly [uri: string, fault: RegExp][] = [
  ['', /is empty/],
  [`${long}a`, /longer than 2048/],
  ['https://app.example.com/#', /has a fragment/],
  ['https://app.example.com/#x', /has a fragment/],
  ['https://*.example.com/', /has a wildcard/],
  ['https://app.example.com/*', /has a wildcard/],
  ['/callback', /not an absolute URI/],
  ['callback', /not an absolute URI/],
  ['//app.example.com/', /not an absolute URI/],
  ['https://', /not an absolute URI/],
  ['https://app.example.com:99999/', /not an absolute URI/],
  ['HTTPS://app.example.com/', /scheme in lower case/],
  ['Com.Example.App:/cb', /scheme in lower case/],
  ['https://user@app.example.com/', /has a user part/],
  ['https://user:pass@app.example.com/', /has a user part/],
  ['https://@app.example.com/', /has a user part/],
  ['com.example.app://user@x/', /has a user part/],
  ['http://127.0.0.1:1@evil.example/', /has a user part/],
  ['http://app.example.com/', /must be https/],
  ['http://127.0.0.1.evil.example/', /must be https/],
  ['http://localhost.evil.example/', /must be https/],
  ['http://127.0.0.2/', /must be https/],
  ['http://127.1/', /canonical form/],
  ['http://0x7f.1/', /canonical form/],
  ['http://2130706433/', /canonical form/],
  ['http://①27.0.0.1/', /not allowed in a URI/],
  ['https://b\u00fccher.example/', /not allowed in a URI/],
  ['https://app.example.com/ü', /not allowed in a URI/],
  ['https://app.example.com/ x', /not allowed in a URI/],
  ['https://app.example.com/\t', /not allowed in a URI/],
  ['java\nscript:alert(1)', /not allowed in a URI/],
  ['https://evil.example\\@app.example.com/', /not allowed in a URI/],
  ['https:\\\\app.example.com/', /not allowed in a URI/],
  ['https://app.example.com/<script>', /not allowed in a URI/],
  ['https:/app.example.com/', /has no host/],
  ['https:app.example.com', /has no host/],
  ['https:///app.example.com/', /has no host/],
  ['javascript:alert(1)', /no application can claim/],
  ...[
    'ms-msdt',
    'ms-officecmd',
    'ms-its',
    'microsoft-edge',
    'search-ms',
    'search',
    'itms-services',
    'ssh',
    'smb',
    'jnlp',
    'x-apple.settings',
  ].map((scheme): [string, RegExp] => [`${scheme}:/x`, /no application can claim/]),
  ['data:text/html,x', /no application can claim/],
  ['vbscript:x', /no application can claim/],
  ['file:///etc/passwd', /no application can claim/],
  ['blob:https://a.example/1', /no application can claim/],
  ['about:blank', /no application can claim/],
  ['mailto:a@example.com', /user part|no application can claim/],
  ['c:/path', /no application can claim/],
];

test('refused: ambiguous URIs, URIs that execute code, and URIs that no application owns (R3)', () => {
  for (const [uri, fault] of nowhere) {
    assert.match(redirectUriFault(uri, 'native') ?? 'accepted', fault, uri);
    assert.notEqual(redirectUriFault(uri, 'web'), null, uri);
  }
});

test('every accepted URI is absolute and survives parsing unchanged, host and scheme included', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'https://',
      'http://',
      'javascript:',
      '127.0.0.1',
      'localhost',
      'a.example',
      ':',
      '/',
      '?',
      '#',
      '@',
    ),
    fc.constantFrom('\\', '%2e', '..', '\t', '*', '[::1]', ':8080', 'com.example.app:', 'ü', 'A', ';'),
    fc.string({ maxLength: 3 }),
  );
  const texts = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(texts, fc.constantFrom('web' as const, 'native' as const), (text, type) => {
      if (redirectUriFault(text, type) !== null) return;
      const parsed = new URL(text);
      assert.ok(text.startsWith(parsed.protocol));
      assert.equal(parsed.username + parsed.password + parsed.hash, '');
      assert.ok(parsed.protocol !== 'javascript:' && (type === 'native' || /^https?:$/.test(parsed.protocol)));
      if (/^https?:$/.test(parsed.protocol)) assert.ok(text.toLowerCase().includes(`//${parsed.hostname}`), text);
    }),
    { seed: readSeed(), numRuns: runsOf(2_000) },
  );
});

test('a registered URI must match exactly', () => {
  const registered = ['https://app.example.com/cb', 'http://127.0.0.1:8080/cb'];
  for (const uri of registered) assert.equal(isRegisteredUri(registered, uri, 'web'), true);
  for (const uri of [
    'https://app.example.com/cb/',
    'https://APP.example.com/cb',
    'https://app.example.com:443/cb',
    '',
  ]) {
    assert.equal(isRegisteredUri(registered, uri, 'web'), false, uri);
    assert.equal(isRegisteredUri(registered, uri, 'native'), false, uri);
  }
});

test('native applications, and no others, may use any port on loopback (RFC 8252 §7.3)', () => {
  const registered = ['http://127.0.0.1/cb', 'http://[::1]:4000/cb?x=1', 'http://localhost', 'https://127.0.0.1/cb'];
  const free = ['http://127.0.0.1:1/cb', 'http://127.0.0.1:65535/cb', 'http://[::1]/cb?x=1', 'http://localhost:3000'];
  for (const uri of free) {
    assert.equal(isRegisteredUri(registered, uri, 'native'), true, uri);
    assert.equal(isRegisteredUri(registered, uri, 'web'), false, uri);
  }
  for (const uri of [
    'http://127.0.0.1:1/cb/',
    'http://localhost:1/cb',
    'http://[::1]:1/cb',
    'https://127.0.0.1:1/cb',
    'http://127.0.0.1:1@evil.example/cb',
    'http://127.0.0.1:/cb',
    'http://127.0.0.1:123456/cb',
    'http://127.0.0.1.evil.example:1/cb',
    'http://localhost:3000/',
  ]) {
    assert.equal(isRegisteredUri(registered, uri, 'native'), false, uri);
  }
});

test("loopback addresses and private schemes are anybody's; https of another host is not (RFC 8252 §8.6)", () => {
  const loopback = ['https://localhost/cb', 'https://127.0.0.2/cb', 'https://app.localhost/cb', 'https://[::1]/cb'];
  const plain = everywhere.filter((uri) => uri.startsWith('http:'));
  for (const uri of [...nativeOnly, ...plain, ...loopback]) assert.ok(isAnybodysUri(uri), uri);
  for (const uri of [
    ...everywhere.filter((one) => !plain.includes(one)),
    'https://localhost.example.com/cb',
    'https://127.evil.example/cb',
  ]) {
    assert.ok(!isAnybodysUri(uri), uri);
  }
});
