/** What the domain asks of whoever knows WebAuthn (Level 3). */

/** Who asks for passkeys: an account, by the host and the address of its own (WebAuthn Level 3 §5.4.2). */
export interface RelyingParty {
  readonly id: string;
  readonly name: string;
  readonly origin: string;
}

/** By what a browser finds a passkey again. */
export interface PasskeyReference {
  /** Base64url. */
  readonly credentialId: string;
  /** How the authenticator is reached, as the browser said (WebAuthn Level 3 §5.8.4). */
  readonly transports: readonly string[];
}

/** What an authenticator says of the passkey's copies (WebAuthn Level 3 §6.1.3). */
interface PasskeyState {
  /** How often it was used; 0 where it does not count. */
  readonly counter: number;
  /** It may be on several devices; never changes. */
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

interface NewPasskey extends PasskeyReference, PasskeyState {
  /** In the form of COSE (RFC 9052). */
  readonly publicKey: Buffer;
}

/** What an answer says of itself; nothing of it is checked. */
export interface ShownPasskey {
  readonly credentialId: string;
  /** Base64url, as `challenge`; null where the authenticator does not tell. */
  readonly userHandle: string | null;
  readonly challenge: string;
}

/** Passkeys (WebAuthn Level 3). Options and answers are JSON text, challenges base64url; null is an answer that does not count. */
export interface Passkeys {
  /** What the browser is asked with to make one, of a user who has the `known` ones. */
  creationOptions(
    party: RelyingParty,
    asked: {
      readonly challenge: string;
      /** At most 64 bytes that say nothing of the user (WebAuthn Level 3 §14.6.1). */
      readonly userHandle: Buffer;
      readonly userName: string;
      readonly displayName: string;
      readonly known: readonly PasskeyReference[];
    },
  ): string;
  /** What it is asked with to show one: of the `allowed`, or any where there are none. */
  requestOptions(
    party: RelyingParty,
    asked: { readonly challenge: string; readonly allowed: readonly PasskeyReference[] },
  ): string;
  read(answer: string): ShownPasskey | null;
  verifyNew(party: RelyingParty, challenge: string, answer: string): Promise<NewPasskey | null>;
  verify(
    party: RelyingParty,
    challenge: string,
    known: Pick<NewPasskey, 'credentialId' | 'publicKey' | 'counter'>,
    answer: string,
  ): Promise<PasskeyState | null>;
}
