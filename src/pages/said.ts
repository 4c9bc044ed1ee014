/** Texts that the account pages share. */

import { once } from './once.ts';

/** What a form did, by the word in the address. */
const notices = {
  password_changed: 'Your password has been changed.',
  device_added: 'The authenticator app has been added.',
  device_removed: 'The device has been removed.',
  passkey_added: 'The passkey has been added. You can sign in with it from now on.',
  passkey_renamed: 'The passkey has been renamed.',
  passkey_removed: 'The passkey has been removed.',
  session_ended: 'The browser has been signed out.',
  access_removed: 'The application can no longer use your account.',
} as const;

export type Done = keyof typeof notices;

/** The sentence for a word in the address, if it is known. */
export function notice(done: string | undefined): string | undefined {
  return done !== undefined && Object.hasOwn(notices, done) ? notices[done as Done] : undefined;
}

/** A time for people and for programs. */
interface Moment {
  readonly text: string;
  readonly iso: string;
}

/** Made when the first page needs it: that takes some milliseconds. */
const format = once(
  () => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
);

/** In UTC, since a page without a script does not know the reader's time zone. */
export function moment(at: number): Moment {
  const date = new Date(at);
  return { text: `${format().format(date)} UTC`, iso: date.toISOString() };
}

export function momentOrNull(at: number | null): Moment | null {
  return at === null ? null : moment(at);
}
