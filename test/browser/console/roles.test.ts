import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makeAdministrator } from '../../support/console.ts';
import { managing } from '../../surfaces/api-2/managing.ts';
import { visitConsole } from './visit-console.ts';
import { describeWalks, said, settled, title } from './walks.ts';

const choice = 'Policy';

describeWalks('roles in the console', (walks) => {
  it('names a policy and takes it back; what is refused is said beside the field, a change by others above it', async () => {
    const { stage, open } = walks();
    const api = await managing(stage.app);
    const { id } = await api.done(201, 'POST', '/roles', { name: 'Finance' });
    const { id: strict } = await api.done(201, 'POST', '/policies', { name: 'Strict' });
    const { id: removed } = await api.done(201, 'POST', '/policies', { name: 'Removed meanwhile' });
    const [standard] = await api.done(200, 'GET', '/policies');
    const named = async () => (await api.done(200, 'GET', `/roles/${id}/policy`)).policy_id;
    await open(`/roles/${id}`, async (page, calls) => {
      const field = page.getByLabel(choice, { exact: true });
      const save = page.getByRole('button', { name: 'Save policy' });
      assert.equal(await field.locator('option:checked').innerText(), 'None of its own');
      await field.selectOption({ label: 'Strict' });
      await save.click();
      await said(page, 'The policy of the role was saved.');
      assert.equal(await named(), strict);
      assert.ok(calls.includes(`PUT /api/2/roles/${id}/policy`));
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByText(/^Calls of this page/).click();
      const call = page.getByRole('listitem').filter({ hasText: `PUT /api/2/roles/${id}/policy` });
      await call.getByRole('button', { name: 'Copy as curl' }).click();
      await said(page, 'The command copied.');
      const copied = String(await page.evaluate('navigator.clipboard.readText()'));
      assert.match(copied, /^curl -X PUT 'http:.*\/policy'/);
      assert.ok(copied.includes(`{"policy_id":${strict}}`), copied);
      await api.done(204, 'DELETE', `/policies/${removed}`);
      await field.selectOption({ label: 'Removed meanwhile' });
      await save.click();
      await page.locator('select[name=policy_id][aria-invalid=true]:focus').waitFor();
      await page.locator('.field-problem').getByText(`unknown policy in policy_id: ${removed}`).waitFor();
      await api.done(200, 'PUT', `/roles/${id}/policy`, { policy_id: null });
      await field.selectOption({ label: 'Default' });
      await save.click();
      await page.getByRole('alert').getByText('changed meanwhile').waitFor();
      await page.getByRole('button', { name: 'Read it again and keep what I typed' }).click();
      await page.getByText('Changed meanwhile to: nothing').waitFor();
      await save.click();
      await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
      assert.equal(await named(), standard.id);
      await field.selectOption({ label: 'None of its own' });
      await save.click();
      await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
      assert.equal(await named(), null);
    });
  });

  it('shows a reader the policy, and nothing to change it with', async () => {
    const { stage } = walks();
    const api = await managing(stage.app);
    const { id } = await api.done(201, 'POST', '/roles', { name: 'Auditors' });
    const { id: policy } = await api.done(201, 'POST', '/policies', { name: 'For auditors' });
    await api.done(200, 'PUT', `/roles/${id}/policy`, { policy_id: policy });
    const reader = await makeAdministrator(stage.app, ['read_all']);
    await visitConsole(stage, reader, { path: `/roles/${id}` }, async (page) => {
      await title(page, 'Auditors');
      await settled(page);
      const field = page.getByLabel(choice, { exact: true });
      assert.equal(await field.locator('option:checked').innerText(), 'For auditors');
      assert.ok(await field.isDisabled());
      assert.equal(await page.getByRole('button', { name: /^Save/ }).count(), 0);
    });
  });
});
