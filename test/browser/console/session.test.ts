import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setAdministrator } from '../../../src/domain/administrators/administrators.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { makeAdministrator } from '../../support/console.ts';
import { signIn, visit } from '../stage.ts';
import { visitConsole } from './visit-console.ts';
import { describeWalks, pathOf, said, settled, title } from './walks.ts';

describeWalks('the session of the console', (walks) => {
  it('signs an administrator in, stays signed in over a reload, and shows the screen that was asked for', () => {
    const { stage, administrator } = walks();
    return visitConsole(stage, administrator, { path: '/users?status=1' }, async (page, calls) => {
      await title(page, 'Users');
      assert.equal(new URL(page.url()).search, '?status=1');
      await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
      await page.reload();
      await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
      assert.equal(await page.title(), 'Users – Gatehouse console');
      const kept = await page.evaluate('JSON.stringify([sessionStorage, localStorage, document.cookie])');
      assert.equal(kept, '[{},{},""]', 'nothing of the token is stored');
      assert.ok(calls.includes('GET /api/2/caller'));
    });
  });

  it('tells who is no administrator, and lets them sign in as somebody else', () => {
    const { stage, grace } = walks();
    return visit(stage, {}, async (page) => {
      await page.goto(`${stage.app.account.baseUrl}/console`);
      assert.equal((await signIn(page, grace)).status, 403);
      assert.doesNotMatch(await page.locator('body').innerText(), /Overview/);
    });
  });

  it('says that the right was taken away, and keeps what was typed', async () => {
    const { stage, grace, open, now } = walks();
    const second = await makeAdministrator(stage.app);
    await open(
      pathOf(grace),
      async (page) => {
        await settled(page);
        await page.getByLabel('Title').fill('Commodore');
        await setAdministrator(stage.app.services, stage.app.account, second.id, ['read_all']);
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByRole('alert').getByText('One of these scopes is required').waitFor();
        assert.equal(await page.getByLabel('Title').inputValue(), 'Commodore');
        assert.notEqual((await now(grace)).title, 'Commodore');
      },
      second,
    );
  });

  it('after a lost session sends nothing as somebody else, and goes on for the same administrator', () => {
    const { stage, administrator, grace, now } = walks();
    return visitConsole(stage, administrator, { path: pathOf(grace) }, async (page) => {
      await settled(page);
      await page.getByLabel('Title').fill('Commodore');
      const { sessions } = stage.app.services.store;
      await sessions.endOfUser(stage.app.account.id, administrator.id);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('dialog', { name: 'You are signed out' }).waitFor();
      const other = await makeAdministrator(stage.app);
      const signInElsewhere = async (who: UserRecord) => {
        const [tab] = await Promise.all([
          page.context().waitForEvent('page'),
          page.getByRole('link', { name: 'Sign in again in a new tab' }).click(),
        ]);
        await signIn(tab, who);
        await title(tab, 'Overview');
        return tab;
      };
      const tab = await signInElsewhere(other);
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByRole('dialog', { name: 'Somebody else is signed in' }).waitFor();
      await page.context().clearCookies();
      await tab.close();
      await signInElsewhere(administrator);
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.notEqual((await now(grace)).title, 'Commodore');
      assert.equal(await page.getByLabel('Title').inputValue(), 'Commodore');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await said(page, 'The user was saved.');
      assert.equal((await now(grace)).title, 'Commodore');
    });
  });

  it('says that the service did not answer, and asks again when told', () => {
    const { stage, administrator } = walks();
    return visitConsole(stage, administrator, { path: '/users', losesNetwork: true }, async (page) => {
      await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
      await page.context().setOffline(true);
      await page.getByRole('link', { name: 'Roles' }).click();
      await page.getByRole('alert').getByText('The service did not answer').waitFor();
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('No role yet').waitFor();
    });
  });
});
