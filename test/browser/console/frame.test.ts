import assert from 'node:assert/strict';
import { it } from 'node:test';
import { waitUntil } from '../../support/browser.ts';
import { makeAdministrator } from '../../support/console.ts';
import { describeWalks, pathOf, said, title } from './walks.ts';

describeWalks('the frame of the console', (walks) => {
  it('goes anywhere by the keyboard', () => {
    const { open } = walks();
    return open('', async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Screen, user or app' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.type('grace');
      await page.getByRole('option', { name: 'User: Grace Hopper' }).waitFor();
      await page.keyboard.press('Enter');
      await title(page, 'Grace Hopper');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.goBack();
      await title(page, 'Overview');
    });
  });

  it('shows a reader no button that would be refused', async () => {
    const { stage, grace, open } = walks();
    for (const scope of ['read_users', 'read_all'] as const) {
      const reader = await makeAdministrator(stage.app, [scope], { firstname: 'Ria', lastname: 'Reader' });
      await open(
        '',
        async (page) => {
          await page.getByRole('navigation', { name: 'Screens' }).waitFor();
          const screens = await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').all();
          const addresses = await Promise.all(screens.map((link) => link.getAttribute('href')));
          const all = [...addresses, '/console/users', `/console${pathOf(grace)}`];
          for (const address of all) {
            if (address?.startsWith('/console/users/')) await page.getByRole('link', { name: 'Grace Hopper' }).click();
            else await page.locator(`nav a[href="${address}"]`).click();
            await page.waitForURL(`${stage.app.account.baseUrl}${address}`);
            await waitUntil(page, "!document.querySelector('main :is(.waiting, [aria-busy=true])')");
            const buttons = await page.locator('main button').allTextContents();
            assert.deepEqual(
              buttons.filter(
                (label) => !/^(?:Next page|Previous page|Columns|Export|Verify|Copy|Copy as curl)$/.test(label),
              ),
              [],
              `${scope} ${address}`,
            );
            assert.equal(await page.getByRole('alert').count(), 0, `${scope} ${address}`);
            assert.equal(await page.locator('main input:not([type=search]):not([readonly]):not(:disabled)').count(), 0);
          }
          assert.equal(all.length, scope === 'read_users' ? 5 : 9);
        },
        reader,
      );
    }
  });

  it('copies each call as a command without the token', () => {
    const { open } = walks();
    return open('/users', async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByText(/^Calls of this page/).click();
      await page.getByRole('button', { name: 'Copy as curl' }).last().click();
      await said(page, 'The command copied.');
      const copied = await page.evaluate('navigator.clipboard.readText()');
      assert.match(String(copied), /^curl 'http:\/\/.*\/api\/2\/users.*\n {2}-H "Authorization: Bearer \$TOKEN"$/);
    });
  });
});
