/** Certificates of clients, as the clients or an attacker make them. */

import { generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { makeCertificate, type Naming, pemOfCertificate } from '../../scripts/conformance/certificate.ts';

export { type Naming, oid } from '../../scripts/conformance/certificate.ts';

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

const always = { from: new Date('2020-01-01'), until: new Date('2049-12-31') };

/** A certificate that is signed by its own key: who reads the header sees what names it, whoever signed it. */
export function newCertificate(naming: Naming = {}): TestCertificate {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = makeCertificate(pair, naming, always);
  const base64 = der.toString('base64');
  return {
    der,
    key: pair.privateKey,
    thumbprint: hash('sha256', der, 'base64url'),
    header: { 'client-cert': `:${base64}:` },
    jwk: { ...pair.publicKey.export({ format: 'jwk' }), x5c: [base64] },
  };
}

/** Certificate and key as PEM, for `node:tls`. */
export function pemOf({ der, key }: TestCertificate): { readonly cert: string; readonly key: string } {
  return { cert: pemOfCertificate(der), key: key.export({ format: 'pem', type: 'pkcs8' }).toString() };
}
