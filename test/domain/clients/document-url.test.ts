/** Which addresses can be a client's identifier. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentSettings } from '../../../src/domain/accounts/document-hosts.ts';
import { parseSettings } from '../../../src/domain/accounts/settings.ts';
import { documentUrlFault, isDocumentId, isWelcome } from '../../../src/domain/clients/document-url.ts';

test('an https URL with a path, as URLs are written', () => {
  const good = ['/client.json', '/a/b?version=2', '/~user/%C3%A4', '/.well-known/oauth-client', '/a//b', '/a/.../b'];
  for (const path of good) assert.equal(documentUrlFault(`https://client.example.com${path}`), null, path);
  for (const host of ['a.example:8443', '[2606:4700::1111]', '93.184.215.14', 'xn--bcher-kva.example']) {
    assert.equal(documentUrlFault(`https://${host}/client`), null, host);
  }
});

test('nothing else', () => {
  const long = `https://client.example.com/${'a'.repeat(255 - 27)}`;
  assert.equal(documentUrlFault(long), null);
  const refused = {
    [`${long}a`]: /255/,
    'https://client.example.com/a#b': /fragment/,
    'https://client.example.com/a#': /fragment/,
    'https://client.example.com/': /path/,
    'https://client.example.com': /written/,
    'https://client.example.com?a': /written/,
    'https://user@client.example.com/a': /user part/,
    'https://user:secret@client.example.com/a': /user part/,
    'https://@client.example.com/a': /user part/,
    'https://client.example.com/a/../b': /written/,
    'https://client.example.com/./a': /written/,
    'https://client.example.com/a/..': /written/,
    'https://client.example.com/a/%2e%2E/b': /written/,
    'https://client.example.com/%2e/b': /written/,
    'https://client.example.com\\a': /written/,
    'https://CLIENT.example.com/a': /written/,
    'https://client.example.com:443/a': /written/,
    'https://client.example.com:/a': /written/,
    'https:///client.example.com/a': /written/,
    'https://127.1/a': /written/,
    'https://0x7f000001/a': /written/,
    'https://client.example.com/a b': /https URL/,
    'https://client.example.com/ä': /https URL/,
    'https://client.example.com/a\n': /https URL/,
    'https://': /https URL/,
    'http://client.example.com/a': /https URL/,
    'HTTPS://client.example.com/a': /written/,
    'javascript:alert(1)': /https URL/,
  };
  for (const [url, fault] of Object.entries(refused)) assert.match(documentUrlFault(url) ?? '', fault, url);
});

test('an identifier of a registered client is none, however it looks', () => {
  for (const id of ['0f'.repeat(16), 'https:', 'http://client.example.com/a', 'HTTPS://client.example.com/a', '']) {
    assert.equal(isDocumentId(id), false, id);
  }
  assert.equal(isDocumentId('https://client.example.com/a'), true);
});

test('the setting: off, any, or hosts as URLs have them', () => {
  assert.equal(documentSettings.client_id_metadata_documents.fallback, 'off');
  assert.equal(documentSettings.client_id_metadata_documents.parse('off'), 'off');
  assert.equal(documentSettings.client_id_metadata_documents.parse('any'), 'any');
  assert.deepEqual(documentSettings.client_id_metadata_documents.parse('a.example, b.example:8443'), [
    'a.example',
    'b.example:8443',
  ]);
  const wrong = [',', 'A.example', 'https://a.example', 'a.example/', 'a.example:443', '*.example', 'u@a.example'];
  for (const text of [...wrong, 'a.example?', 'a.example#', 'a b', 'any,off', 'any,a.example', '127.1']) {
    assert.equal(documentSettings.client_id_metadata_documents.parse(text), undefined, text);
  }
});

test('a host is welcome as the account says, with its port; registered clients always are', () => {
  const welcomes = (setting: string, clientId: string) =>
    isWelcome({ settings: parseSettings(setting === '' ? {} : { client_id_metadata_documents: setting }) }, clientId);
  const [here, there] = ['https://a.example/client', 'https://a.example:8443/client'];
  assert.deepEqual([welcomes('', here), welcomes('off', here), welcomes('any', here)], [false, false, true]);
  assert.deepEqual([welcomes('a.example', here), welcomes('a.example', there)], [true, false]);
  assert.deepEqual([welcomes('b.example,a.example:8443', here), welcomes('a.example:8443', there)], [false, true]);
  assert.equal(welcomes('a.example', 'https://a.example.evil.example/client'), false);
  assert.equal(welcomes('a.example', 'https://sub.a.example/client'), false);
  assert.equal(welcomes('off', '0f'.repeat(16)), true);
});
