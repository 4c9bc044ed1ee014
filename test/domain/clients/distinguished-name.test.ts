import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { nameOf, readName } from '../../../src/domain/clients/distinguished-name.ts';
import { newCertificate, oid } from '../../support/client-certificates.ts';

const isSame = (subject: Parameters<typeof newCertificate>[0], text: string) => {
  const name = nameOf(new X509Certificate(newCertificate(subject).der).subject);
  return name !== null && name === readName(text);
};

test('a name in a certificate is the same as its text of RFC 4514, however that is escaped', () => {
  const subject = [
    [[oid.c, 'GB']],
    [[oid.o, ' Ex, "A" + B;<x>\\=é\n']],
    [
      [oid.cn, '#a '],
      [oid.uid, 'u'],
    ],
  ] as const;
  for (const text of [
    'CN=\\#a\\ +UID=u,O=\\ Ex\\, \\"A\\" \\+ B\\;\\<x\\>\\\\=é\\0A,C=GB',
    'uid = u + cn = \\#a\\20 , o = \\20Ex\\2C \\22A\\22 \\2b B\\3B\\3cx\\3E\\5C\\3D\\C3\\A9\\0a , c = GB',
    '2.5.4.3=\\23a\\ +0.9.2342.19200300.100.1.1=u,2.5.4.10=\\ Ex\\, \\"A\\" \\+ B\\;\\<x\\>\\\\=é\\0A,2.5.4.6=GB',
  ]) {
    assert.ok(isSame({ subject }, text), text);
  }
});

test('a name that differs in anything is another one', () => {
  const subject = [[[oid.o, 'A']], [[oid.cn, 'a,b']]] as const;
  assert.ok(isSame({ subject }, 'CN=a\\,b,O=A'));
  for (const text of [
    ...['O=A,CN=a\\,b', 'CN=a\\,b', 'CN=A\\,b,O=A', 'CN=a\\,b+O=A', 'OU=a\\,b,O=A', 'CN=a\\,b,O=A,C=GB'],
    ...['CN=a\\,b,O=A\\ ', 'CN=a\\, b,O=A', 'CN=a\\,b,O=A,CN=a\\,b'],
  ]) {
    assert.ok(readName(text), text);
    assert.ok(!isSame({ subject }, text), text);
  }
});

test('what is no name is none, and a certificate may have none', () => {
  for (const text of [
    '',
    'a',
    'CN=a,',
    ',CN=a',
    'CN=a,b',
    'CN=a\\',
    'CN=a"b',
    'CN=\\ff',
    'CN=#0c0161',
    '=a',
    'CN=a;O=b',
  ]) {
    assert.equal(readName(text), null, text);
  }
  assert.equal(nameOf(new X509Certificate(newCertificate({ subject: [] }).der).subject), null);
});

test('types that OpenSSL tells apart by case alone are two', () => {
  const identifier = '0.9.2342.19200300.100.1.44';
  const subject = [[[identifier, 'payroll']]] as const;
  assert.ok(isSame({ subject }, `${identifier}=payroll`));
  assert.ok(!isSame({ subject }, 'UID=payroll'));
  assert.ok(isSame({ subject: [[[oid.uid, 'payroll']]] }, 'uid=payroll'));
});
