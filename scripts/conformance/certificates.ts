/** The certificates with which the suite's two clients call the service, as its configurations contain them. */

import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'jose';
import { makeCertificate, oid, type Pair, pemOfCertificate } from './certificate.ts';

export interface SuiteCertificate {
  /** The members `mtls` and `mtls2` of a configuration, as PEM. */
  readonly member: { readonly cert: string; readonly key: string; readonly ca: string };
  /** Its public key with `x5c`, as a client registers it. */
  readonly jwk: JWK;
}

const days = 24 * 3_600_000;

/**
 * One for each client, of an authority that signs nothing else. RSA, because the suite has not always read other keys.
 * Any proxy lets them through that does not ask who signed them (`mutual_tls=any`).
 */
export async function makeCertificates(now: number): Promise<SuiteCertificate[]> {
  const span = { from: new Date(now - days), until: new Date(now + 365 * days) };
  const [authority, ...pairs] = await Promise.all([newPair(), newPair(), newPair()]);
  const authorityNaming = { subject: [[[oid.cn, 'Conformance suite, certificates']]] } as const;
  const ca = pemOfCertificate(makeCertificate(authority, authorityNaming, span, { isAuthority: true }));
  const signer = { naming: authorityNaming, privateKey: authority.privateKey };
  return pairs.map((pair, index) => {
    const naming = { subject: [[[oid.cn, `Conformance suite, client ${index + 1}`]]] } as const;
    const der = makeCertificate(pair, naming, span, { signer });
    const key = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const jwk = { ...publicJwk(pair.publicKey), kid: `certificate ${index + 1}`, x5c: [der.toString('base64')] };
    return { member: { cert: pemOfCertificate(der), key, ca }, jwk };
  });
}

function newPair(): Promise<Pair> {
  return promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
}

function publicJwk(key: KeyObject): JWK {
  return key.export({ format: 'jwk' }) as JWK;
}
