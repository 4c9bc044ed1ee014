/** What the decisions of a sign-in are called, and what helps where no call does. */

import type { Schemas } from '../../../api/contract.ts';

export type Step = Schemas['ExplainStep'];

export const methods = [
  ['password', 'Password, on the sign-in page'],
  ['passkey', 'Passkey, on the sign-in page'],
  ['sso', 'Existing session'],
  ['device', 'Password, for a device that shows a code'],
  ['delegated', 'The form of another service'],
  ['password_grant', 'Password, sent by the app'],
  ['refresh', 'Refresh token'],
] as const;

export const steps: Readonly<Record<Step['step'], string>> = {
  client: 'App',
  request: 'Authorization request',
  clock: 'Clock of the app',
  attempts: 'Failed attempts',
  credential: 'Password or passkey',
  user: 'Status',
  access: 'Access to the app',
  session: 'Session',
  grant: 'Refresh token',
  hooks: 'Hooks',
  policy: 'Policy',
  second_factor: 'Second factor',
  password_age: 'Password age',
  consent: 'Consent',
};

const outcomes: Readonly<Record<Step['outcome'], string>> = {
  passes: 'passes',
  asks: 'asks for more',
  refuses: 'refuses',
  skipped: 'nothing known',
  unknown: 'cannot be decided now',
};

export function outcomeOf({ outcome, cause }: Step): string {
  return cause === 'refused_before' ? 'not reached' : outcomes[outcome];
}

export const verdicts: Readonly<Record<Schemas['Explanation']['outcome'], string>> = {
  passes: 'Nothing stops this sign-in.',
  asks: 'The user can sign in, and is asked for more on the way.',
  refuses: 'This sign-in is refused.',
  unknown: 'Whether this sign-in is refused cannot be decided now.',
};

/** For causes that no call of the API removes. */
const advice: Partial<Readonly<Record<Step['cause'], string>>> = {
  clock_differs: 'Only whoever runs the app can set its clock.',
  consent_withdrawn: 'Only the user can allow the app again: its next sign-in asks.',
  no_grant: 'The user has to sign in to the app again.',
  second_factor_due: 'If the device is lost, remove it below, at “Second factors”.',
  source_limited: 'Wait, or raise the setting limit.sign-in.',
};

export function adviceFor({ cause, remedy }: Step): string | null {
  return remedy === null ? (advice[cause] ?? null) : null;
}

/** The first step that comes to what the whole explanation comes to. */
export function decisiveOf({ outcome, cause, steps: all }: Schemas['Explanation']): Step | null {
  return all.find((step) => step.outcome === outcome && step.cause === cause) ?? null;
}
