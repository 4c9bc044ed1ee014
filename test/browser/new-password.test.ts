import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { changePolicy, createPolicy } from '../../src/domain/policies/policies.ts';
import { assignPolicy } from '../support/policies.ts';
import { sampled } from '../support/sample.ts';
import { refresh } from '../support/sign-in.ts';
import {
  type Application,
  arrived,
  choose,
  decide,
  expire,
  heading,
  invite,
  openStage,
  registerApplication,
  type Stage,
  signIn,
  visit,
} from './stage.ts';

const fresh = 'seven brown bears at tea';

/** A5: an expired password is replaced in a real browser. */
for (const javaScript of sampled([true, false], 2)) {
  describe(`a person whose password expired, JavaScript ${javaScript ? 'on' : 'off'}`, () => {
    let stage: Stage;
    let application: Application;
    const browse = (look: (page: Page) => Promise<void>) => visit(stage, { javaScript }, look);

    before(async () => {
      stage = await openStage();
      application = await registerApplication(stage, { client_name: 'Expense Desk' });
    });
    after(() => stage.dispose());

    it('replaces it after two refused choices and arrives with a code that gives tokens', () =>
      browse(async (page) => {
        const user = await expire(stage, await invite(stage, application));
        await page.goto(application.start());
        assert.equal((await signIn(page, user)).status, 303);
        assert.equal(await heading(page), 'Choose a new password');
        await page.locator('#new_password:focus').waitFor();
        assert.equal(await page.getByLabel('User name or e-mail').inputValue(), user.email);
        for (const [typed, again, said] of [
          ['sunshine1', 'sunshine1', 'one of the most common ones'],
          [fresh, `${fresh}s`, 'The two passwords differ'],
          ['lovelace 1', 'lovelace 1', "the user's names or e-mail address"],
        ] as const) {
          assert.equal((await choose(page, typed, again)).status, 422);
          assert.match(await page.title(), /^Problem: Choose a new password/);
          await page.getByRole('alert').getByText(said).waitFor();
          assert.equal(await page.getByLabel('New password', { exact: true }).inputValue(), '');
        }
        assert.equal((await choose(page, fresh)).status, 303);
        assert.equal(await heading(page), 'Allow Expense Desk to use your account?');
        await decide(page, 'Allow');
        await arrived(page, application);
        const tokens = await application.redeem(page.url());
        assert.equal((await refresh(stage.app, application.client, tokens.refresh_token)).status, 200);
      }));

    it('must follow a changed policy at the next sign-in', () =>
      browse(async (page) => {
        const { services, account } = stage.app;
        const user = await invite(stage, application);
        const policy = await createPolicy(services, account, { name: `Aging, JavaScript ${javaScript}` });
        await assignPolicy(services, account, { userId: user.id }, policy.id);
        services.clock.advance(2 * 86_400_000);
        await page.goto(application.start());
        await signIn(page, user);
        await decide(page, 'Allow');
        await arrived(page, application);
        await changePolicy(services, account, policy.id, { passwordExpirationDays: 1, minimumPasswordLength: 25 });
        await page.goto(application.start({ prompt: 'login' }));
        await signIn(page, user);
        assert.equal(await heading(page), 'Choose a new password');
        await page.getByText('At least 25 characters.').waitFor();
        assert.equal((await choose(page, fresh)).status, 422);
        assert.equal((await choose(page, `${fresh} again`)).status, 303);
        await arrived(page, application);
      }));
  });
}
