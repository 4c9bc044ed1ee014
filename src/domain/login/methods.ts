/** How somebody has shown who they are: the values of `amr` (RFC 8176), and of `acr`, which sums them up (OpenID Connect Core §2). */

/** One factor, something the user knows. */
export const singleFactor = 'urn:gatehouse:acr:single-factor';
/** A second one beside it, something the user has. */
export const multiFactor = 'urn:gatehouse:acr:multi-factor';

/** The password alone. */
export const passwordMethods: readonly string[] = ['pwd'];

/**
 * A link that came by e-mail: whoever follows it reads the mailbox. No registered value says that alone, so this one has
 * a name of ours.
 */
export const linkMethods: readonly string[] = ['urn:gatehouse:amr:mailbox'];

/** Whether a sign-in began with a link. */
export function isOfLink(methods: readonly string[]): boolean {
  return methods.some((method) => linkMethods.includes(method));
}

/** A one-time code, whatever made it. */
export const codeMethods: readonly string[] = ['otp'];

/** What tells passkeys apart. */
export interface PasskeyKind {
  /** Copies of the key may be made. */
  readonly backupEligible: boolean;
}

/**
 * A passkey whose authenticator has verified its user: the key, in hardware unless copies of it are made, and the user
 * who was there; more than one factor by itself (RFC 8176 §2).
 */
export function passkeyMethods({ backupEligible }: PasskeyKind): readonly string[] {
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
