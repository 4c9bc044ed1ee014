import { type OwnView, part } from './account-pages.ts';
import { formAction } from './links.ts';
import { person } from './page.ts';
import { moment, momentOrNull } from './said.ts';
import { closedInItself } from './text.ts';

/** A passkey as the page shows it. Times in milliseconds since the epoch. */
interface PasskeyView {
  readonly id: number;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly backedUp: boolean;
}

/** The contents of the page of a user's passkeys. */
export interface PasskeysView extends OwnView {
  /** First and last name; may be empty. */
  readonly userName: string;
  readonly userEmail: string;
  readonly passkeys: readonly PasskeyView[];
  /** The WebAuthn options for another passkey, as JSON; null: no more are allowed. */
  readonly creationOptions: string | null;
  /** Why the page is shown again. */
  readonly problem?: 'answer' | 'name' | 'full' | undefined;
}

const problems = {
  answer: {
    summary: 'The passkey was not added',
    advice: 'Your device gave no usable answer, or it took too long. Try again.',
  },
  name: { summary: 'This name cannot be used', advice: 'Enter 1 to 64 characters.' },
  full: { summary: 'The passkey was not added', advice: 'You have the maximum number of devices.' },
} as const;

/** The page that lists a user's passkeys and changes them: HTML of a whole document. */
export function passkeysPage(view: PasskeysView): string {
  const parts = {
    user: person(view.userName, view.userEmail),
    passkeys: view.passkeys.map(({ id, name, createdAt, lastUsedAt, backedUp }) => ({
      id,
      name: closedInItself(name),
      added: moment(createdAt),
      used: momentOrNull(lastUsedAt),
      kept: backedUp ? 'Kept in sync between devices.' : 'On one device only.',
    })),
    options: view.creationOptions ?? undefined,
    newName: 'My passkey',
    problem: view.problem && problems[view.problem],
    addAction: formAction('addPasskey'),
    changeAction: formAction('changePasskey'),
  };
  return part('passkeys', 'Your passkeys', view, parts, 'passkeys.js');
}
