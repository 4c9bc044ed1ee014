/**
 * Why somebody cannot sign in, from the user's page: thirteen causes, each found and mended, by pointer and by keyboard.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type Cast, gatherCast, planted, resetHooks, runner } from '../../domain/explain/planted.ts';
import { makeAdministrator } from '../../support/console.ts';
import { sampled, sampledDatabases } from '../../support/sample.ts';
import { runningClock } from '../../support/services.ts';
import { openStage, type Stage } from '../stage.ts';
import { type Hand, handOf, type Way } from './hand.ts';
import { visitConsole } from './visit-console.ts';

const mostInteractions = 3;

/** The button that mends a cause, what has to be typed first, and the cause of the step afterwards. */
interface Mend {
  readonly button: string;
  readonly typed?: Readonly<Record<string, string>>;
  /** The answer has something that is shown once. */
  readonly tells?: true;
  readonly becomes: string;
}

/** Where no call helps, the page says who does. */
const mends: Readonly<Record<string, Mend | { readonly says: RegExp }>> = {
  locked: { button: 'Unlock', becomes: 'user_active' },
  suspended: { button: 'Activate', becomes: 'user_active' },
  'no access': { button: 'Assign the app', becomes: 'access_direct' },
  'wrong policy': { button: 'Remove the user’s own policy', becomes: 'policy_of_account' },
  'factor missing': {
    button: 'Register a device',
    typed: { 'Name of the device': 'Phone' },
    tells: true,
    becomes: 'second_factor_due',
  },
  'second factor closed': { button: 'Unlock', becomes: 'second_factor_due' },
  'hook refuses': { button: 'Disable the hook', becomes: 'no_hook' },
  'hook times out': { button: 'Disable the hook', becomes: 'no_hook' },
  'expired password': { button: 'Activate', becomes: 'password_current' },
  'consent withdrawn': { says: /its next sign-in asks/ },
  'client expired': {
    button: 'Create an app',
    typed: { Name: 'Payroll', 'Redirect URIs': 'https://app.example.com/callback' },
    tells: true,
    becomes: 'client_found',
  },
  'redirect URI differs': { button: 'Register this redirect URI', becomes: 'request_valid' },
  clock: { says: /Set the client's clock by NTP/ },
};

const cells = (['pointer', 'keyboard'] as const).flatMap((way) => Object.keys(mends).map((cause) => ({ way, cause })));

describe('an explanation on the page of a user', () => {
  it('is asked for all causes that are planted', () => {
    assert.deepEqual(Object.keys(mends).toSorted(), Object.keys(planted).toSorted());
  });

  for (const kind of sampledDatabases) {
    describe(`on ${kind}`, () => {
      let stage: Stage;
      before(async () => {
        stage = await openStage({}, { clock: runningClock(), hooks: runner }, kind);
      });
      after(() => stage.dispose());

      for (const { way, cause } of sampled(cells, 22)) {
        it(`${cause}: is found by ${way} in ${mostInteractions} interactions, and mended`, async () => {
          const cast = await gatherCast(stage.app);
          const administrator = await makeAdministrator(cast.app);
          await visitConsole({ ...stage, app: cast.app }, administrator, {}, async (page) => {
            await page.goto(`${cast.app.account.baseUrl}/console/users/${cast.user.id}`);
            await find(page, way, cast, cause);
          });
          resetHooks();
        });
      }
    });
  }
});

async function find(page: Page, way: Way, cast: Cast, cause: string): Promise<void> {
  const [name, code, plant] = planted[cause] ?? assert.fail(cause);
  const { asked = {} } = await plant(cast);
  await page.reload();
  await page.locator('main h1').waitFor();
  const section = page.getByRole('region', { name: 'Why can this user (not) sign in?' });
  const path = section.getByRole('list', { name: 'Decisions of the sign-in' });
  const hand = handOf(page, way);
  await ask(hand, page, 'Test App', asked);
  const step = path.getByRole('listitem').filter({ has: page.getByText(code, { exact: true }) });
  await step.waitFor();
  assert.ok(hand.interactions() <= mostInteractions, `${hand.interactions()} interactions`);
  const mend = mends[cause] ?? assert.fail(cause);
  // The verdict names the step that decides; a policy is the reason for another one.
  if (name !== 'policy') assert.equal(await path.locator('[aria-current=step] code').first().innerText(), code);
  if ('says' in mend) {
    assert.match(await step.innerText(), mend.says);
    assert.equal(await step.getByRole('button').count(), 0);
    return;
  }
  await hand.press(step, mend.button);
  const dialog = page.getByRole('dialog');
  for (const [label, text] of Object.entries(mend.typed ?? {})) await hand.fill(dialog, label, text);
  await hand.press(dialog, mend.button);
  if (mend.tells) {
    await dialog.getByText('Keep this now').waitFor();
    await hand.press(dialog, 'I have kept it');
  }
  await path.getByText(mend.becomes, { exact: true }).waitFor();
  assert.equal(await path.getByText(code, { exact: true }).count(), 0);
  await page.getByRole('status').getByText('Done, and explained again.').waitFor();
  await dialog.waitFor({ state: 'detached' });
  assert.notEqual(await page.evaluate('document.activeElement.tagName'), 'BODY', 'the focus is somewhere');
}

/** Chooses the app, types what the app sends, and asks. */
async function ask(
  hand: Hand,
  page: Page,
  app: string,
  asked: { readonly client_id?: string; readonly redirect_uri?: string },
): Promise<void> {
  await page.getByRole('option', { name: app }).waitFor({ state: 'attached' });
  await hand.choose(page, 'App', asked.client_id === undefined ? app : 'An app that is not listed');
  if (asked.client_id !== undefined) await hand.fill(page, 'Client ID', asked.client_id);
  if (asked.redirect_uri !== undefined) await hand.fill(page, 'Redirect URI', asked.redirect_uri);
  await hand.press(page, 'Explain');
}
