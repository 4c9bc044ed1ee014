import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import type { BrowserContext, Page } from 'playwright-core';
import { waitUntil } from '../support/browser.ts';
import { giveDevice } from '../support/second-factor.ts';
import { addAuthenticator, makePasskey, offerNoNames, pressForPasskey } from './authenticator.ts';
import {
  type Application,
  arrived,
  decide,
  demandCode,
  heading,
  invite,
  openStage,
  registerApplication,
  type Stage,
  signIn,
  visit,
} from './stage.ts';

const withPasskey = 'Sign in with a passkey';

/**
 * A4: a person makes a passkey, signs in with it, and takes it away (WebAuthn Level 3, Chromium's virtual
 * authenticator).
 */
describe('a person with a passkey', () => {
  let stage: Stage;
  let application: Application;
  let own = '';
  const browse = (look: (page: Page) => Promise<void>, javaScript = true) => visit(stage, { javaScript }, look);

  before(async () => {
    stage = await openStage();
    application = await registerApplication(stage, { client_name: 'Expense Desk' });
    own = `${stage.app.account.baseUrl}/account/passkeys`;
  });
  after(() => stage.dispose());

  const forget = (page: Page) => page.context().clearCookies();

  async function amrOf(page: Page) {
    await arrived(page, application);
    const { id_token: idToken } = await application.redeem(page.url());
    return decodeJwt(idToken)['amr'];
  }

  it('creates one, renames it, signs in with it and removes it; then it is refused', () =>
    browse(async (page) => {
      const user = await invite(stage, application);
      await addAuthenticator(page);
      await offerNoNames(page);
      await page.goto(application.start());
      await signIn(page, user);
      await decide(page, 'Allow');
      await arrived(page, application);
      await makePasskey(page, stage.app.account.baseUrl);
      await page.getByText('Rename or remove').click();
      await page.getByLabel('Name', { exact: true }).first().fill('Old laptop');
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('listitem').filter({ hasText: 'Old laptop' }).waitFor();
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      await page.getByText('This device already has a passkey of yours').waitFor();

      await forget(page);
      await page.goto(application.start());
      assert.equal((await pressForPasskey(page, withPasskey)).status, 303);
      assert.deepEqual(await amrOf(page), ['hwk', 'user', 'mfa']);

      await page.goto(own);
      await page.getByText('last used').waitFor();
      await page.getByText('Rename or remove').click();
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.getByText('You have no passkey yet').waitFor();
      await forget(page);
      await page.goto(application.start());
      assert.equal((await pressForPasskey(page, withPasskey)).status, 401);
      await page.getByRole('alert').getByText('This passkey is not known here').waitFor();
    }));

  it('is offered it in autofill before typing anything', () =>
    browse(async (page) => {
      const user = await invite(stage, application);
      await addAuthenticator(page);
      await page.goto(application.start());
      await signIn(page, user);
      await decide(page, 'Allow');
      await makePasskey(page, stage.app.account.baseUrl);
      await forget(page);
      await page.goto(application.start());
      assert.deepEqual(await amrOf(page), ['hwk', 'user', 'mfa']);
    }));

  it('uses it after the password where the policy requires a second factor, or instead of a code', () =>
    browse(async (page) => {
      const user = await invite(stage, application);
      await addAuthenticator(page);
      await offerNoNames(page);
      await page.goto(application.start());
      await signIn(page, user);
      await decide(page, 'Allow');
      await makePasskey(page, stage.app.account.baseUrl);
      await demandCode(stage, user);
      for (const [title, button] of [
        ['Show your passkey', 'Continue with a passkey'],
        ['Enter your code', 'Use a passkey instead'],
      ] as const) {
        await forget(page);
        await page.goto(application.start());
        await signIn(page, user);
        assert.equal(await heading(page), title);
        assert.equal((await pressForPasskey(page, button)).status, 303);
        assert.deepEqual(await amrOf(page), ['pwd', 'hwk', 'user', 'mfa']);
        await giveDevice(stage.app, user);
      }
    }));

  it('is told when the device has no passkey, and can continue with the password', () =>
    browse(async (page) => {
      const user = await invite(stage, application);
      const authenticator = await addAuthenticator(page);
      await authenticator.recognise(false);
      await page.goto(application.start());
      await page.getByRole('button', { name: withPasskey }).click();
      await page.getByText('No passkey was used. Try again, or use your password.').waitFor();
      await page.getByLabel('User name or e-mail').focus();
      await signIn(page, user);
      assert.equal(await heading(page), 'Allow Expense Desk to use your account?');
    }));

  it('presses the button while the browser offers autofill: the button wins', () =>
    browse(async (page) => {
      const authenticator = await addAuthenticator(page);
      await authenticator.touch(false);
      await page.addInitScript(`
        const ask = navigator.credentials.get.bind(navigator.credentials);
        window.ended = [];
        navigator.credentials.get = (options) =>
          ask(options).catch((error) => {
            window.ended.push([options.mediation ?? 'button', error.name].join(' '));
            throw error;
          });
      `);
      await page.goto(application.start());
      const button = page.getByRole('button', { name: withPasskey });
      await button.click();
      await waitUntil(page, 'window.ended.length > 0');
      assert.deepEqual(await page.evaluate('window.ended'), ['conditional AbortError']);
      assert.ok(await button.isDisabled());
    }));

  it('is not asked in a browser without passkeys; renaming and removing need no script', async () => {
    const user = await invite(stage, application);
    await browse(async (page) => {
      await page.addInitScript('delete window.PublicKeyCredential');
      await page.goto(application.start());
      assert.equal(await page.getByRole('button', { name: withPasskey }).count(), 0);
      await signIn(page, user);
      await page.goto(own);
      await page.getByText('This browser cannot add a passkey here').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0);
    });
    // The session in which it was added is worth it, so that a page without a script has nothing to ask.
    let cookies: Awaited<ReturnType<BrowserContext['cookies']>> = [];
    await browse(async (page) => {
      await addAuthenticator(page);
      await page.goto(application.start());
      await signIn(page, user);
      await makePasskey(page, stage.app.account.baseUrl);
      cookies = await page.context().cookies();
    });
    await browse(async (page) => {
      await page.goto(application.start());
      assert.equal(await page.getByRole('button', { name: withPasskey }).count(), 0);
      await page.context().addCookies(cookies);
      await page.goto(own);
      await page.getByText('This browser cannot add a passkey here').waitFor();
      await page.getByText('Rename or remove').click();
      await page.getByLabel('Name', { exact: true }).first().fill('Office');
      await page.getByLabel('Name', { exact: true }).first().press('Enter');
      await page.getByRole('listitem').filter({ hasText: 'Office' }).waitFor();
      await page.getByText('Rename or remove').click();
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.getByText('You have no passkey yet').waitFor();
    }, false);
  });
});
