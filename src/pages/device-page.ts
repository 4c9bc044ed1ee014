import { icons } from './icons.ts';
import { page } from './page.ts';

/** Why the form is shown again. */
export type UserCodeProblem = 'wrong' | 'missing';

/** The contents of the page that asks for a user code. */
export interface DeviceView {
  readonly accountName: string;
  readonly csrf: string;
  /** As typed, or taken from the address. */
  readonly userCode: string;
  readonly problem?: UserCodeProblem | undefined;
  readonly action: string;
}

// The same text for a code that is unknown, has expired or was used: someone who guesses must not learn which.
const problems = {
  wrong: {
    summary: 'This code does not work',
    advice: 'Compare it with your device. If it was shown more than 10 minutes ago, start again there.',
  },
  missing: { summary: 'Something is missing', advice: 'Enter the code that your device shows.' },
} as const;

/** The page that asks for the code of a device: HTML of a whole document. */
export function devicePage({ accountName, csrf, userCode, problem, action }: DeviceView): string {
  const heading = 'Sign in on a device';
  return page(
    'device',
    { title: problem ? `Problem: ${heading}` : heading, accountName },
    { icon: icons.device, heading, csrf, userCode, problem: problem && problems[problem], action },
  );
}

/** The page with the result for the device: HTML of a whole document. */
export function deviceDonePage({ accountName, allowed }: { readonly accountName: string; readonly allowed: boolean }) {
  const heading = allowed ? 'Your device is signed in' : 'Your device was not signed in';
  const message = allowed
    ? 'It continues by itself in a moment. You can close this page.'
    : 'You did not allow it. You can close this page.';
  return page(
    'device-done',
    { title: heading, accountName },
    { icon: allowed ? icons.done : icons.refused, tone: allowed ? 'calm' : 'refusal', heading, message },
  );
}
