/** What a token can be bound to, so that it is good for nothing alone. */

/** A key that the client proves (DPoP, RFC 9449), or the certificate of its connection (RFC 8705 §3). */
export interface Binding {
  readonly to: 'key' | 'certificate';
  /** SHA-256 in base64url: of the key (RFC 7638), or of the certificate. */
  readonly thumbprint: string;
}

/** The claim `cnf` (RFC 7800), which says what a token is bound to. */
export type Confirmation = { readonly jkt: string } | { readonly 'x5t#S256': string };

export function isSameBinding(one: Binding | null, other: Binding | null): boolean {
  return one?.to === other?.to && one?.thumbprint === other?.thumbprint;
}

/** RFC 9449 §6.1, RFC 8705 §3.1. */
export function confirmationOf({ to, thumbprint }: Binding): Confirmation {
  return to === 'key' ? { jkt: thumbprint } : { 'x5t#S256': thumbprint };
}

/** What a token of this service is bound to by its claim; null for a bearer token. */
export function bindingIn(confirmation: Confirmation | undefined): Binding | null {
  if (confirmation === undefined) return null;
  return 'jkt' in confirmation
    ? { to: 'key', thumbprint: confirmation.jkt }
    : { to: 'certificate', thumbprint: confirmation['x5t#S256'] };
}
