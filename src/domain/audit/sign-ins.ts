/** What the trail says of sign-ins: each event that ends one, by its outcome and method. */

import type { NewEvent } from '../../store/events.ts';
import { isOfLink } from '../login/methods.ts';
import type { EventDetails } from './event-details.ts';

export const signInOutcomes = [
  'succeeded',
  'unknown_user',
  'wrong_password',
  'wrong_passkey',
  'closed',
  'wrong_second_factor',
  'refused',
  'hook_refused',
  'hook_failed',
] as const;

/** `link`: by a link that was sent by e-mail. A passkey is more than one factor by itself. */
export const signInMethods = [
  'password',
  'password_second_factor',
  'passkey',
  'link',
  'link_second_factor',
  'unknown',
] as const;

export interface SignIn {
  readonly outcome: (typeof signInOutcomes)[number];
  readonly method: (typeof signInMethods)[number];
}

/** What a sign-in was, if the event ends one. */
export function signInOf({ action, detail }: Pick<NewEvent, 'action' | 'detail'>): SignIn | null {
  const read = readers[action];
  return read ? read(JSON.parse(detail) as never) : null;
}

type Readers = { readonly [Action in keyof EventDetails]?: (detail: EventDetails[Action]) => SignIn | null };

const ended: Readers = {
  'sign_in.succeeded': ({ methods }) => ({ outcome: 'succeeded', method: methodOf(methods) }),
  // Signing in with the grant type `password` opens no session.
  'grant.issued': ({ method }) => (method === 'password' ? { outcome: 'succeeded', method } : null),
  'sign_in.failed': ({ reason }) => ({
    outcome: reason,
    method: reason === 'wrong_passkey' ? 'passkey' : 'password',
  }),
  'sign_in.refused': ({ methods }) => ({ outcome: 'refused', method: methodOf(methods) }),
  'mfa.failed': () => ({ outcome: 'wrong_second_factor', method: 'unknown' }),
  'hook.sign_in_refused': () => ({ outcome: 'hook_refused', method: 'unknown' }),
  // A migration that fails is a sign-in of an unknown user, and recorded as that.
  'hook.failed': ({ sign_in: signIn, user_id: userId }) =>
    signIn === 'denied' && userId !== null ? { outcome: 'hook_failed', method: 'unknown' } : null,
};
/** Each is given the detail of its own action only. */
const readers = ended as Readonly<Record<string, ((detail: never) => SignIn | null) | undefined>>;

/** From the values of `amr`; a password may be followed by a passkey. */
function methodOf(methods: readonly string[]): SignIn['method'] {
  const isMore = methods.includes('mfa');
  if (methods.includes('pwd')) return isMore ? 'password_second_factor' : 'password';
  if (isOfLink(methods)) return isMore ? 'link_second_factor' : 'link';
  return 'passkey';
}
