import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { waitUntil } from '../support/browser.ts';
import { sampled } from '../support/sample.ts';
import { makeUser } from '../support/sign-in.ts';
import {
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

const native = { application_type: 'native', token_endpoint_auth_method: 'none' };

/** Whether the heading's words after the name run from left to right, after the name. */
async function readsOn(page: Page): Promise<boolean> {
  return page.evaluate(`(() => {
    const text = document.querySelector('h1').lastChild;
    const left = (index) => {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + 1);
      return range.getBoundingClientRect();
    };
    const places = [...text.data].map((_letter, index) => left(index));
    return places.every((place, index) => index < 2 || place.top > places[index - 1].top || place.left > places[index - 1].left);
  })()`);
}

describe('applications of every kind', () => {
  let stage: Stage;

  before(async () => {
    stage = await openStage();
  });
  after(() => stage.dispose());

  for (const javaScript of sampled([true, false], 2)) {
    it(`the browser leaves for a native application's own scheme, JavaScript ${javaScript ? 'on' : 'off'} (RFC 8252 §7.1)`, () =>
      visit(stage, { javaScript, schemes: ['com.example.app:'] }, async (page) => {
        const application = await registerApplication(stage, native, 'com.example.app:/callback');
        await page.goto(application.start());
        await signIn(page, await invite(stage, application));
        await page.getByText('Either way you go back to com.example.app.').waitFor();
        const left = page.waitForRequest((request) => request.url().startsWith('com.example.app:'));
        await page.getByRole('button', { name: 'Allow' }).click({ noWaitAfter: true });
        const tokens = await application.redeem((await left).url());
        assert.ok(tokens.refresh_token);
      }));
  }

  it('an application with a logo is shown with it', () =>
    visit(stage, {}, async (page) => {
      const application = await registerApplication(stage, { logo_uri: `${stage.site.origin}/logo.svg` });
      await page.goto(application.start());
      await waitUntil(page, `document.querySelector('img.logo').naturalWidth === 64`);
    }));

  it('a native application on loopback is answered at the port it has now (RFC 8252 §7.3)', () =>
    visit(stage, {}, async (page) => {
      const metadata = { ...native, redirect_uris: ['http://127.0.0.1/callback'] };
      const application = await registerApplication(stage, metadata);
      await page.goto(application.start());
      await signIn(page, await invite(stage, application));
      await page.getByText(`Either way you go back to ${new URL(stage.site.origin).host}.`).waitFor();
      await decide(page, 'Allow');
      assert.ok((await arrived(page, application))['code']);
      await application.redeem(page.url());
    }));

  it('an application without a name is shown by its client_id (RFC 7591 §2)', () =>
    visit(stage, {}, async (page) => {
      const application = await registerApplication(stage, { client_name: undefined });
      await page.goto(application.start());
      await page.getByText(`to continue to ${application.client.client_id}`).waitFor();
    }));

  const names = {
    markup: `</title><img src=x onerror="document.title='run'"><script>document.title='run'</script>&lt;b&gt;"'`,
    '255 letters': 'W'.repeat(255),
    '255 characters of four bytes': '😀'.repeat(127),
    'words of many scripts': `Ωμέγα 経費 Расходы ค่าใช้จ่าย ${'Zoë\u0301'.repeat(20)}`,
    'right to left': '\u202Etnuocca ruoy esu ot\u2067 משרד ההוצאות \u2068مكتب',
  };
  // What would run, and what would read otherwise; the drill M6 has all.
  for (const [kind, name] of sampled(Object.entries(names), 4)) {
    it(`a name of ${kind} leaves every page intact (R7)`, () =>
      visit(stage, { viewport: { width: 320, height: 640 } }, async (page) => {
        const application = await registerApplication(stage, { client_name: 'Plain' });
        // Past registration, which refuses controls of direction: a row may be older than that.
        const { services, account } = stage.app;
        await services.store.clients.update(account.id, application.client.app_id, { name });
        const [user, outsider] = [await invite(stage, application), await makeUser(stage.app)];
        const shown = async () => {
          const text = page.locator('main bdi', { hasText: /./ }).first();
          // What a name leaves open is closed.
          assert.equal((await text.textContent())?.replace(/\u2069+$/, ''), name);
          assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
          assert.notEqual(await page.title(), 'run');
          assert.equal(await page.locator('img:not(.brand-mark), script:not([src^="/assets/"]), b').count(), 0);
        };
        await page.goto(application.start());
        await shown();
        assert.ok((await page.title()).includes(name));
        await signIn(page, outsider);
        assert.equal(await heading(page), 'You do not have access');
        await shown();
        await page.goto(application.start());
        await signIn(page, user);
        await shown();
        assert.ok(await readsOn(page), 'the words after the name are reversed');
        const { width = 0 } = (await page.getByRole('button', { name: 'Deny' }).boundingBox()) ?? {};
        assert.ok(width > 100);
        await decide(page, 'Allow');
        assert.ok((await arrived(page, application))['code']);
      }));
  }
});
