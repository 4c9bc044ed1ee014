/** What becomes of each thing in flight at each ending. */

import type { EndingName } from './endings.ts';
import type { ThingName } from './in-flight.ts';

/** `ended`: it stays invalid, even when what was removed is restored. Otherwise the reason why it continues. */
export type Outcome = 'ended' | { readonly stays: string };

const allEnded = {
  code: 'ended',
  'device code': 'ended',
  'pushed request': 'ended',
  'half-made sign-in': 'ended',
  'sign-in in a hook': 'ended',
  'refresh token': 'ended',
  'refresh token, offline_access': 'ended',
  exchange: 'ended',
  'passkey being added': 'ended',
} as const satisfies Readonly<Record<ThingName, Outcome>>;

/** A sign-in under way belongs to no session: its browser gave the password for itself, and it is right still. */
const ofOneSession = {
  ...allEnded,
  'half-made sign-in': { stays: 'it belongs to no session that ended, and its password is right' },
  'sign-in in a hook': { stays: 'it belongs to no session that ended, and its password is right' },
  'refresh token, offline_access': { stays: 'the app asked to go on without the session (decision 145)' },
} as const satisfies Readonly<Record<ThingName, Outcome>>;

/** The session continues, and changes to the user's own account do not depend on one app. */
const ofOneApp = {
  'passkey being added': { stays: 'its session goes on' },
} as const satisfies Partial<Readonly<Record<ThingName, Outcome>>>;

/** Asked about again at the end of the walk, when the app was given back. */
const ofAccess = {
  ...allEnded,
  ...ofOneApp,
  'pushed request': { stays: 'it approved nothing: session, consent and access are looked at when it is used' },
  'sign-in in a hook': { stays: 'it approved nothing: access is looked at when it ends' },
} as const satisfies Readonly<Record<ThingName, Outcome>>;

export const table: Readonly<Record<EndingName, Readonly<Record<ThingName, Outcome>>>> = {
  'password by its owner': allEnded,
  'password by an administrator': allEnded,
  'password by a link': allEnded,
  'sign-out': ofOneSession,
  'sign-out after a second sign-in': ofOneSession,
  'another user signs in': ofOneSession,
  'sign-out everywhere': allEnded,
  'one session ended': ofOneSession,
  'sign-out everywhere by an operator': allEnded,
  'one session ended by an operator': ofOneSession,
  'consent withdrawn by an operator': { ...allEnded, ...ofOneApp },
  'grants revoked by an operator': {
    ...allEnded,
    ...ofOneApp,
    'pushed request': { stays: 'it approved nothing, and the session goes on' },
    'sign-in in a hook': { stays: 'it has given no grant, and its password is right' },
  },
  'consent withdrawn': { ...allEnded, ...ofOneApp },
  'role removed': ofAccess,
  'access withdrawn': ofAccess,
  'client deleted': allEnded,
  'user deleted': allEnded,
  suspension: {
    ...allEnded,
    'refresh token': { stays: 'grants wait: the same token works when the suspension is over' },
    'refresh token, offline_access': { stays: 'grants wait: the same token works when the suspension is over' },
  },
};
