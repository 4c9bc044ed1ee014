import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recordEvent } from '../../../src/domain/audit/record.ts';
import { makeAdministrator } from '../../support/console.ts';
import { isWhole } from '../../support/sample.ts';
import { registerClient } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { describeWalks, settled, title } from './walks.ts';

describeWalks('the overview of the console', (walks) => {
  it('says what to do where nothing has happened yet', () => {
    const { open } = walks();
    return open('', async (page) => {
      await page.getByText('Nobody has signed in during these days.').waitFor();
      await page.getByText('No app has refreshed a token during these days.').waitFor();
      await page.getByText('Nobody is locked.').waitFor();
      await page.getByText('Nobody calls a deprecated surface').waitFor();
    });
  });

  it('shows sign-ins by outcome as a chart and as a table, and leads to those of the last day', async () => {
    const { stage, open } = walks();
    const { services, account } = stage.app;
    for (let count = 0; count < 3; count += 1) services.counts.addToAccount(account.id, 'sign_in.succeeded');
    services.counts.addToAccount(account.id, 'sign_in.unknown_user');
    services.counts.addToAccount(account.id, 'sign_in.wrong_password');
    services.counts.addToAccount(account.id, 'sign_in.hook_failed');
    services.counts.addToAccount(account.id, 'refresh');
    await services.counts.flush();
    await open('', async (page) => {
      const chart = page.getByRole('img', { name: /^Sign-ins, 30 days\./ });
      // The administrator's own sign-ins may have been counted, too.
      const words = (await chart.getAttribute('aria-label')) ?? '';
      const [, good = ''] = /Signed in: (\d+)\. Wrong password, name or factor: 2\. Refused: 1\.$/.exec(words) ?? [];
      assert.ok(Number(good) >= 3, words);
      await page.getByText('Sign-ins as a table').click();
      const today = new RegExp(`^\\d{4}-\\d{2}-\\d{2} ${good} 2 1$`);
      await page.getByRole('table', { name: 'Sign-ins by day' }).getByRole('row', { name: today }).waitFor();
      await page.getByRole('img', { name: /^Refreshes, 30 days\. Rotated: 1\./ }).waitFor();
      const day = page.getByRole('region', { name: 'Sign-ins in the last 24 hours' });
      assert.ok(Number(await day.getByRole('link').nth(1).innerText()) > 0);
      await day.getByRole('link').nth(1).click();
      await title(page, 'Events');
      await page.getByRole('button', { name: 'Remove the filter What: sign_in.succeeded' }).waitFor();
      await page.locator('main tbody tr').first().waitFor();
    });
  });

  if (isWhole)
    it('counts sign-ins that a failing hook refused, and not those that went on', async () => {
      const { stage, grace, open } = walks();
      const { services, account } = stage.app;
      const target = { type: 'hook', id: 1 } as const;
      const failed = { hook_id: '9f2c1f0a-5a52-4b8e-9f0e-5b1a5c0f6c11', reason: 'timeout' };
      await services.store.transaction(async (tx) => {
        for (const [userId, signIn] of [
          [grace.id, 'denied'],
          [grace.id, 'denied'],
          [grace.id, 'continued'],
          // A migration that fails is a sign-in of nobody.
          [null, 'denied'],
        ] as const) {
          const detail = { ...failed, user_id: userId, sign_in: signIn };
          await recordEvent(tx, services, account, { action: 'hook.failed', target, detail });
        }
      });
      await open('', async (page) => {
        const day = page.getByRole('region', { name: 'Sign-ins in the last 24 hours' });
        const figure = day.locator('dl > div').filter({ hasText: 'Refused, since a hook failed' });
        assert.equal(await figure.getByRole('link').innerText(), '2');
        await figure.getByRole('link').click();
        await page.getByRole('button', { name: 'Remove the filter What: hook.failed' }).waitFor();
      });
    });

  it('names who is locked, and which apps nobody uses', async () => {
    const { stage, grace, open } = walks();
    const { services, account } = stage.app;
    await setUser(services, account, grace.id, { status: 'locked' });
    services.clock.advance(-61 * 86_400_000);
    await registerClient(stage.app, { client_name: '<b>Old</b> desk' });
    services.clock.advance(61 * 86_400_000);
    await open('', async (page) => {
      await page.getByRole('region', { name: 'Locked users' }).getByRole('link', { name: 'Grace Hopper' }).waitFor();
      const unused = page.getByRole('region', { name: 'Apps unused for 60 days' });
      await unused.getByRole('link', { name: '<b>Old</b> desk' }).waitFor();
      assert.equal(await page.locator('main b').count(), 0);
    });
  });

  it('shows a reader what the scopes permit, and asks for nothing else', async () => {
    const { stage, open } = walks();
    const reader = await makeAdministrator(stage.app, ['read_users']);
    await open(
      '',
      async (page, calls) => {
        await settled(page);
        assert.deepEqual(await page.locator('main section h2').allTextContents(), ['Locked users']);
        assert.ok(
          calls.every((call) => /^GET \/api\/2\/(?:users|caller)/.test(call)),
          calls.join(),
        );
      },
      reader,
    );
  });
});
