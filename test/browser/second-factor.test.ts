import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import type { Page } from 'playwright-core';
import { changePolicy, createPolicy } from '../../src/domain/policies/policies.ts';
import { assignPolicy } from '../support/policies.ts';
import { sampled } from '../support/sample.ts';
import { codeAt, keyOf, recoveryCodesOf, wrongCode } from '../support/second-factor.ts';
import {
  type Application,
  arrived,
  decide,
  demandCode,
  giveCode,
  heading,
  invite,
  openStage,
  registerApplication,
  type Stage,
  signIn,
  visit,
} from './stage.ts';

/** A5: a person enrols an app, signs in with it, uses a recovery code, and meets a changed policy. */
for (const javaScript of sampled([true, false], 2)) {
  describe(`a person with a second factor, JavaScript ${javaScript ? 'on' : 'off'}`, () => {
    let stage: Stage;
    let application: Application;
    const browse = (look: (page: Page) => Promise<void>) => visit(stage, { javaScript }, look);

    before(async () => {
      stage = await openStage();
      application = await registerApplication(stage, { client_name: 'Expense Desk' });
    });
    after(() => stage.dispose());

    it('is required to enrol at the next sign-in, and signs in with the factor and a recovery code', async () => {
      const { services, account } = stage.app;
      const user = await invite(stage, application);
      const policy = await createPolicy(services, account, { name: 'Changing' });
      await assignPolicy(services, account, { userId: user.id }, policy.id);
      let key = '';
      let codes: string[] = [];
      await browse(async (page) => {
        await page.goto(application.start());
        await signIn(page, user);
        await decide(page, 'Allow');
        await arrived(page, application);
        await changePolicy(services, account, policy.id, { otpRequired: true });
        await page.goto(application.start({ prompt: 'login' }));
        await signIn(page, user);
        assert.equal(await heading(page), 'Set up a second factor');
        key = keyOf(await page.content());
        const picture = await page.locator('svg.qr').boundingBox();
        assert.ok((picture?.width ?? 0) > 150, 'the picture must be scannable');
        assert.equal((await giveCode(page, wrongCode(key, services.clock.now()), 'Code')).status, 401);
        await page.getByRole('alert').getByText('This code does not match the key').waitFor();
        assert.equal(keyOf(await page.content()), key);
        assert.equal((await giveCode(page, codeAt(key, services.clock.now()), 'Code')).status, 200);
        assert.equal(await heading(page), 'Save your recovery codes');
        codes = recoveryCodesOf(await page.content());
        await page.getByRole('link', { name: 'I have saved them, continue' }).click();
        await arrived(page, application);
      });
      services.clock.advance(30_000);
      await browse(async (page) => {
        await page.goto(application.start());
        await signIn(page, user);
        assert.equal(await heading(page), 'Enter your code');
        await page.locator('#otp:focus').waitFor();
        assert.equal((await giveCode(page, wrongCode(key, services.clock.now()))).status, 401);
        await page.getByRole('alert').getByText('This code does not work').waitFor();
        assert.equal((await giveCode(page, codeAt(key, services.clock.now()))).status, 303);
        await arrived(page, application);
        const { id_token: idToken } = await application.redeem(page.url());
        assert.deepEqual(decodeJwt(idToken)['amr'], ['pwd', 'otp', 'mfa']);
      });
      await browse(async (page) => {
        await page.goto(application.start());
        await signIn(page, user);
        await page.getByText('Use a recovery code').click();
        assert.equal((await giveCode(page, 'aaaaa-aaaaa', 'Recovery code')).status, 401);
        assert.equal((await giveCode(page, codes[3] ?? '', 'Recovery code')).status, 303);
        await arrived(page, application);
      });
      await browse(async (page) => {
        await page.goto(application.start());
        await signIn(page, user);
        await page.getByText('Use a recovery code').click();
        assert.equal((await giveCode(page, codes[3] ?? '', 'Recovery code')).status, 401, 'each works once');
      });
    });

    it('opens the page of a finished step and is redirected onward', () =>
      browse(async (page) => {
        const { services } = stage.app;
        const user = await demandCode(stage, await invite(stage, application));
        await page.goto(application.start());
        await signIn(page, user);
        const enrolment = page.url();
        await giveCode(page, codeAt(keyOf(await page.content()), services.clock.now()), 'Code');
        for (const done of [enrolment, enrolment.replace('/enrol', '')]) {
          await page.goto(done);
          assert.equal(await heading(page), 'Allow Expense Desk to use your account?');
        }
      }));
  });
}
