/**
 * An authenticator in software for tests: what a user has in place of the password. It does as it is told, wrong things
 * too.
 */

import assert from 'node:assert/strict';
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { relyingPartyOf, userHandleOf } from '../../src/domain/passkeys/relying-party.ts';
import { addDevice } from '../../src/domain/second-factor/enrolments.ts';
import type { UserRecord } from '../../src/store/users.ts';
import type { TestApp } from './app.ts';
import { formTo, type Sender, submitTo, type Walk } from './sign-in.ts';

/** What an answer says other than an honest one would. */
export interface Lies {
  readonly type?: string;
  readonly challenge?: string;
  readonly origin?: string;
  readonly crossOrigin?: boolean;
  readonly rpId?: string;
  readonly userVerified?: boolean;
  readonly userPresent?: boolean;
  readonly backupEligible?: boolean;
  readonly counter?: number;
  readonly userHandle?: string | undefined;
  readonly credentialId?: string;
  readonly signature?: string;
  /** The format of the attestation, and its statement as CBOR. */
  readonly attestation?: readonly [format: string, statement: Buffer];
}

interface Options {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string };
  readonly user?: { readonly id: string };
  readonly allowCredentials?: readonly { readonly id: string }[];
  readonly excludeCredentials?: readonly { readonly id: string }[];
}

/** CBOR (RFC 8949) of the types in an attestation. */
const cbor = {
  head(major: number, size: number): Buffer {
    if (size < 24) return Buffer.from([(major << 5) | size]);
    if (size < 256) return Buffer.from([(major << 5) | 24, size]);
    return Buffer.from([(major << 5) | 25, size >> 8, size & 255]);
  },
  number: (value: number) => (value < 0 ? cbor.head(1, -1 - value) : cbor.head(0, value)),
  bytes: (value: Buffer) => Buffer.concat([cbor.head(2, value.length), value]),
  text: (value: string) => Buffer.concat([cbor.head(3, Buffer.byteLength(value)), Buffer.from(value)]),
  map: (pairs: readonly (readonly [Buffer, Buffer])[]) => Buffer.concat([cbor.head(5, pairs.length), ...pairs.flat()]),
};

export const emptyStatement = cbor.map([]);
/** A statement that names a certificate. */
export const certifiedStatement = cbor.map([
  [cbor.text('alg'), cbor.number(-7)],
  [cbor.text('sig'), cbor.bytes(Buffer.alloc(8))],
  [cbor.text('x5c'), Buffer.concat([cbor.head(4, 1), cbor.bytes(Buffer.alloc(8))])],
]);

/** The public key in the form of COSE (RFC 9053 §7.1). */
function coseOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return cbor.map([
    [cbor.number(1), cbor.number(2)],
    [cbor.number(3), cbor.number(-7)],
    [cbor.number(-1), cbor.number(1)],
    [cbor.number(-2), cbor.bytes(Buffer.from(x, 'base64url'))],
    [cbor.number(-3), cbor.bytes(Buffer.from(y, 'base64url'))],
  ]);
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

/** One passkey of a user, on an authenticator that counts. */
export class TestPasskey {
  readonly credentialId = randomBytes(16).toString('base64url');
  readonly #pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;
  readonly #backupEligible: boolean;
  #userHandle = '';
  counter = 0;

  constructor(origin: string, { backupEligible = false } = {}) {
    this.#origin = origin;
    this.#backupEligible = backupEligible;
  }

  get publicKey(): Buffer {
    return coseOf(this.#pair.publicKey);
  }

  /** As if it had been made for the user. */
  belongTo(userHandle: string): void {
    this.#userHandle = userHandle;
  }

  #clientData(type: string, { challenge }: Options, lies: Lies): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? this.#origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    );
  }

  /** Authenticator data (WebAuthn Level 3 §6.1). */
  #data(rpId: string, lies: Lies, attested?: Buffer): Buffer {
    const { userPresent = true, userVerified = true, backupEligible = this.#backupEligible } = lies;
    const flags =
      (userPresent ? 0x01 : 0) | (userVerified ? 0x04 : 0) | (backupEligible ? 0x18 : 0) | (attested ? 0x40 : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(lies.counter ?? this.counter);
    return Buffer.concat([sha256(lies.rpId ?? rpId), Buffer.from([flags]), counter, attested ?? Buffer.alloc(0)]);
  }

  /** Answers `navigator.credentials.create`. */
  create(options: Options, lies: Lies = {}): string {
    this.#userHandle = options.user?.id ?? '';
    const id = Buffer.from(this.credentialId, 'base64url');
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, this.publicKey]);
    const [format, statement] = lies.attestation ?? ['none', emptyStatement];
    const attestation = cbor.map([
      [cbor.text('fmt'), cbor.text(format)],
      [cbor.text('attStmt'), statement],
      [cbor.text('authData'), cbor.bytes(this.#data(options.rp?.id ?? '', lies, attested))],
    ]);
    return this.#answer(lies, {
      clientDataJSON: this.#clientData('webauthn.create', options, lies).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal', 'made-up'],
    });
  }

  /** Answers `navigator.credentials.get`. */
  get(options: Options, lies: Lies = {}): string {
    this.counter += 1;
    const clientData = this.#clientData('webauthn.get', options, lies);
    const data = this.#data(options.rpId ?? '', lies);
    const signature = createSign('sha256')
      .update(Buffer.concat([data, sha256(clientData)]))
      .sign(this.#pair.privateKey, 'base64url');
    return this.#answer(lies, {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: lies.signature ?? signature,
      userHandle: 'userHandle' in lies ? lies.userHandle : this.#userHandle,
    });
  }

  #answer({ credentialId: id = this.credentialId }: Lies, response: object): string {
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }
}

/** What a page asks the browser with for a passkey. */
export function passkeyOptionsOf(html: string): Options {
  const written = /data-passkey="\w+" data-options="([^"]*)"/.exec(html)?.[1];
  assert.ok(written, 'the page asks for no passkey');
  return JSON.parse(written.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'));
}

/** Whether a page asks for a passkey. */
export function asksForPasskey(html: string): boolean {
  return /<form [^>]*data-passkey="get"/.test(html);
}

export interface GivenPasskey {
  readonly id: number;
  readonly passkey: TestPasskey;
}

/** Gives a user a passkey, without the page on which one is made. */
export async function givePasskey(
  { services, account }: Pick<TestApp, 'services' | 'account'>,
  { id }: Pick<UserRecord, 'id'>,
  given: { readonly backupEligible?: boolean } = {},
): Promise<GivenPasskey> {
  const passkey = new TestPasskey(relyingPartyOf(account).origin, given);
  passkey.belongTo(userHandleOf(services, account, id).toString('base64url'));
  const { credentialId, publicKey } = passkey;
  const now = services.clock.now();
  const made = { kind: 'passkey', name: 'Laptop', seed: publicKey, step: -1, now, expiresAt: null } as const;
  const device = await services.store.transaction(async (tx) => {
    const added = await addDevice(services, tx, account, id, made);
    const state = { counter: 0, backupEligible: given.backupEligible ?? false, backedUp: false };
    await tx.passkeys.create({ accountId: account.id, deviceId: added.id, credentialId, transports: [], ...state });
    return added;
  });
  return { id: device.id, passkey };
}

/** Sends the form for a passkey of a page, and walks on. */
export async function showPasskey(app: Sender, { jar, answer }: Walk, credential: string): Promise<Walk> {
  const action = /<form [^>]*action="([^"]*)"[^>]*data-passkey="get"/.exec(answer.text)?.[1] ?? '';
  return submitTo(app, jar, action, { ...formTo({ answer }, action), credential });
}
