import { it } from 'node:test';
import { describeWalks, said } from './walks.ts';

describeWalks('settings and administrators in the console', (walks) => {
  it('changes a setting within its bounds, says why a value is refused, and rotates the keys', () => {
    const { open } = walks();
    return open('/settings?q=idle', async (page) => {
      await page.getByRole('button', { name: 'Change refresh.idle_days' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Value').fill('many');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog
        .getByText(/refresh\.idle_days/)
        .nth(1)
        .waitFor();
      await dialog.getByLabel('Value').fill('21');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await said(page, 'refresh.idle_days was saved.');
      await page.getByRole('row', { name: /refresh\.idle_days 21/ }).waitFor();
      await page.getByRole('button', { name: 'Rotate' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
      await said(page, 'The next keys are published.');
    });
  });

  it('makes an administrator, and takes the right away', () => {
    const { open } = walks();
    return open('/administrators', async (page) => {
      await page.getByRole('button', { name: 'New administrator' }).click();
      await page.getByRole('dialog').getByLabel('Name or e-mail address').fill('grace');
      await page.getByRole('button', { name: /^Grace Hopper/ }).click();
      await page.getByRole('dialog').getByLabel('Read users').check();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('row', { name: /Grace Hopper read_users/ }).waitFor();
      await page.getByRole('button', { name: 'Remove Grace Hopper' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('row', { name: /Grace Hopper/ }).waitFor({ state: 'detached' });
    });
  });
});
