import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClaimForm } from '../../../src/domain/accounts/claims-mapping.ts';
import { readForm } from '../../../src/domain/tokens/claim-forms.ts';

/** Texts that fit each form, which are told as they are, and texts that do not. */
const texts: Readonly<Record<Exclude<ClaimForm, 'boolean'>, readonly [fit: string[], unfit: string[]]>> = {
  text: [
    ['Ada', 'ä', '12 St James’s Square'],
    ['', ' ', '\t'],
  ],
  web_address: [
    ['https://example.com', 'http://example.com/a?b=c#d', 'HTTPS://example.com:8443/', 'https://bücher.example'],
    [
      '',
      'example.com',
      '//example.com',
      'javascript:alert(1)',
      'data:text/html,x',
      'https://',
      'https://a b/',
      'ftp://a/',
    ],
  ],
  date: [
    ['1815-12-10', '0000-02-29', '2000-02-29', '1815', '9999-12-31'],
    ['', '0000', '815', '1815-12', '1815-13-01', '1815-02-30', '1900-02-29', '1815-00-10', '1815-12-1', '10.12.1815'],
  ],
  time_zone: [
    ['Europe/London', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+1'],
    ['', 'Middle-earth/Shire', '+01:00', 'London', 'Europe/'],
  ],
  language: [
    ['en', 'en-GB', 'zh-Hant-TW', 'de-CH-1996'],
    ['', 'en_GB', 'e', 'English language', '*'],
  ],
  phone: [
    ['+442079460000', '+44 20 7946 0000', '+1 (425) 555-1212', '+1.425.555.1212', '+1 604 555 1234;ext=5678'],
    [
      '',
      '020 7946 0000',
      '442079460000',
      '+0442079460000',
      '+123456',
      '+1234567890123456',
      '+44 x',
      '+44 20 7946 0000;ext=',
    ],
  ],
};

for (const [form, [fit, unfit]] of Object.entries(texts)) {
  test(`${form}: a value of its form is told as it is, another is left out (OpenID Connect Core §5.1)`, () => {
    for (const text of fit) assert.equal(readForm(form as ClaimForm, text), text);
    for (const text of unfit) assert.equal(readForm(form as ClaimForm, text), undefined, text);
  });
}

test('boolean: true and false are words', () => {
  assert.deepEqual([readForm('boolean', 'true'), readForm('boolean', 'false')], [true, false]);
  for (const text of ['', 'True', 'yes', '1', '0', 'null']) assert.equal(readForm('boolean', text), undefined, text);
});
