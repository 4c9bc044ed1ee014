/** The interface to the WebAuthn library (Level 3). */

/** The relying party: an account, with the host and the address of its own (WebAuthn Level 3 §5.4.2). */
export interface RelyingParty {
  readonly id: string;
  readonly name: string;
  readonly origin: string;
}

/** How a browser finds a passkey. */
export interface PasskeyReference {
  /** Base64url. */
  readonly credentialId: string;
  /** The authenticator's transports, as the browser reported them (WebAuthn Level 3 §5.8.4). */
  readonly transports: readonly string[];
}

/** What an authenticator reports about the passkey's copies (WebAuthn Level 3 §6.1.3). */
interface PasskeyState {
  /** Signature counter; 0 if it is not supported. */
  readonly counter: number;
  /** It may exist on several devices; never changes. */
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

interface NewPasskey extends PasskeyReference, PasskeyState {
  /** In COSE form (RFC 9052). */
  readonly publicKey: Buffer;
}

/** The unverified contents of an answer. */
export interface ShownPasskey {
  readonly credentialId: string;
  /** Base64url, like `challenge`; null if the authenticator does not send it. */
  readonly userHandle: string | null;
  readonly challenge: string;
}

/**
 * Passkeys (WebAuthn Level 3). Options and answers are JSON text, challenges are base64url; null means an invalid
 * answer.
 */
export interface Passkeys {
  /** The options for creating a passkey, for a user who already has the `known` ones. */
  creationOptions(
    party: RelyingParty,
    asked: {
      readonly challenge: string;
      /** At most 64 bytes that reveal nothing about the user (WebAuthn Level 3 §14.6.1). */
      readonly userHandle: Buffer;
      readonly userName: string;
      readonly displayName: string;
      readonly known: readonly PasskeyReference[];
    },
  ): string;
  /** The options for presenting a passkey: one of `allowed`, or any if that is empty. */
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
