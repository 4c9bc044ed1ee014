import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { isWhole } from '../support/sample.ts';
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

describe('going back, reloading and several tabs', () => {
  let stage: Stage;
  let application: Application;

  before(async () => {
    stage = await openStage();
    application = await registerApplication(stage);
  });
  after(() => stage.dispose());

  it('going back after a sign-in shows no form and no second code; forward leads to the application (L7)', () =>
    visit(stage, {}, async (page) => {
      const user = await invite(stage, application);
      await page.goto(application.start());
      await signIn(page, user);
      await decide(page, 'Allow');
      const { code } = await arrived(page, application);
      for (const former of ['/consent', '/sign-in']) {
        assert.equal((await page.goBack())?.status(), 400);
        assert.equal(new URL(page.url()).pathname, former);
        assert.equal(await heading(page), 'This request cannot be used');
        assert.equal(await page.locator('form').count(), 0);
      }
      await page.goForward();
      await page.goForward();
      assert.equal((await arrived(page, application))['code'], code);
      await application.redeem(page.url());
    }));

  it('going back from the consent page shows the consent page: a signed-in user is not asked again', () =>
    visit(stage, {}, async (page) => {
      const user = await invite(stage, application);
      await page.goto(application.start());
      await signIn(page, user);
      await page.goBack();
      assert.equal(await heading(page), 'Allow Test App to use your account?');
      await decide(page, 'Allow');
      await arrived(page, application);
      await application.redeem(page.url());
    }));

  it('reloading a form changes nothing, and it still works', () =>
    visit(stage, {}, async (page) => {
      const user = await invite(stage, application);
      await page.goto(application.start());
      await page.reload();
      await signIn(page, user);
      await page.reload();
      await decide(page, 'Allow');
      await arrived(page, application);
      await application.redeem(page.url());
    }));

  it('two tabs with separate sign-ins finish separately', () =>
    visit(stage, {}, async (page) => {
      const user = await invite(stage, application);
      await page.goto(application.start({ state: 'one' }));
      await signIn(page, user);
      const other = await page.context().newPage();
      await other.goto(application.start({ state: 'two' }));
      await decide(other, 'Deny');
      await decide(page, 'Allow');
      const [denied, allowed] = [await arrived(other, application), await arrived(page, application)];
      assert.deepEqual([denied['state'], denied['error']], ['two', 'access_denied']);
      assert.deepEqual([allowed['state'], allowed['error']], ['one', undefined]);
      await application.redeem(page.url());
    }));

  it('a form left open in another tab says to start again, and starting again asks for nothing', () =>
    visit(stage, {}, async (page) => {
      const user = await invite(stage, application);
      const other = await page.context().newPage();
      await other.goto(application.start({ state: 'left open' }));
      await page.goto(application.start());
      await signIn(page, user);
      await decide(page, 'Allow');
      await arrived(page, application);
      assert.equal((await signIn(other, user)).status, 400);
      await other.getByText('Go back to the application and start again.').waitFor();
      await other.goto(application.start({ state: 'again' }));
      assert.equal((await arrived(other, application))['state'], 'again');
      await application.redeem(other.url());
    }));

  if (isWhole)
    it('prompt=login asks again, and another person can sign in (OpenID Connect Core §3.1.2.1)', () =>
      visit(stage, {}, async (page) => {
        const [first, second] = [await invite(stage, application), await invite(stage, application)];
        await page.goto(application.start());
        await signIn(page, first);
        await decide(page, 'Allow');
        await arrived(page, application);
        await page.goto(application.start({ prompt: 'login' }));
        assert.equal(await heading(page), 'Sign in');
        await signIn(page, second);
        await page.getByText(second.email ?? '').waitFor();
        await decide(page, 'Allow');
        await arrived(page, application);
        const { id_token: idToken } = await application.redeem(page.url());
        assert.equal(decodeJwt(idToken).sub, String(second.id));
      }));
});
