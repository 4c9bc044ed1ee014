/** Certificates of clients, as the clients or an attacker make them. */

import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';

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

export interface TestCertificate {
  readonly der: Buffer;
  readonly key: KeyObject;
  /** `x5t#S256` */
  readonly thumbprint: string;
  /** What a proxy sends for it (RFC 9440). */
  readonly header: { readonly 'client-cert': string };
  /** Its public key with `x5c`, as a client registers it. */
  readonly jwk: Readonly<Record<string, unknown>>;
}

/** OIDs of attributes. */
export const oid = { cn: '2.5.4.3', c: '2.5.4.6', o: '2.5.4.10', ou: '2.5.4.11', uid: '0.9.2342.19200300.100.1.1' };

/** A certificate that is signed by its own key: who reads the header sees what names it, whoever signed it. */
export function newCertificate({ subject = [[[oid.cn, 'client']]], ...names }: Naming = {}): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectId('1.2.840.10045.4.3.2'));
  const name = sequence(
    ...subject.map((part) =>
      der(0x31, ...part.map(([type, value]) => sequence(objectId(type), der(0x0c, Buffer.from(value))))),
    ),
  );
  const alternatives = [
    ...(names.email ?? []).map((text) => der(0x81, Buffer.from(text))),
    ...(names.dns ?? []).map((text) => der(0x82, Buffer.from(text))),
    ...(names.uri ?? []).map((text) => der(0x86, Buffer.from(text))),
    ...(names.ip ?? []).map((text) => der(0x87, Buffer.from(text.split('.').map(Number)))),
  ];
  const extension = sequence(objectId('2.5.29.17'), der(0x04, sequence(...alternatives)));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time('200101000000Z'), time('491231235959Z')),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    ...(alternatives.length > 0 ? [der(0xa3, sequence(extension))] : []),
  );
  const signature = sign('sha256', body, privateKey);
  const whole = sequence(body, algorithm, der(0x03, Buffer.from([0]), signature));
  const base64 = whole.toString('base64');
  return {
    der: whole,
    key: privateKey,
    thumbprint: hash('sha256', whole, 'base64url'),
    header: { 'client-cert': `:${base64}:` },
    jwk: { ...publicKey.export({ format: 'jwk' }), x5c: [base64] },
  };
}

/** Certificate and key as PEM, for `node:tls`. */
export function pemOf({ der: bytes, key }: TestCertificate): { readonly cert: string; readonly key: string } {
  const lines = bytes.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  const cert = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
  return { cert, key: key.export({ format: 'pem', type: 'pkcs8' }).toString() };
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

function time(text: string): Buffer {
  return der(0x17, Buffer.from(text));
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
