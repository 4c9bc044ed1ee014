/** What can be changed about the user. */

import { api } from '../../../api/api.ts';
import type { Schemas } from '../../../api/contract.ts';
import { type About, type Action, done } from './action.ts';

export function unlock({ user, name }: About): Action {
  return {
    label: 'Unlock',
    title: `Unlock ${name}?`,
    words: 'The user can sign in again at once, and wrong passwords and codes are counted from zero again.',
    scopes: ['manage_users'],
    act: () => api.post('/api/2/users/{id}/unlock', { path: { id: user.id }, body: {} }).then(done),
  };
}

function putUser({ user }: About, body: Schemas['UserInput']): Promise<null> {
  return api.put('/api/2/users/{id}', { path: { id: user.id }, body }).then(done);
}

export function changeOfUser(about: About, body: Readonly<Record<string, unknown>>): Action | null {
  const { name } = about;
  if ('status' in body) {
    return {
      label: 'Activate',
      title: `Activate ${name}?`,
      words: 'The status becomes active: the user can sign in at once, with the password of before.',
      scopes: ['manage_users'],
      act: () => putUser(about, { status: 1 }),
    };
  }
  if ('policy_id' in body) {
    return {
      label: 'Remove the user’s own policy',
      title: `Remove the policy of ${name}?`,
      words: 'The policy of the app, of a role, or of the account counts for the user instead.',
      scopes: ['manage_users'],
      act: () => putUser(about, { policy_id: null }),
    };
  }
  return 'password' in body ? setPassword(about) : null;
}

export function setPassword(about: About): Action {
  return {
    label: 'Set a password',
    title: `A password for ${about.name}`,
    words: 'Tell it to the user in private. Whoever knows it can sign in.',
    scopes: [],
    fields: [
      { name: 'password', label: 'New password', kind: 'secret' },
      { name: 'password_confirmation', label: 'New password again', kind: 'secret' },
    ],
    act: (chosen) => putUser(about, chosen as Schemas['UserInput']),
  };
}

export function registerFactor({ user, name }: About): Action {
  return {
    label: 'Register a device',
    title: `An authenticator app for ${name}`,
    words:
      'This makes a key for the user’s authenticator app. The device counts at once: give the key to the user in private.',
    scopes: [],
    fields: [{ name: 'display_name', label: 'Name of the device', kind: 'text' }],
    value: { display_name: '' },
    act: async ({ display_name: called }) => {
      const body = { factor_id: 1, display_name: String(called), verified: true };
      const { data } = await api.post('/api/2/mfa/users/{id}/registrations', { path: { id: user.id }, body });
      const { verification_token: key, totp_url: address } = data.factor_data;
      return {
        title: `The device of ${name} was registered`,
        values: [
          ['Key', key],
          ['Address for a QR code', address],
        ],
      };
    },
  };
}

export function assignApp({ user, name }: About, id: number): Action {
  return {
    label: 'Assign the app',
    title: `Assign the app to ${name}?`,
    words: 'The user may use the app at once. A role that has the app would do the same for all its users.',
    scopes: [],
    act: () => api.post('/api/2/apps/{id}/users', { path: { id }, body: [user.id] }).then(done),
  };
}
