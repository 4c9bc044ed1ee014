/** How a browser reaches each hosted page, by a name for the page. */

import type { Page } from 'playwright-core';
import type { UserRecord } from '../../src/store/users.ts';
import { codesOf, deviceMetadata } from '../support/devices.ts';
import { newInvite } from '../support/invites.ts';
import { givePasskey } from '../support/passkeys.ts';
import { newLink } from '../support/resets.ts';
import { codeAt, giveDevice, keyOf } from '../support/second-factor.ts';
import { makeUser, password, registerClient } from '../support/sign-in.ts';
import { addAuthenticator, makePasskey, offerNoNames } from './authenticator.ts';
import type { Cast } from './cast.ts';
import { arrived, choose, decide, demandCode, giveCode, invite, type Stage, signIn } from './stage.ts';

type Way = (page: Page, cast: Cast) => Promise<unknown>;

const signInAs =
  (who: 'user' | 'enrolled' | 'expired' | 'locked' | 'suspended' | 'outsider', typed = password): Way =>
  async (page, cast) => {
    await page.goto(cast.application.start());
    await signIn(page, cast[who], typed);
  };

/** Opens the page on which a new user enrols. */
const openEnrolment: Way = async (page, { stage, application }) => {
  await page.goto(application.start());
  await signIn(page, await demandCode(stage, await invite(stage, application)));
};

/** Opens the page of a new user with this many passkeys. */
/** A session that made a passkey has shown it; another one would have to, before it sees the page. */
const openPasskeys =
  (many: number): Way =>
  async (page, { stage, application }) => {
    const { baseUrl } = stage.app.account;
    const user = await invite(stage, application);
    await addAuthenticator(page);
    await offerNoNames(page);
    await page.goto(application.start());
    await signIn(page, user);
    if (many > 0) await makePasskey(page, baseUrl);
    for (let made = 1; made < many; made += 1) await givePasskey(stage.app, user);
    await page.goto(`${baseUrl}/account/passkeys`);
  };

/** Sends a form of the page without the browser's checks and without the page's script. */
async function sendUnchecked(page: Page, form = 'form'): Promise<void> {
  const loaded = page.waitForEvent('load');
  await page.evaluate(`document.querySelector('${form}').submit()`);
  await loaded;
}

/** Opens an account page for a new user, who must sign in first. */
function openAccount(path: string): Way {
  return async (page, { stage }) => {
    await page.goto(`${stage.app.account.baseUrl}/account${path}`);
    await signIn(page, await makeUser(stage.app));
  };
}

const enrolOwnDevice: Way = async (page, cast) => {
  await openAccount('/second-factors/new')(page, cast);
  await giveCode(page, codeAt(keyOf(await page.content()), cast.stage.app.services.clock.now()), 'Code');
};

async function inviteUrl({ app }: Stage, { email }: UserRecord): Promise<string> {
  return app.account.baseUrl + (await newInvite(app, email));
}

/** Opens the page on which a user allows a device. */
const openDeviceConsent: Way = async (page, { stage: { app } }) => {
  const client = await registerClient(app, deviceMetadata);
  const user = await makeUser(app, client.app_id);
  await page.goto((await codesOf(app, client)).verification_uri_complete);
  await page.getByRole('button', { name: 'Continue' }).click();
  await signIn(page, user);
};

export const everyPage: ReadonlyMap<string, Way> = new Map<string, Way>([
  ['sign-in', (page, { application }) => page.goto(application.start())],
  ['sign-in with a wrong password', signInAs('user', 'wrong')],
  [
    'sign-in with nothing typed',
    async (page, { application }) => {
      await page.goto(application.start());
      await sendUnchecked(page);
    },
  ],
  ['consent', signInAs('user')],
  ['second factor', signInAs('enrolled')],
  [
    'second factor with a wrong code',
    async (page, cast) => {
      await signInAs('enrolled')(page, cast);
      await giveCode(page, cast.device.wrong());
    },
  ],
  [
    'second factor with a wrong recovery code',
    async (page, cast) => {
      await signInAs('enrolled')(page, cast);
      await page.getByText('Use a recovery code').click();
      await giveCode(page, 'aaaaa-aaaaa', 'Recovery code');
    },
  ],
  [
    'sign-in with a passkey that is not known',
    async (page, { application }) => {
      await page.goto(application.start());
      await sendUnchecked(page, '[data-passkey]');
    },
  ],
  [
    'second factor by a passkey alone',
    async (page, { stage, application }) => {
      const user = await demandCode(stage, await invite(stage, application));
      await givePasskey(stage.app, user);
      await page.goto(application.start());
      await signIn(page, user);
    },
  ],
  [
    'second factor with a passkey that is not known',
    async (page, { stage, application }) => {
      const user = await invite(stage, application);
      await giveDevice(stage.app, user);
      await givePasskey(stage.app, user);
      await page.goto(application.start());
      await signIn(page, user);
      await sendUnchecked(page, '[data-passkey]');
    },
  ],
  ['passkeys', openPasskeys(2)],
  [
    'passkeys, one of them open',
    async (page, cast) => {
      await openPasskeys(1)(page, cast);
      await page.getByText('Rename or remove').click();
    },
  ],
  [
    'passkeys with one that was not added',
    async (page, cast) => {
      await openPasskeys(0)(page, cast);
      await sendUnchecked(page, '[data-passkey]');
    },
  ],
  ['passkeys, as many as there may be', openPasskeys(10)],
  ['enrolment', openEnrolment],
  [
    'enrolment with a wrong code',
    async (page, cast) => {
      await openEnrolment(page, cast);
      await giveCode(page, 'none', 'Code');
    },
  ],
  [
    'recovery codes',
    async (page, cast) => {
      await openEnrolment(page, cast);
      await giveCode(page, codeAt(keyOf(await page.content()), cast.stage.app.services.clock.now()), 'Code');
    },
  ],
  ['new password', signInAs('expired')],
  [
    'new password that is too weak',
    async (page, cast) => {
      await page.goto(cast.application.start());
      await signIn(page, cast.expired);
      await choose(page, 'password1');
    },
  ],
  ['invite', async (page, { stage, user }) => page.goto(await inviteUrl(stage, user))],
  [
    'invite with a password that is too weak',
    async (page, { stage, user }) => {
      await page.goto(await inviteUrl(stage, user));
      await choose(page, 'password1');
    },
  ],
  [
    'signed in by an invite',
    async (page, { stage }) => {
      await page.goto(await inviteUrl(stage, await makeUser(stage.app)));
      await choose(page, 'seven brown bears at tea');
    },
  ],
  ['invite that is unknown', (page, { stage }) => page.goto(`${stage.app.account.baseUrl}/password/reset?token=x`)],
  ['device', (page, { stage }) => page.goto(`${stage.app.account.baseUrl}/device`)],
  [
    'device with a wrong code',
    async (page, { stage }) => {
      await page.goto(`${stage.app.account.baseUrl}/device?user_code=BCDF-GHJK`);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('This code does not work').waitFor();
    },
  ],
  ['consent for a device', openDeviceConsent],
  [
    'device that is let in',
    async (page, cast) => {
      await openDeviceConsent(page, cast);
      await decide(page, 'Allow');
      await page.getByRole('heading', { name: 'Your device is signed in' }).waitFor();
    },
  ],
  ['device that is not', (page, { stage }) => page.goto(`${stage.app.account.baseUrl}/device/done?outcome=denied`)],
  [
    'sign out',
    async (page, cast) => {
      await signInAs('user')(page, cast);
      await page.goto(`${cast.stage.app.account.baseUrl}/oauth2/logout?client_id=${cast.application.client.client_id}`);
    },
  ],
  ['signed out', (page, { stage }) => page.goto(`${stage.app.account.baseUrl}/oauth2/logout`)],
  ['forgotten password', (page, { stage }) => page.goto(`${stage.app.account.baseUrl}/forgot-password?request=x`)],
  [
    'forgotten password without a name',
    async (page, { stage }) => {
      await page.goto(`${stage.app.account.baseUrl}/forgot-password`);
      await sendUnchecked(page);
    },
  ],
  [
    'link that is on its way',
    (page, { stage }) => page.goto(`${stage.app.account.baseUrl}/forgot-password/sent?request=x`),
  ],
  [
    'link for a new password',
    async (page, { stage }) =>
      page.goto(stage.app.account.baseUrl + (await newLink(stage.app, (await makeUser(stage.app)).email))),
  ],
  ['account', openAccount('')],
  [
    'account with what was done',
    async (page, cast) => {
      await openAccount('')(page, cast);
      await page.goto(`${cast.stage.app.account.baseUrl}/account?done=password_changed`);
    },
  ],
  ['account: password', openAccount('/password')],
  [
    'account: a wrong password',
    async (page, cast) => {
      await openAccount('/password')(page, cast);
      await sendUnchecked(page);
    },
  ],
  ['account: no second factor', openAccount('/second-factors')],
  ['account: a new device', openAccount('/second-factors/new')],
  [
    'account: a wrong code',
    async (page, cast) => {
      await openAccount('/second-factors/new')(page, cast);
      await giveCode(page, 'none', 'Code');
    },
  ],
  ['account: recovery codes', enrolOwnDevice],
  [
    'account: second factors',
    async (page, cast) => {
      await enrolOwnDevice(page, cast);
      await page.getByRole('link', { name: 'I have saved them' }).click();
    },
  ],
  ['account: sessions', openAccount('/sessions')],
  [
    'account: applications',
    async (page, cast) => {
      await page.goto(cast.application.start());
      await signIn(page, await invite(cast.stage, cast.application));
      await decide(page, 'Allow');
      await arrived(page, cast.application);
      await page.goto(`${cast.stage.app.account.baseUrl}/account/apps`);
    },
  ],
  ['locked', signInAs('locked')],
  ['suspended', signInAs('suspended')],
  ['no access', signInAs('outsider')],
  ['unknown application', (page, { application }) => page.goto(application.start({ client_id: 'unknown' }))],
  ['sign-in that ended', (page, { stage }) => page.goto(`${stage.app.account.baseUrl}/sign-in?request=ended`)],
  [
    'form of another site',
    async (page, { application }) => {
      await page.goto(application.start());
      await page.evaluate("document.querySelector('input[name=csrf]').value = 'forged'");
      await sendUnchecked(page);
    },
  ],
  ['404', (page, { stage }) => page.goto(`${stage.app.account.baseUrl}/assets/nothing.css`)],
  [
    '404 of an unknown host',
    (page, { stage }) => page.goto(`http://unknown.${stage.app.services.addresses.serviceDomain}/sign-in`),
  ],
  [
    '429',
    async (page, { limited, user }) => {
      await page.goto(limited.start());
      // The first attempt is allowed.
      while ((await signIn(page, user, 'wrong')).status === 401);
    },
  ],
]);
