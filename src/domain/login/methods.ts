/**
 * How a user has authenticated: values of `amr` (RFC 8176), and of `acr`, which summarizes them (OpenID Connect Core
 * §2).
 */

/** One factor: something the user knows. */
export const singleFactor = 'urn:gatehouse:acr:single-factor';
/** Two factors: also something the user has. */
export const multiFactor = 'urn:gatehouse:acr:multi-factor';

/** The password alone. */
export const passwordMethods: readonly string[] = ['pwd'];

/**
 * A link sent by e-mail, which proves access to the mailbox. No registered value means that, so this is a private one.
 */
export const linkMethods: readonly string[] = ['urn:gatehouse:amr:mailbox'];

/** Whether a sign-in began with a link. */
export function isOfLink(methods: readonly string[]): boolean {
  return methods.some((method) => linkMethods.includes(method));
}

/** A one-time code, however it was generated. */
export const codeMethods: readonly string[] = ['otp'];

/** The properties of a passkey that matter for `amr`. */
export interface PasskeyKind {
  /** Whether the key may be copied. */
  readonly backupEligible: boolean;
}

/**
 * A passkey with user verification: the key, in hardware unless it may be copied, and user presence; more than one
 * factor by itself (RFC 8176 §2).
 */
export function passkeyMethods({ backupEligible }: PasskeyKind): readonly string[] {
  return [backupEligible ? 'swk' : 'hwk', 'user', 'mfa'];
}

/** The methods after a second factor was given. */
export function withSecondFactor(methods: readonly string[], second: readonly string[]): readonly string[] {
  return [...new Set([...methods, ...second, 'mfa'])];
}

export function isMultiFactor(methods: readonly string[]): boolean {
  return methods.includes('mfa');
}

/** The only place that rates methods. `acr` is computed and never stored, so it cannot contradict `amr`. */
export function acrOf(methods: readonly string[]): string {
  return isMultiFactor(methods) ? multiFactor : singleFactor;
}
