import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sampled } from '../support/sample.ts';
import { password } from '../support/sign-in.ts';
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

/** Red, green and blue of a computed colour, 0 to 255. */
type Colour = readonly [number, number, number];

interface Ring {
  readonly style: string;
  readonly width: number;
  readonly colour: Colour;
  readonly ground: Colour;
}

/** The outline of the element that has the focus, and the colour of the card around it. */
async function focusRing(page: Page): Promise<Ring> {
  return page.evaluate(`(() => {
    const colour = (text) => text.match(/[0-9.]+/g).slice(0, 3).map(Number);
    const style = getComputedStyle(document.activeElement);
    return {
      style: style.outlineStyle,
      width: Number.parseFloat(style.outlineWidth),
      colour: colour(style.outlineColor),
      ground: colour(getComputedStyle(document.querySelector('main')).backgroundColor),
    };
  })()`);
}

/** Relative luminance, from 0 (black) to 1 (WCAG 2.2). */
function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Colour, other: Colour): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG 2.2 §2.4.7, §1.4.11: the focus is to be seen. */
async function assertFocusVisible(page: Page): Promise<void> {
  const { style, width, colour, ground } = await focusRing(page);
  assert.equal(style, 'solid');
  assert.ok(width >= 2, `${width} pixels`);
  assert.ok(contrast(colour, ground) >= 3, `contrast ${contrast(colour, ground)}`);
}

/** Presses Tab and answers what has the focus then: its accessible name. */
async function tab(page: Page): Promise<string> {
  await page.keyboard.press('Tab');
  await assertFocusVisible(page);
  const name = 'document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent';
  return (await page.evaluate<string>(name)).trim();
}

describe('the pages adapt', () => {
  let stage: Stage;
  let application: Application;

  before(async () => {
    stage = await openStage();
    application = await registerApplication(stage, {
      client_name: 'Expense Desk',
      client_uri: 'https://expenses.example.com/',
      policy_uri: 'https://expenses.example.com/privacy',
    });
  });
  after(() => stage.dispose());

  // The drill M6 does it in both.
  for (const colorScheme of sampled(['light', 'dark'] as const, 2)) {
    it(`to a keyboard: steps in reading order, visible focus, Enter continues (${colorScheme})`, () =>
      visit(stage, { colorScheme }, async (page) => {
        const user = await invite(stage, application);
        await page.goto(application.start());
        await page.locator('#username:focus').waitFor();
        await assertFocusVisible(page);
        await page.keyboard.type(user.email ?? '');
        assert.equal(await tab(page), 'Password');
        await page.keyboard.type(password);
        assert.equal(await tab(page), 'Sign in');
        await page.keyboard.press('Shift+Tab');
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Deny' }).waitFor();
        const order = [await tab(page), await tab(page), await tab(page), await tab(page)];
        assert.deepEqual(order, [
          'expenses.example.com (opens in a new tab)',
          'Allow',
          'Deny',
          'Privacy policy of Expense Desk (opens in a new tab)',
        ]);
        await page.keyboard.press('Shift+Tab');
        await page.keyboard.press('Enter');
        assert.equal((await arrived(page, application))['error'], 'access_denied');
      }));
  }

  it('to an empty field: the browser asks for it, and nothing is sent', () =>
    visit(stage, {}, async (page) => {
      await page.goto(application.start());
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.method()));
      await page.locator('#username:focus').waitFor();
      await page.keyboard.type('ada@example.com');
      await page.keyboard.press('Enter');
      await page.locator('#password:focus:invalid').waitFor();
      assert.ok(!sent.includes('POST'));
    }));

  it('to assistive technology: the problem is an alert that describes the fields', () =>
    visit(stage, {}, async (page) => {
      await page.goto(application.start());
      await signIn(page, { email: 'nobody@example.com' });
      const tree = await page.locator('main').ariaSnapshot();
      assert.match(tree, /- alert:\n\s+- paragraph: We could not sign you in/);
      const problem = await page.getByRole('alert').getAttribute('id');
      for (const label of ['User name or e-mail', 'Password']) {
        const field = page.getByLabel(label);
        assert.equal(await field.getAttribute('aria-invalid'), 'true');
        assert.equal(await field.getAttribute('aria-describedby'), problem);
      }
    }));

  it('to password managers: the fields state their purpose', () =>
    visit(stage, {}, async (page) => {
      await page.goto(application.start({ login_hint: 'ada@example.com' }));
      const name = page.getByLabel('User name or e-mail');
      assert.equal(await name.getAttribute('autocomplete'), 'username webauthn');
      assert.equal(await name.inputValue(), 'ada@example.com');
      assert.equal(await page.getByLabel('Password').getAttribute('autocomplete'), 'current-password');
      await page.locator('#password:focus').waitFor();
    }));

  it('to a screen of 320 pixels: no sideways scrolling, and targets are large enough', () =>
    visit(stage, { viewport: { width: 320, height: 640 } }, async (page) => {
      const user = await invite(stage, application);
      const assertFits = async () => {
        const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.equal(await page.evaluate(sideways), 0);
        for (const target of await page.locator('button, input:not([type=hidden])').all()) {
          const { x = -1, width = 0, height = 0 } = (await target.boundingBox()) ?? {};
          assert.ok(x >= 0 && x + width <= 320 && height >= 44, `${x} ${width} ${height}`);
        }
      };
      await page.goto(application.start());
      await assertFits();
      await signIn(page, user, 'wrong');
      await assertFits();
      await signIn(page, user);
      assert.equal(await heading(page), 'Allow Expense Desk to use your account?');
      await assertFits();
      await decide(page, 'Allow');
      await arrived(page, application);
    }));

  it('to text of twice the size (WCAG 2.2 §1.4.4)', () =>
    visit(stage, { viewport: { width: 640, height: 800 } }, async (page) => {
      const user = await invite(stage, application);
      await page.goto(application.start());
      await signIn(page, user);
      const session = await page.context().newCDPSession(page);
      await session.send('Page.enable');
      await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
      await page.reload();
      assert.equal(await page.evaluate('getComputedStyle(document.body).fontSize'), '32px');
      assert.equal(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
        0,
      );
    }));

  it('to a dark scheme: dark ground, light text, and the same for what the browser draws', () =>
    visit(stage, { colorScheme: 'dark' }, async (page) => {
      await page.goto(application.start());
      const colours = (property: string) =>
        page.evaluate<Colour>(`getComputedStyle(document.body).${property}.match(/[0-9]+/g).slice(0, 3).map(Number)`);
      const [ground, text] = [await colours('backgroundColor'), await colours('color')];
      assert.ok(luminance(ground) < 0.05 && luminance(text) > 0.7, `${ground} ${text}`);
      assert.equal(await page.evaluate('getComputedStyle(document.documentElement).colorScheme'), 'light dark');
    }));

  it('to people who prefer reduced motion', async () => {
    for (const reducedMotion of ['no-preference', 'reduce'] as const) {
      await visit(stage, { reducedMotion }, async (page) => {
        await page.goto(application.start());
        const moving = `[...document.querySelectorAll('*')].filter((element) => {
          const { transitionDuration, animationName } = getComputedStyle(element);
          return animationName !== 'none' || transitionDuration.split(', ').some((time) => time !== '0s');
        }).length`;
        const count = await page.evaluate<number>(moving);
        assert.equal(count > 0, reducedMotion === 'no-preference', `${count} elements move`);
      });
    }
  });
});
