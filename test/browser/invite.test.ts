import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { goodPassword, newInvite } from '../support/invites.ts';
import { sampled } from '../support/sample.ts';
import { makeUser } from '../support/sign-in.ts';
import {
  arrived,
  choose,
  decide,
  heading,
  invite,
  openStage,
  registerApplication,
  type Stage,
  visit,
} from './stage.ts';

/** A2: an invite link in a real browser. */
for (const javaScript of sampled([true, false], 2)) {
  describe(`a person with an invite link, JavaScript ${javaScript ? 'on' : 'off'}`, () => {
    let stage: Stage;
    const browse = (look: (page: Page) => Promise<void>) => visit(stage, { javaScript }, look);
    const linkFor = async (email: string | null) => stage.app.account.baseUrl + (await newInvite(stage.app, email));

    before(async () => {
      stage = await openStage();
    });
    after(() => stage.dispose());

    it('is told that a password is too weak, chooses one, is signed in, and needs no password at an application', () =>
      browse(async (page) => {
        const application = await registerApplication(stage, { client_name: 'Expense Desk' });
        const user = await invite(stage, application, { password: undefined });
        const link = await linkFor(user.email);
        await page.goto(link);
        assert.equal(await heading(page), 'Choose a password');
        assert.equal(await page.getByLabel('User name or e-mail').inputValue(), user.email);
        for (const [typed, again, said] of [
          ['sunshine1', 'sunshine1', 'one of the most common ones'],
          ['short', 'short', 'must have 8 to 256 characters'],
          [goodPassword, `${goodPassword}s`, 'The two passwords differ'],
        ] as const) {
          assert.equal((await choose(page, typed, again)).status, 422);
          assert.match(await page.title(), /^Problem: Choose a password/);
          await page.getByRole('alert').getByText(said).waitFor();
        }
        assert.equal((await choose(page, goodPassword)).status, 303);
        assert.equal(await heading(page), 'You are signed in');
        await page.getByText('Ada Lovelace').waitFor();
        assert.equal((await page.goto(link))?.status(), 410);
        assert.equal(await heading(page), 'This link has been used');
        await page.goto(application.start());
        assert.equal(await heading(page), 'Allow Expense Desk to use your account?');
        await decide(page, 'Allow');
        await arrived(page, application);
      }));

    it('is told when the link has expired, and when a newer one has replaced it', () =>
      browse(async (page) => {
        const user = await makeUser(stage.app, undefined, { password: undefined });
        const former = await linkFor(user.email);
        const link = await linkFor(user.email);
        await page.goto(former);
        assert.equal(await heading(page), 'This link does not work');
        await page.goto(link);
        stage.app.services.clock.advance(72 * 3_600_000);
        assert.equal((await choose(page, goodPassword)).status, 410);
        assert.equal(await heading(page), 'This link has expired');
      }));
  });
}
