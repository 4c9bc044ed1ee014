/**
 * The hosted pages on both databases, driven as a script drives them: docs/document-gaps.md#hosted-pages, and L1 to L8
 * of docs/security.md.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { unseenStatuses } from '../../support/conforms.ts';
import { declareFaultCases } from '../../support/faults.ts';
import { unreadMembers } from '../../support/read-members.ts';
import { partsOn } from '../../support/sample.ts';
import { databases } from '../../support/stores.ts';
import { account } from './account.ts';
import { accountParts } from './account-parts.ts';
import { assets } from './assets.ts';
import { type AppOf, unlimited } from './browsing.ts';
import { cancel } from './cancel.ts';
import { consent } from './consent.ts';
import { cookies } from './cookies.ts';
import { crossSite } from './cross-site.ts';
import { devices } from './devices.ts';
import { enrolment } from './enrolment.ts';
import { enumeration } from './enumeration.ts';
import { forgotPassword } from './forgot-password.ts';
import { headers } from './headers.ts';
import { invites } from './invites.ts';
import { linkEnds, linkRaces } from './link-ends.ts';
import { lockout } from './lockout.ts';
import { manyChanges } from './many-changes.ts';
import { names } from './names.ts';
import { newPassword } from './new-password.ts';
import { passkeySecondFactor } from './passkey-second-factor.ts';
import { passkeySignIn } from './passkey-sign-in.ts';
import { passkeys } from './passkeys.ts';
import { passkeysAccess } from './passkeys-access.ts';
import { policies } from './policies.ts';
import { recent } from './recent.ts';
import { refusals } from './refusals.ts';
import { removedDevices } from './removed-devices.ts';
import { secondFactor } from './second-factor.ts';
import { sessions } from './sessions.ts';
import { signOut } from './sign-out.ts';
import { statuses } from './statuses.ts';
import { steps } from './steps.ts';
import { told } from './told.ts';

const cases: Readonly<Record<string, (app: AppOf) => void>> = {
  // The first runs on PostgreSQL, too.
  steps,
  headers,
  'cross-site requests': crossSite,
  cookies,
  enumeration,
  lockout,
  refusals,
  sessions,
  names,
  'second factor': secondFactor,
  devices,
  enrolment,
  'signing in with a passkey': passkeySignIn,
  'a passkey as second factor': passkeySecondFactor,
  passkeys,
  'access to the page of passkeys': passkeysAccess,
  'new password': newPassword,
  'statuses at every door': statuses,
  policies,
  cancel,
  consent,
  invites,
  'sign-out': signOut,
  'forgotten password': forgotPassword,
  account,
  'parts of the account': accountParts,
  'recent sign-ins': recent,
  'ends of links': linkEnds,
  'notices of changes': told,
  'many changes': manyChanges,
  assets,
  'devices that are removed': removedDevices,
};

for (const kind of databases) {
  describe(`pages on ${kind}`, () => {
    const part = partsOn(kind);
    let app: TestApp;
    before(async () => {
      app = await openTestApp(kind, { settings: unlimited });
    });
    after(() => app.dispose());
    for (const [title, declare] of Object.entries(cases)) part(title, () => declare(() => app));
  });
  describe(`links and changes at once on ${kind}`, () => linkRaces(kind));
  declareFaultCases('pages', kind);
}

it('every documented status was seen', () => {
  assert.deepEqual(unseenStatuses('pages'), []);
});

it('every member of the request bodies of pages was read by a handler', () => {
  assert.deepEqual(unreadMembers('pages'), []);
});
