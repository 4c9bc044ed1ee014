import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { isSampled, sampled } from '../support/sample.ts';
import { giveDevice } from '../support/second-factor.ts';
import { makeUser, password, refresh } from '../support/sign-in.ts';
import { setUser } from '../support/users.ts';
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

for (const javaScript of [true, false]) {
  describe(`a person signs in, JavaScript ${javaScript ? 'on' : 'off'}`, () => {
    let stage: Stage;
    let application: Application;
    const browse = (look: (page: Page) => Promise<void>) => visit(stage, { javaScript }, look);
    let cases = 0;
    /** All with JavaScript, the first without; the drill M6 has all. */
    const sign = (title: string, run: () => Promise<void>) => {
      if (javaScript || isSampled(cases, 12)) it(title, run);
      cases += 1;
    };

    before(async () => {
      stage = await openStage();
      application = await registerApplication(stage, { client_name: 'Expense Desk' });
    });
    after(() => stage.dispose());

    sign('consents, and arrives at the application with a code that gives tokens', () =>
      browse(async (page) => {
        const user = await invite(stage, application);
        await page.goto(application.start());
        assert.equal(await heading(page), 'Sign in');
        await page.getByText('to continue to Expense Desk').waitFor();
        assert.equal((await signIn(page, user)).status, 303);
        assert.equal(await heading(page), 'Allow Expense Desk to use your account?');
        await page.getByText(`Ada Lovelace ${user.email}`).waitFor();
        await decide(page, 'Allow');
        const { state, iss } = await arrived(page, application);
        assert.deepEqual({ state, iss }, { state: 'state-1', iss: stage.app.account.baseUrl });
        const tokens = await application.redeem(page.url());
        assert.equal((await refresh(stage.app, application.client, tokens.refresh_token)).status, 200);
      }),
    );

    sign('denies, and arrives with access_denied and without a code (RFC 6749 §4.1.2.1)', () =>
      browse(async (page) => {
        const user = await invite(stage, application);
        await page.goto(application.start());
        await signIn(page, user);
        await decide(page, 'Deny');
        const { error, state, code } = await arrived(page, application);
        assert.deepEqual({ error, state, code }, { error: 'access_denied', state: 'state-1', code: undefined });
      }),
    );

    sign('cancels at the password or at the code, and arrives with access_denied', () =>
      browse(async (page) => {
        const user = await invite(stage, application);
        await giveDevice(stage.app, user);
        for (const reach of [async () => undefined, () => signIn(page, user)]) {
          await page.goto(application.start());
          await reach();
          await page.getByRole('button', { name: 'Cancel' }).click();
          const { error, state, code } = await arrived(page, application);
          assert.deepEqual({ error, state, code }, { error: 'access_denied', state: 'state-1', code: undefined });
        }
      }),
    );

    sign('mistypes the password: the form shows the mistake, keeps the name and focuses the password', () =>
      browse(async (page) => {
        const user = await invite(stage, application);
        await page.goto(application.start());
        await page.locator('#username:focus').waitFor();
        assert.equal((await signIn(page, user, `${password}?`)).status, 401);
        assert.match(await page.title(), /^Problem: Sign in/);
        await page.getByRole('alert').getByText('We could not sign you in').waitFor();
        assert.equal(await page.getByLabel('User name or e-mail').inputValue(), user.email);
        assert.equal(await page.getByLabel('Password').inputValue(), '');
        await page.locator('#password:focus').waitFor();
        await page.keyboard.type(password);
        await page.keyboard.press('Enter');
        await decide(page, 'Allow');
        assert.ok((await arrived(page, application))['code']);
      }),
    );

    sign('uses an unknown name: the same message as for a wrong password (L5)', () =>
      browse(async (page) => {
        await page.goto(application.start());
        assert.equal((await signIn(page, { email: 'nobody@example.com' })).status, 401);
        assert.equal(
          await page.getByRole('alert').innerText(),
          'We could not sign you in\n\n' +
            'The user name or the password is wrong, or there were too many attempts. Check both, or wait a while.',
        );
      }),
    );

    const refusals = {
      'Your account is locked': { status: 'locked' },
      'Your account is suspended': { status: 'suspended' },
      'You do not have access': {},
    } as const;
    // The first; the drill M6 has the others.
    for (const [title, change] of sampled(Object.entries(refusals), 3)) {
      sign(`reads "${title}" only after the right password, and gets no session`, () =>
        browse(async (page) => {
          const user = 'status' in change ? await invite(stage, application) : await makeUser(stage.app);
          await setUser(stage.app.services, stage.app.account, user.id, change);
          await page.goto(application.start());
          assert.equal((await signIn(page, user, `${password}?`)).status, 401);
          assert.doesNotMatch(await page.locator('body').innerText(), /locked|suspended|access/i);
          assert.equal((await signIn(page, user)).status, 403);
          assert.equal(await heading(page), title);
          const names = (await page.context().cookies()).map(({ name }) => name);
          assert.deepEqual(names, ['tx']);
          await page.goto(application.start());
          assert.equal(await heading(page), 'Sign in');
        }),
      );
    }

    sign('returns: the session skips the form, the remembered consent skips the question', () =>
      browse(async (page) => {
        const user = await invite(stage, application);
        const other = await registerApplication(stage, { client_name: 'Time Sheet' });
        await page.goto(application.start());
        await signIn(page, user);
        await decide(page, 'Allow');
        const first = await arrived(page, application);
        await page.goto(application.start({ state: 'state-2' }));
        const second = await arrived(page, application);
        assert.equal(second['state'], 'state-2');
        assert.notEqual(second['code'], first['code']);
        await application.redeem(page.url());
        // A session does not give access: the other application was not assigned.
        await page.goto(other.start());
        assert.equal(await heading(page), 'You do not have access');
      }),
    );
  });
}
