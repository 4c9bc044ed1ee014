/** Sessions, consents and grants of users, as operators see and end them. */

import { redeem, signInForCode } from '../../support/sign-in.ts';
import { newBrowser } from './browsers.ts';
import { type Caller, manage, managed, type Prepare } from './caller.ts';
import { someUser } from './requests-users.ts';
import { theBrowser, theClient } from './sign-ins.ts';

/** A user who is signed in to the client, and the grant that came of it. */
async function newHolder(caller: Caller): Promise<number> {
  const { user, jar } = await newBrowser(caller);
  const { client } = await theClient(caller);
  const code = (await signInForCode(caller, client, user, {}, jar)).get('code') ?? '';
  await redeem(caller, client, code);
  return user.id;
}

const of =
  (part: string): Prepare =>
  async (caller) =>
    managed(caller, `/users/${(await theBrowser(caller)).user.id}/${part}`);

const allOfNew =
  (part: string): Prepare =>
  async (caller) =>
    managed(caller, `/users/${await newHolder(caller)}/${part}`);

/** The first of a new user. */
const firstOfNew =
  (part: string, key: 'id' | 'app_id'): Prepare =>
  async (caller) => {
    const path = `/users/${await newHolder(caller)}/${part}`;
    const [first] = await caller.manage('GET', path);
    return managed(caller, `${path}/${first[key]}`);
  };

export const signInRequests = {
  explainUser: manage((caller) => [`/users/${someUser(caller)}/explain`, { method: 'password' }]),
  listUserSessions: of('sessions'),
  endUserSessions: allOfNew('sessions'),
  endUserSession: firstOfNew('sessions', 'id'),
  listUserConsents: of('consents'),
  withdrawUserConsents: allOfNew('consents'),
  withdrawUserConsent: firstOfNew('consents', 'app_id'),
  listUserGrants: of('grants'),
  revokeUserGrants: allOfNew('grants'),
  revokeUserGrant: firstOfNew('grants', 'id'),
};
