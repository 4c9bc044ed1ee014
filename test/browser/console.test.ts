import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { setAdministrator } from '../../src/domain/administrators/administrators.ts';
import type { UserRecord } from '../../src/store/users.ts';
import { violationsOf } from '../support/axe.ts';
import { waitUntil } from '../support/browser.ts';
import { makeAdministrator } from '../support/console.ts';
import { runningClock } from '../support/services.ts';
import { makeUser } from '../support/sign-in.ts';
import { setUser } from '../support/users.ts';
import { visitConsole } from './console-stage.ts';
import { openStage, type Stage, signIn, visit } from './stage.ts';

const title = (page: Page, text: string) => page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor();
const said = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();
/** All that the screen asks has been answered: what an administrator loses then is noticed by the next call alone. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await waitUntil(page, "!document.querySelector('main :is(.waiting, [aria-busy=true])')");
}

describe('the console', () => {
  let stage: Stage;
  let administrator: UserRecord;
  let grace: UserRecord;
  before(async () => {
    stage = await openStage({}, { clock: runningClock() });
    administrator = await makeAdministrator(stage.app, ['manage_all'], { firstname: 'Root', lastname: 'Admin' });
    grace = await makeUser(stage.app, undefined, { firstname: 'Grace', lastname: 'Hopper', username: 'grace' });
  });
  after(() => stage.dispose());
  const open = (path: string, look: Parameters<typeof visitConsole>[3], who = administrator) =>
    visitConsole(stage, who, { path }, look);
  const path = (user: UserRecord) => `/users/${user.id}`;
  const now = async (user: UserRecord) => {
    const headers = { authorization: `Bearer ${await stage.app.bearer('read_all')}` };
    return (await stage.app.send('GET', `/api/2${path(user)}`, { headers })).body;
  };

  it('signs an administrator in, stays signed in over a reload, and shows the screen that was asked for', () =>
    open('/users?status=1', async (page, calls) => {
      await title(page, 'Users');
      assert.equal(new URL(page.url()).search, '?status=1');
      await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
      await page.reload();
      await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
      assert.equal(await page.title(), 'Users – Gatehouse console');
      const kept = await page.evaluate('JSON.stringify([sessionStorage, localStorage, document.cookie])');
      assert.equal(kept, '[{},{},""]', 'nothing of the token is stored');
      assert.ok(calls.includes('GET /api/2/caller'));
    }));

  it('tells who is no administrator, and lets them sign in as somebody else', () =>
    visit(stage, {}, async (page) => {
      await page.goto(`${stage.app.account.baseUrl}/console`);
      assert.equal((await signIn(page, grace)).status, 403);
      assert.doesNotMatch(await page.locator('body').innerText(), /Overview/);
    }));

  it('finds a user by the first letters, changes the profile, and shows what happened', () =>
    open('/users', async (page) => {
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
    }));

  it('shows what the surface says beside the field, and keeps what was typed', () =>
    open(path(grace), async (page) => {
      const email = page.getByLabel('E-mail');
      await email.fill(administrator.email ?? '');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator('input[name=email][aria-invalid=true]:focus').waitFor();
      const about = await email.getAttribute('aria-describedby');
      assert.equal(await page.locator(`[id="${about}"]`).innerText(), 'email has already been taken');
      assert.equal(await email.inputValue(), administrator.email);
      assert.equal((await now(grace)).email, grace.email);
    }));

  it('tells two administrators at once, and loses the change of neither', () =>
    open(path(grace), async (page) => {
      await page.getByLabel('Department').fill('Compilers');
      const { status } = await stage.app.send('PUT', `/api/2${path(grace)}`, {
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
    }));

  it('deletes only after the name was typed', () =>
    open('/users', async (page) => {
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
    }));

  it('goes anywhere by the keyboard', () =>
    open('', async (page) => {
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
    }));

  it('shows a reader no button that would be refused', async () => {
    for (const scope of ['read_users', 'read_all'] as const) {
      const reader = await makeAdministrator(stage.app, [scope], { firstname: 'Ria', lastname: 'Reader' });
      await open(
        '',
        async (page) => {
          await page.getByRole('navigation', { name: 'Screens' }).waitFor();
          const screens = await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').all();
          const addresses = await Promise.all(screens.map((link) => link.getAttribute('href')));
          const all = [...addresses, '/console/users', `/console${path(grace)}`];
          for (const address of all) {
            if (address?.startsWith('/console/users/')) await page.getByRole('link', { name: 'Grace Hopper' }).click();
            else await page.locator(`nav a[href="${address}"]`).click();
            await page.waitForURL(`${stage.app.account.baseUrl}${address}`);
            await waitUntil(page, "!document.querySelector('main :is(.waiting, [aria-busy=true])')");
            const buttons = await page.locator('main button').allTextContents();
            assert.deepEqual(
              buttons.filter((label) => !/^(?:Next page|Previous page|Copy|Copy as curl)$/.test(label)),
              [],
              `${scope} ${address}`,
            );
            assert.equal(await page.getByRole('alert').count(), 0, `${scope} ${address}`);
            assert.equal(await page.locator('main input:not([type=search]):not([readonly]):not(:disabled)').count(), 0);
          }
          assert.equal(all.length, scope === 'read_users' ? 5 : 8);
        },
        reader,
      );
    }
  });

  it('says that the right was taken away, and keeps what was typed', async () => {
    const second = await makeAdministrator(stage.app);
    await open(
      path(grace),
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

  it('after a lost session sends nothing as somebody else, and goes on for the same administrator', () =>
    open(path(grace), async (page) => {
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
    }));

  it('says that the service did not answer, and asks again when told', () =>
    visitConsole(stage, administrator, { path: '/users', losesNetwork: true }, async (page) => {
      await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
      await page.context().setOffline(true);
      await page.getByRole('link', { name: 'Roles' }).click();
      await page.getByRole('alert').getByText('The service did not answer').waitFor();
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('No role yet').waitFor();
    }));

  it('writes names as they are, in every script, and runs none of them', async () => {
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

  it('explains why a user cannot sign in, and mends it', async () => {
    const locked = await makeUser(stage.app, undefined, { firstname: 'Linus', lastname: 'Locked' });
    await setUser(stage.app.services, stage.app.account, locked.id, { status: 'locked' });
    await open(path(locked), async (page) => {
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      const steps = page.getByRole('list', { name: 'Decisions of the sign-in' });
      await steps.getByText('user_locked').waitFor();
      assert.deepEqual(await violationsOf(page), []);
      await steps.getByRole('button', { name: 'Unlock' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Unlock' }).click();
      await steps.getByText('user_active').waitFor();
      assert.equal((await now(locked)).status, 1);
    });
  });

  it('changes a setting within its bounds, says why a value is refused, and rotates the keys', () =>
    open('/settings?q=idle', async (page) => {
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
    }));

  it('makes an administrator, and takes the right away', () =>
    open('/administrators', async (page) => {
      await page.getByRole('button', { name: 'New administrator' }).click();
      await page.getByRole('dialog').getByLabel('Name or e-mail address').fill('grace');
      await page.getByRole('button', { name: /^Grace Hopper/ }).click();
      await page.getByRole('dialog').getByLabel('Read users').check();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('row', { name: /Grace Hopper read_users/ }).waitFor();
      await page.getByRole('button', { name: 'Remove Grace Hopper' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('row', { name: /Grace Hopper/ }).waitFor({ state: 'detached' });
    }));

  it('makes an app, shows its secret once, and gives it to a role and to a user', () =>
    open('/apps', async (page) => {
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
      await page.getByRole('link', { name: 'Roles', exact: true }).click();
      await page.getByRole('button', { name: 'New role' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Accounting');
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await title(page, 'Accounting');
      await page.getByLabel('Payroll').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await said(page, 'The role was saved.');
      await page.goto(`${stage.app.account.baseUrl}/console${path(grace)}`);
      await page.getByText('assigned directly').waitFor();
    }));

  it('copies each call as a command without the token', () =>
    open('/users', async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByText(/^Calls of this page/).click();
      await page.getByRole('button', { name: 'Copy as curl' }).last().click();
      await said(page, 'The command copied.');
      const copied = await page.evaluate('navigator.clipboard.readText()');
      assert.match(String(copied), /^curl 'http:\/\/.*\/api\/2\/users.*\n {2}-H "Authorization: Bearer \$TOKEN"$/);
    }));

  it('breaks no rule of axe', () =>
    open('/users', async (page) => {
      await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
      assert.deepEqual(await violationsOf(page), []);
    }));
});
