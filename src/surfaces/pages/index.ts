/**
 * The hosted pages: sign-in, a second factor, a new password, consent and the steps between them. They work without
 * JavaScript; only passkeys need it.
 */

import contract from '../../../generated/pages.json' with { type: 'json' };
import type { operations } from '../../../generated/pages.ts';
import type { Handlers } from '../../http/operation.ts';
import type { SurfaceDefinition } from '../../http/surface.ts';
import type { Services } from '../../services.ts';
import { overview } from './account/overview.ts';
import { ownPasskeys } from './account/passkeys.ts';
import { ownSecondFactors } from './account/second-factors.ts';
import { sessionsAndApps } from './account/sessions-and-apps.ts';
import { browserFiles } from './browser-files.ts';
import { cancelSignIn } from './cancel-sign-in.ts';
import { chooseNewPassword } from './choose-new-password.ts';
import { continueAuthorization } from './continue-authorization.ts';
import { decideConsent } from './decide-consent.ts';
import { devices } from './devices.ts';
import { enrolSecondFactor } from './enrol-second-factor.ts';
import { failures } from './failures.ts';
import { forgottenPassword } from './forgot-password.ts';
import { giveSecondFactor } from './give-second-factor.ts';
import { invites } from './invites.ts';
import { passkeySignIns } from './passkey-sign-ins.ts';
import { readAsset } from './read-asset.ts';
import { showConsent } from './show-consent.ts';
import { showEnrolment } from './show-enrolment.ts';
import { showNewPassword } from './show-new-password.ts';
import { showSecondFactor } from './show-second-factor.ts';
import { showSignIn } from './show-sign-in.ts';
import { signIn } from './sign-in.ts';
import { showSignedOut, showSignOut, signOut } from './sign-out.ts';

function handlersOf(services: Services): Handlers<operations> {
  return {
    showSignIn: showSignIn(services),
    signIn: signIn(services),
    showSecondFactor: showSecondFactor(services),
    giveSecondFactor: giveSecondFactor(services),
    showEnrolment: showEnrolment(services),
    enrolSecondFactor: enrolSecondFactor(services),
    showNewPassword: showNewPassword(services),
    chooseNewPassword: chooseNewPassword(services),
    showConsent: showConsent(services),
    decideConsent: decideConsent(services),
    cancelSignIn: cancelSignIn(services),
    continueAuthorization: continueAuthorization(services),
    showSignOut: showSignOut(services),
    signOut: signOut(services),
    showSignedOut,
    readAsset: readAsset(),
    ...browserFiles(),
    ...passkeySignIns(services),
    ...ownPasskeys(services),
    ...invites(services),
    ...devices(services),
    ...forgottenPassword(services),
    ...overview(services),
    ...ownSecondFactors(services),
    ...sessionsAndApps(services),
  };
}

export const pages: SurfaceDefinition<operations> = {
  name: 'pages',
  contract,
  handlersOf,
  failures,
  mediaType: 'text/html',
  isShown: () => true,
};
