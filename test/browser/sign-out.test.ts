import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sampled } from '../support/sample.ts';
import { logoutPath } from '../support/sign-out.ts';
import {
  type Application,
  arrived,
  decide,
  heading,
  invite,
  openStage,
  registerApplication,
  type Stage,
  signIn,
  visit,
} from './stage.ts';

/** RP-initiated logout in a real browser: its cookies, redirects and policies. */
for (const javaScript of sampled([true, false], 2)) {
  describe(`a person who signs out, JavaScript ${javaScript ? 'on' : 'off'}`, () => {
    let stage: Stage;
    let application: Application;
    let afterwards: string;
    const browse = (look: (page: Page) => Promise<void>) => visit(stage, { javaScript }, look);

    before(async () => {
      stage = await openStage();
      afterwards = `${stage.site.origin}/bye`;
      const metadata = { client_name: 'Expense Desk', post_logout_redirect_uris: [afterwards] };
      application = await registerApplication(stage, metadata);
    });
    after(() => stage.dispose());

    /** Signed in at the application; answers its id token. */
    async function arrive(page: Page): Promise<string> {
      await page.goto(application.start());
      await signIn(page, await invite(stage, application));
      await decide(page, 'Allow');
      await arrived(page, application);
      return (await application.redeem(page.url())).id_token;
    }

    async function assertSignedOut(page: Page): Promise<void> {
      await page.goto(application.start());
      assert.equal(await heading(page), 'Sign in');
    }

    const logout = (parameters: Record<string, string>) => stage.app.account.baseUrl + logoutPath(parameters);

    it('is asked, presses the button and reads that they are signed out', () =>
      browse(async (page) => {
        await arrive(page);
        await page.goto(logout({ client_id: application.client.client_id }));
        assert.match(await heading(page), /^Sign out of Test t[\da-f]+\?$/);
        await page.getByText('Expense Desk asks you to do this').waitFor();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
        await assertSignedOut(page);
      }));

    it('is asked and continues to the application, which form-action allows', () =>
      browse(async (page) => {
        await arrive(page);
        const parameters = {
          client_id: application.client.client_id,
          post_logout_redirect_uri: afterwards,
          state: 'x',
        };
        await page.goto(logout(parameters));
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.waitForURL(`${afterwards}?state=x`);
        await assertSignedOut(page);
      }));

    it('is not asked when the application sends an ID token', () =>
      browse(async (page) => {
        const hint = await arrive(page);
        await page.goto(logout({ id_token_hint: hint, post_logout_redirect_uri: afterwards }));
        assert.equal(page.url(), afterwards);
        await assertSignedOut(page);
      }));
  });
}
