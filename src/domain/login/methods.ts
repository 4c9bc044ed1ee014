/** How somebody has shown who they are: the values of `amr` (RFC 8176), and of `acr`, which sums them up (OpenID Connect Core §2). */

/** One factor, something the user knows. */
export const singleFactor = 'urn:gatehouse:acr:single-factor';
/** A second one beside it, something the user has. */
export const multiFactor = 'urn:gatehouse:acr:multi-factor';

/** The password alone. */
export const passwordMethods: readonly string[] = ['pwd'];

/** A one-time code, whatever made it. */
export const codeMethods: readonly string[] = ['otp'];

/**
 * A passkey whose authenticator has verified its user: the key, in hardware unless copies of it are made, and the user
 * who was there; more than one factor by itself (RFC 8176 §2).
 */
export function passkeyMethods({ backupEligible }: { readonly backupEligible: boolean }): readonly string[] {
  return [backupEligible ? 'swk' : 'hwk', 'user', 'mfa'];
}

/** What is shown once a second factor is. */
export function withSecondFactor(methods: readonly string[], second: readonly string[]): readonly string[] {
  return [...new Set([...methods, ...second, 'mfa'])];
}

export function isMultiFactor(methods: readonly string[]): boolean {
  return methods.includes('mfa');
}

/** The one place that says what methods are worth; worked out, never stored, so that both cannot differ. */
export function acrOf(methods: readonly string[]): string {
  return isMultiFactor(methods) ? multiFactor : singleFactor;
}
