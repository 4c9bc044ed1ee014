import type { Milliseconds } from './time.ts';

/** The algorithm that a key is stored under. */
export type KeyAlgorithm = 'RS256' | 'ES256';

/** The algorithm of a signature: a key of RS256 also makes those of PS256. */
export type SigningAlgorithm = KeyAlgorithm | 'PS256';

/** A key that signs id tokens. Published from `publishedAt`, signs from `signsFrom` until a later key does. */
export interface SigningKeyRecord {
  readonly accountId: number;
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly alg: KeyAlgorithm;
  /** The public JWK as JSON text. */
  readonly publicJwk: string;
  /** PKCS #8 DER, sealed under the account's data key. */
  readonly sealedPrivateKey: string;
  readonly publishedAt: Milliseconds;
  readonly signsFrom: Milliseconds;
  /** When it is withdrawn; null while it is the newest of its algorithm. */
  readonly retiresAt: Milliseconds | null;
}

export interface KeyStore {
  add(key: SigningKeyRecord): Promise<void>;
  /** All keys of the account, oldest `signsFrom` first. */
  list(accountId: number): Promise<SigningKeyRecord[]>;
  /** Sets when a key is withdrawn. */
  retire(accountId: number, kid: string, retiresAt: Milliseconds): Promise<void>;
  /** Removes keys with `retiresAt` at or before `now`; returns how many. */
  removeRetired(accountId: number, now: Milliseconds): Promise<number>;
}
