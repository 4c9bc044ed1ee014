import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { Page } from 'playwright-core';
import { createOwnEgress } from '../../src/adapters/egress/policies.ts';
import { createLogoutNotices } from '../../src/domain/sign-out/notices.ts';
import { grantAccess } from '../../src/domain/users/access.ts';
import { everywhere, type Internet, openInternet, patientMilliseconds } from '../support/internet.ts';
import { goodPassword } from '../support/invites.ts';
import { linkIn, mailsTo } from '../support/resets.ts';
import { sampled } from '../support/sample.ts';
import { codeAt, keyOf } from '../support/second-factor.ts';
import { makeUser } from '../support/sign-in.ts';
import {
  arrived,
  choose,
  decide,
  giveCode,
  heading,
  invite,
  openStage,
  registerApplication,
  type Stage,
  signIn,
  visit,
} from './stage.ts';

/** The account pages in a real browser: docs/account-pages.md, A4. */
for (const javaScript of sampled([true, false], 2)) {
  describe(`a person at their account, JavaScript ${javaScript ? 'on' : 'off'}`, () => {
    let stage: Stage;
    const browse = (look: (page: Page) => Promise<void>) => visit(stage, { javaScript }, look);
    const at = (path: string) => stage.app.account.baseUrl + path;

    before(async () => {
      stage = await openStage();
    });
    after(() => stage.dispose());

    /** Fills in the three fields of the page for a password. */
    async function change(page: Page, current: string, next: string): Promise<void> {
      await page.locator('input:focus').waitFor();
      await page.getByLabel('Current password').fill(current);
      await page.getByLabel('New password', { exact: true }).fill(next);
      await page.getByLabel('New password again').fill(next);
      await page.getByRole('button', { name: 'Save the new password' }).click();
    }

    it('signs in on the way, changes the password, and signs in with the new one', () =>
      browse(async (page) => {
        const user = await makeUser(stage.app);
        await page.goto(at('/account'));
        await signIn(page, user);
        assert.equal(await heading(page), 'Your account');
        await page.getByRole('link', { name: /^Password/ }).click();
        await change(page, 'wrong', goodPassword);
        await page.getByRole('alert').getByText('This is not your current password').waitFor();
        await change(page, 'correct horse battery staple', goodPassword);
        await page.getByRole('status').getByText('Your password has been changed.').waitFor();
        await page.getByRole('link', { name: 'Sign out' }).click();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('link', { name: 'Sign in again' }).click();
        await signIn(page, user, goodPassword);
        assert.equal(await heading(page), 'Your account');
      }));

    it('requests a link for a forgotten password and is signed in with a new one', () =>
      browse(async (page) => {
        const user = await makeUser(stage.app);
        await page.goto(at('/account'));
        await page.locator('input:focus').waitFor();
        await page.getByRole('link', { name: 'Forgot your password?' }).click();
        await page.locator('input:focus').waitFor();
        await page.getByLabel('User name or e-mail').fill(user.email ?? '');
        await page.getByRole('button', { name: 'Send me a link' }).click();
        await page.getByRole('heading', { name: 'Check your e-mail' }).waitFor();
        await page.getByRole('link', { name: 'Back to sign-in' }).click();
        assert.equal(await heading(page), 'Sign in');
        await page.goto(at(linkIn(stage.app, (await mailsTo(stage.app, user.email))[0])));
        assert.equal((await choose(page, goodPassword)).status, 303);
        assert.equal(await heading(page), 'Your account');
        await page.getByRole('status').getByText('Your password has been changed.').waitFor();
      }));

    it('adds a second factor, is asked for it at the next sign-in, makes new codes and removes it', () =>
      browse(async (page) => {
        const { clock } = stage.app.services;
        const user = await makeUser(stage.app);
        await page.goto(at('/account/second-factors'));
        await signIn(page, user);
        await page.getByRole('link', { name: 'Add an authenticator app' }).click();
        const secret = keyOf(await page.content());
        await giveCode(page, codeAt(secret, clock.now()), 'Code');
        assert.equal(await heading(page), 'Save your recovery codes');
        await page.getByRole('link', { name: 'I have saved them' }).click();
        await page.getByRole('button', { name: 'Make new recovery codes' }).click();
        await page.getByText('The old ones no longer work').waitFor();
        clock.advance(11 * 60_000);
        await page.goto(at('/account/second-factors'));
        assert.equal(await page.getByLabel('User name or e-mail').inputValue(), user.email);
        await signIn(page, user);
        await giveCode(page, codeAt(secret, clock.now()));
        await page.getByRole('button', { name: /^Remove Authenticator app, added / }).click();
        await page.getByRole('status').getByText('The device has been removed.').waitFor();
        await page.getByRole('link', { name: 'Back' }).click();
        assert.equal(await heading(page), 'Your account');
      }));

    it('sees an application and withdraws its access', () =>
      browse(async (page) => {
        const application = await registerApplication(stage, { client_name: 'Expense Desk' });
        await page.goto(application.start());
        await signIn(page, await invite(stage, application));
        await decide(page, 'Allow');
        await arrived(page, application);
        await page.goto(at('/account'));
        await page.getByRole('link', { name: 'Applications' }).click();
        await page.getByText('See your e-mail address').waitFor();
        await page.getByRole('button', { name: 'Remove access of Expense Desk' }).click();
        await page.getByText('No application uses your account.').waitFor();
        await page.goto(application.start());
        assert.equal(await heading(page), 'Allow Expense Desk to use your account?');
      }));

    it('ends the session of another browser', () =>
      browse(async (one) => {
        const user = await makeUser(stage.app);
        await one.goto(at('/account'));
        await signIn(one, user);
        await browse(async (other) => {
          await other.goto(at('/account'));
          await signIn(other, user);
          await one.goto(at('/account/sessions'));
          await one.getByRole('button', { name: /^Sign out Chrome on Linux, signed in / }).click();
          await one.getByRole('status').getByText('The browser has been signed out.').waitFor();
          await other.reload();
          assert.equal(await heading(other), 'Sign in');
        });
        await one.reload();
        assert.equal(await heading(one), 'Where you are signed in');
      }));
  });
}

describe('two browsers and two applications (A4)', () => {
  let stage: Stage;
  let internet: Internet;
  const heard: string[] = [];

  before(async () => {
    stage = await openStage();
    internet = await openInternet();
    internet.handle(async (req, res) => {
      let body = '';
      for await (const chunk of req) body += chunk;
      const token = new URLSearchParams(body).get('logout_token') ?? '';
      const { services, account } = stage.app;
      const keys = createLocalJWKSet({ keys: [...(await services.signer.published(account))] });
      const currentDate = new Date(services.clock.now());
      const { payload } = await jwtVerify(token, keys, { issuer: account.baseUrl, typ: 'logout+jwt', currentDate });
      heard.push(`${req.headers.host} ${payload.aud} ${payload.sub}`);
      res.writeHead(200).end();
    });
  });
  after(async () => {
    await stage.dispose();
    await internet.close();
  });

  it('sign out everywhere ends both, and both applications are notified', () =>
    visit(stage, {}, async (one) => {
      const apps = await Promise.all(
        ['one', 'two'].map((name) =>
          registerApplication(stage, {
            client_name: name,
            backchannel_logout_uri: `https://${name}.example.com/ended`,
          }),
        ),
      );
      const [first, second] = apps;
      assert.ok(first && second);
      const user = await invite(stage, first);
      await grantAccess(stage.app.services, stage.app.account, second.client.app_id, { user: user.email ?? '' });
      const arrive = async (page: Page, application: typeof first) => {
        await page.goto(application.start());
        await signIn(page, user);
        await decide(page, 'Allow');
        await arrived(page, application);
        return application.redeem(page.url());
      };
      await arrive(one, first);
      await visit(stage, {}, async (other) => {
        await arrive(other, second);
        await one.goto(`${stage.app.account.baseUrl}/account/sessions`);
        assert.equal(await one.getByText('Chrome on Linux').count(), 3, 'two, and the name of one button');
        await one.getByRole('button', { name: 'Sign out everywhere' }).click();
        assert.equal(await heading(one), 'You are signed out');
        for (const [page, application] of [
          [one, first],
          [other, second],
        ] as const) {
          await page.goto(application.start());
          assert.equal(await heading(page), 'Sign in');
        }
      });
      // What the service tried by itself found no way out of the test; it is due again.
      await stage.app.services.logoutNotices.run();
      stage.app.services.clock.advance(60_000);
      const egress = createOwnEgress(everywhere, internet.network, patientMilliseconds);
      await createLogoutNotices({ ...stage.app.services, egress }).run();
      const told = [first, second].map(
        ({ client }, at) => `${['one', 'two'][at]}.example.com ${client.client_id} ${user.id}`,
      );
      assert.deepEqual(heard.sort(), told.sort());
    }));
});
