import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { registerClient } from '../../support/sign-in.ts';
import { managing } from '../../surfaces/api-2/managing.ts';
import { describeWalks, pathOf, said, title } from './walks.ts';

describeWalks('apps in the console', (walks) => {
  it('makes an app, shows its secret once, and gives it to a role and to a user', () => {
    const { stage, grace, open } = walks();
    return open('/apps', async (page) => {
      await page.getByRole('button', { name: 'New app' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Payroll');
      await dialog.getByLabel('Redirect URIs').fill('https://app.example.com/callback');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByText('Keep this now').waitFor();
      await page.getByRole('button', { name: 'I have kept it' }).click();
      await title(page, 'Payroll');
      await page.getByRole('button', { name: 'Add a user' }).click();
      await page.getByLabel('Name or e-mail address').fill('Grace Hop');
      await page.getByRole('button', { name: /^Grace Hopper/ }).click();
      await said(page, 'Grace Hopper was added.');
      const reach = page.getByRole('figure', { name: 'Who has access to Payroll, and through which role' });
      await reach.getByText('1 user in all').waitFor();
      await reach.getByRole('listitem').getByText('Assigned directly').waitFor();
      const payroll = page.url();
      await page.getByRole('link', { name: 'Roles', exact: true }).click();
      await page.getByRole('button', { name: 'New role' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Accounting');
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await title(page, 'Accounting');
      await page.getByLabel('Payroll').check();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await said(page, 'The role was saved.');
      await page.goto(payroll);
      const way = reach.getByRole('listitem').filter({ hasText: '0 users with this role' });
      await way.getByRole('link', { name: 'Accounting' }).click();
      await title(page, 'Accounting');
      await page.goto(`${stage.app.account.baseUrl}/console${pathOf(grace)}`);
      await page.getByText('assigned directly').waitFor();
    });
  });

  it('quotes a redirect URI in snippets, so that a shell and JavaScript read it as it is', async () => {
    const { stage, open } = walks();
    const uri = "https://app.example.com/cb?a='$(echo%20hurt)'&b=';echo%20hurt;'&c=$HOME'";
    const { app_id: id } = await registerClient(stage.app, { client_name: 'Quoted', redirect_uris: [uri] });
    await open(`/apps/${id}`, async (page) => {
      const snippets = page.getByRole('region', { name: 'Connect the app' }).locator('pre');
      const environment = await snippets.nth(0).innerText();
      const script = `${environment}\nprintf %s "$OIDC_REDIRECT_URI"`;
      assert.equal(execFileSync('sh', ['-c', script], { encoding: 'utf8', env: {} }), uri);
      const javascript = await snippets.nth(1).innerText();
      const [, given = ''] = /buildAuthorizationUrl\(config, (\{.*\})\);$/.exec(javascript) ?? [];
      assert.equal(runInNewContext(`(${given})`).redirect_uri, uri);
    });
    const api = await managing(stage.app);
    for (const wrong of ['"', '\\', '</script>', '`', '\u2028', '\n']) {
      const json = { configuration: { redirect_uri: `https://app.example.com/x${wrong}y` } };
      const { status } = await api.call('PUT', `/apps/${id}`, json);
      assert.equal(status, 422, JSON.stringify(wrong));
    }
  });
});
