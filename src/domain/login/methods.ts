/** How somebody has shown who they are: the values of `amr` (RFC 8176), and of `acr`, which sums them up (OpenID Connect Core §2). */

/** One factor, something the user knows. */
export const singleFactor = 'urn:gatehouse:acr:single-factor';
/** A second one beside it, something the user has. */
export const multiFactor = 'urn:gatehouse:acr:multi-factor';

/** The password alone. */
export const passwordMethods: readonly string[] = ['pwd'];

/** What is shown once a second factor is. */
export function withSecondFactor(methods: readonly string[], second: string): readonly string[] {
  return [...new Set([...methods, second, 'mfa'])];
}

export function isMultiFactor(methods: readonly string[]): boolean {
  return methods.includes('mfa');
}

/** The one place that says what methods are worth; worked out, never stored, so that both cannot differ. */
export function acrOf(methods: readonly string[]): string {
  return isMultiFactor(methods) ? multiFactor : singleFactor;
}
