import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldIdentifier, readEmail, readUsername } from '../../../src/domain/users/identifiers.ts';
import { thrownBy } from '../subject.ts';

test('twins are one identity', () => {
  for (const [one, other] of [
    ['Ada@Example.com', 'ada@example.COM'],
    ['ａｄａ@example.com', 'ada@example.com'],
    ['zoe\u0308', 'zoë'],
    ['STRASSE', 'straße'],
    ['ΣΟΦΟΣ', 'σοφος'],
    ['ﬁnn', 'finn'],
    ['\u212Aim', 'kim'],
    ['a\u00A0b', 'a b'],
  ] as const) {
    assert.equal(foldIdentifier(one), foldIdentifier(other), one);
  }
});

test('different names stay different', () => {
  for (const [one, other] of [
    ['ada+1@example.com', 'ada@example.com'],
    ['a.da@example.com', 'ada@example.com'],
    ['zoe', 'zoë'],
  ] as const) {
    assert.notEqual(foldIdentifier(one), foldIdentifier(other));
  }
});

test('invisible characters are not part of a name', () => {
  for (const hidden of [
    '\u0000',
    '\t',
    '\n',
    '\u200B',
    '\u200D',
    '\u202E',
    '\u2066',
    '\uFEFF',
    '\u00AD',
    '\u034F',
    '\u3164',
    '\uD800',
    '\u0378',
  ]) {
    assert.equal(foldIdentifier(`a${hidden}da`), null);
    assert.equal(
      thrownBy(() => readUsername(`a${hidden}da`)),
      'value_invalid username',
    );
    assert.equal(
      thrownBy(() => readEmail(`a${hidden}da@example.com`)),
      'value_invalid email',
    );
  }
});

test('an e-mail address has one form', () => {
  for (const good of ["o'brien+tag@mail.example.com", 'a@b.cd', 'A_1@localhost', `${'x'.repeat(64)}@example.com`]) {
    assert.equal(readEmail(good).text, good);
  }
  for (const bad of [
    '',
    'ada',
    '@example.com',
    'ada@',
    'a@b@c.de',
    ' ada@example.com',
    'ada@example.com ',
    'ada@example.com.',
    'ada.@example.com',
    '.ada@example.com',
    'a..da@example.com',
    'ada@-example.com',
    'ada@example..com',
    '"a b"@example.com',
    'ada@exa mple.com',
    'аda@example.com',
    'ada@exämple.com',
    'ada@[127.0.0.1]',
    'a<b@example.com',
    `${'x'.repeat(65)}@example.com`,
    `ada@${'x.'.repeat(130)}com`,
  ]) {
    assert.equal(
      thrownBy(() => readEmail(bad)),
      'value_invalid email',
      bad,
    );
  }
});

test('a user name may use any script, but must not look like another name', () => {
  for (const good of [
    'ada',
    'Ada Lovelace',
    '王伟',
    'さくら-sakura',
    'müller',
    'Дмитрий',
    'Ελένη',
    '유나',
    'عمر',
    'x'.repeat(254),
  ]) {
    assert.equal(readUsername(good).text, good);
  }
  for (const bad of ['аda', 'раураӏ', 'αda', 'ορ', ' ada', 'ada ', 'ada.', '.ada', 'a  b', '', 'x'.repeat(255)]) {
    assert.equal(
      thrownBy(() => readUsername(bad)),
      'value_invalid username',
      bad,
    );
  }
});

test('folding takes time linear in the length', () => {
  const start = process.cpuUsage();
  for (const text of ['a'.repeat(1e6), 'a.'.repeat(500), '\u0345'.repeat(1000), 'а1'.repeat(120)]) {
    foldIdentifier(text);
    thrownBy(() => readUsername(text));
    thrownBy(() => readEmail(`${text}@`));
  }
  const { user } = process.cpuUsage(start);
  assert.ok(user < 2_000_000, `${user} µs`);
});
