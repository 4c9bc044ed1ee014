/** X.509 certificates made without another program: RFC 5280 in DER (ITU-T X.690). */

import { type KeyObject, randomBytes, sign } from 'node:crypto';

/** What is in a certificate besides its key. */
export interface Naming {
  /** The parts of the subject's name, the widest first; of a part several attributes, by OID. */
  readonly subject?: readonly (readonly (readonly [oid: string, value: string])[])[];
  readonly email?: readonly string[];
  readonly dns?: readonly string[];
  readonly uri?: readonly string[];
  /** IPv4 addresses. */
  readonly ip?: readonly string[];
}

/** OIDs of attributes. */
export const oid = { cn: '2.5.4.3', c: '2.5.4.6', o: '2.5.4.10', ou: '2.5.4.11', uid: '0.9.2342.19200300.100.1.1' };

export interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Who signs a certificate: its own key, or an authority. */
interface Signer {
  readonly naming: Naming;
  readonly privateKey: KeyObject;
}

interface Span {
  readonly from: Date;
  readonly until: Date;
}

/** DER of a certificate of the key. Signed by itself without `signer`; `isAuthority`: it may sign others. */
export function makeCertificate(
  { publicKey, privateKey }: Pair,
  naming: Naming,
  { from, until }: Span,
  { signer, isAuthority = false }: { readonly signer?: Signer; readonly isAuthority?: boolean } = {},
): Buffer {
  const by = signer ?? { naming, privateKey };
  const algorithm = algorithmOf(by.privateKey);
  const extensions = [
    ...(isAuthority ? [extension('2.5.29.19', sequence(der(0x01, Buffer.from([0xff]))))] : []),
    ...alternativesOf(naming),
  ];
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(8)),
    algorithm,
    nameOf(by.naming),
    sequence(time(from), time(until)),
    nameOf(naming),
    publicKey.export({ format: 'der', type: 'spki' }),
    ...(extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []),
  );
  return sequence(body, algorithm, der(0x03, Buffer.from([0]), sign('sha256', body, by.privateKey)));
}

export function pemOfCertificate(bytes: Buffer): string {
  const lines = bytes.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/** RFC 5758 §3.2, RFC 4055 §5. */
function algorithmOf(key: KeyObject): Buffer {
  return key.asymmetricKeyType === 'rsa'
    ? sequence(objectId('1.2.840.113549.1.1.11'), der(0x05))
    : sequence(objectId('1.2.840.10045.4.3.2'));
}

function nameOf({ subject = [[[oid.cn, 'client']]] }: Naming): Buffer {
  return sequence(
    ...subject.map((part) =>
      der(0x31, ...part.map(([type, value]) => sequence(objectId(type), der(0x0c, Buffer.from(value))))),
    ),
  );
}

function alternativesOf({ email = [], dns = [], uri = [], ip = [] }: Naming): Buffer[] {
  const names = [
    ...email.map((text) => der(0x81, Buffer.from(text))),
    ...dns.map((text) => der(0x82, Buffer.from(text))),
    ...uri.map((text) => der(0x86, Buffer.from(text))),
    ...ip.map((text) => der(0x87, Buffer.from(text.split('.').map(Number)))),
  ];
  return names.length > 0 ? [extension('2.5.29.17', sequence(...names))] : [];
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), der(0x04, value));
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return der(0x30, ...contents);
}

/** UTCTime, which says years until 2049. */
function time(date: Date): Buffer {
  return der(0x17, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
}

function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((arc) => {
    const digits = [arc & 127];
    for (let left = arc >> 7; left > 0; left >>= 7) digits.unshift((left & 127) | 128);
    return digits;
  });
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]));
}
