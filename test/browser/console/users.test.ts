import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { UserRecord } from '../../../src/store/users.ts';
import { makeAdministrator } from '../../support/console.ts';
import { makeUser } from '../../support/sign-in.ts';
import { visitConsole } from './visit-console.ts';
import { describeWalks, pathOf, said, title } from './walks.ts';

describeWalks('users in the console', (walks) => {
  it('finds a user by the first letters, changes the profile, and shows what happened', () => {
    const { grace, open, now } = walks();
    return open('/users', async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('hop');
      await page.waitForURL(/\?q=hop$/);
      await page.locator('#main').getByRole('link', { name: 'Root Admin' }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Grace Hopper' }).click();
      await title(page, 'Grace Hopper');
      assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1', 'the focus goes with the screen');
      await page.getByLabel('Title').fill('Rear admiral');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await said(page, 'The user was saved.');
      assert.equal((await now(grace)).title, 'Rear admiral');
      await page.reload();
      await page
        .getByRole('row', { name: /user\.changed/ })
        .first()
        .waitFor();
    });
  });

  it('shows what the surface says beside the field, and keeps what was typed', () => {
    const { administrator, grace, open, now } = walks();
    return open(pathOf(grace), async (page) => {
      const email = page.getByLabel('E-mail');
      await email.fill(administrator.email ?? '');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator('input[name=email][aria-invalid=true]:focus').waitFor();
      const about = await email.getAttribute('aria-describedby');
      assert.equal(await page.locator(`[id="${about}"]`).innerText(), 'email has already been taken');
      assert.equal(await email.inputValue(), administrator.email);
      assert.equal((await now(grace)).email, grace.email);
    });
  });

  it('tells two administrators at once, and loses the change of neither', () => {
    const { stage, grace, open, now } = walks();
    return open(pathOf(grace), async (page) => {
      await page.getByLabel('Department').fill('Compilers');
      const { status } = await stage.app.send('PUT', `/api/2${pathOf(grace)}`, {
        headers: { authorization: `Bearer ${await stage.app.bearer('manage_all')}` },
        json: { department: 'Navy', company: 'Univac' },
      });
      assert.equal(status, 200);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('alert').getByText('changed meanwhile').waitFor();
      assert.equal((await now(grace)).department, 'Navy');
      await page.getByRole('button', { name: 'Read it again and keep what I typed' }).click();
      await page.getByText('Changed meanwhile to: Navy').waitFor();
      assert.equal(await page.getByLabel('Company').inputValue(), 'Univac');
      assert.equal(await page.getByLabel('Department').inputValue(), 'Compilers');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await said(page, 'The user was saved.');
      const { department, company } = await now(grace);
      assert.deepEqual([department, company], ['Compilers', 'Univac']);
    });
  });

  it('makes an invite, whose link is shown once and leads to a new password', () => {
    const { stage, grace, open, now } = walks();
    return open(pathOf(grace), async (page) => {
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByRole('button', { name: 'Make a link' }).click();
      await page.getByText('Keep this now').waitFor();
      const link = await page.getByRole('dialog').locator('code').innerText();
      await page.getByRole('button', { name: 'I have kept it' }).click();
      await page.getByText(link).waitFor({ state: 'detached' });
      assert.ok((await now(grace)).invitation_sent_at);
      assert.equal((await stage.app.send('GET', link.slice(stage.app.account.baseUrl.length))).status, 200);
      const reader = await makeAdministrator(stage.app, ['manage_users']);
      await open(
        pathOf(grace),
        async (other) => {
          await title(other, 'Grace Hopper');
          await other.getByRole('button', { name: 'Delete', exact: true }).waitFor();
          assert.equal(await other.getByRole('button', { name: 'Invite' }).count(), 0);
        },
        reader,
      );
    });
  });

  it('deletes only after the name was typed', () => {
    const { open } = walks();
    return open('/users', async (page) => {
      await page.getByRole('button', { name: 'New user' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('E-mail').fill('gone@example.com');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await title(page, 'gone@example.com');
      await page.getByRole('button', { name: 'Delete' }).click();
      const button = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
      await page.getByRole('dialog').getByRole('textbox').fill('gone@example.co');
      assert.ok(await button.isDisabled());
      await page.keyboard.press('End');
      await page.keyboard.type('m');
      await page.keyboard.press('Enter');
      await title(page, 'Users');
      await said(page, 'gone@example.com was deleted.');
    });
  });

  it('writes names as they are, in every script, and runs none of them', async () => {
    const { stage, administrator } = walks();
    const names = [
      `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`,
      'משרד ההוצאות 経費 Расходы ค่าใช้จ่าย',
      'W'.repeat(200),
    ];
    const users: UserRecord[] = [];
    for (const lastname of names) users.push(await makeUser(stage.app, undefined, { firstname: '"&lt;', lastname }));
    await visitConsole(
      stage,
      administrator,
      { path: '/users', viewport: { width: 320, height: 640 } },
      async (page) => {
        for (const [index, user] of users.entries()) {
          await page.goto(`${stage.app.account.baseUrl}/console/users`);
          await page.getByRole('link', { name: `"&lt; ${names[index]}` }).click();
          await title(page, `"&lt; ${names[index]}`);
          assert.notEqual(await page.title(), 'run');
          assert.equal(await page.locator('main img, main script').count(), 0);
          assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
          assert.equal(new URL(page.url()).pathname, `/console/users/${user.id}`);
        }
      },
    );
  });
});
