import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import type { UserRecord } from '../../../src/store/users.ts';
import { makeAdministrator } from '../../support/console.ts';
import { isWhole } from '../../support/sample.ts';
import { makeUser } from '../../support/sign-in.ts';
import { visitConsole } from './visit-console.ts';
import { describeWalks, pathOf, said, settled, title } from './walks.ts';

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

  it('asks nothing for a reader of users that would be refused', async () => {
    const { stage, grace } = walks();
    const reader = await makeAdministrator(stage.app, ['read_users']);
    await visitConsole(stage, reader, { path: pathOf(grace) }, async (page) => {
      const statuses = new Map<string, number>();
      page.on('response', (response) => statuses.set(response.url(), response.status()));
      await page.reload();
      await title(page, 'Grace Hopper');
      await page.getByText('No app yet.').waitFor();
      await settled(page);
      assert.deepEqual(
        [...statuses].filter(([, status]) => status >= 400),
        [],
      );
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
      const manager = await makeAdministrator(stage.app, ['manage_users']);
      const look = async (other: typeof page) => {
        await title(other, 'Grace Hopper');
        await other.getByRole('button', { name: 'Delete', exact: true }).waitFor();
        assert.equal(await other.getByRole('button', { name: 'Invite' }).count(), 0);
      };
      await open(pathOf(grace), look, manager);
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

  it('imports a file after a preview, which changes nothing', () => {
    const { grace, open, stage, now } = walks();
    const email = (name: string) => `${name}.${grace.id}@example.com`;
    const content = [
      'email,firstname,lastname,roles,password_hash',
      `${email('ada')},Ada,Lovelace,,`,
      `${email('nobody')},No,Body,Nobody,`,
      `${grace.email},Other,,,`,
      `${email('clear')},Clear,Text,,secret`,
      ...Array.from({ length: 600 }, (_, place) => `${email(`many${place}`)},,,,`),
    ].join('\n');
    return open('/users', async (page, calls) => {
      await page.getByRole('link', { name: 'Import', exact: true }).click();
      await title(page, 'Import users');
      await page.getByLabel('File', { exact: true }).setInputFiles({
        ...{ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(content) },
      });
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('Nothing was changed yet').waitFor();
      const shown = async () => (await page.locator('dl.facts').innerText()).split(/\s*\n\s*/);
      assert.deepEqual(await shown(), [
        ...['Would be created', '601', 'Would be changed', '0', 'Would be left as is', '1', 'Would fail', '2'],
      ]);
      const failed = page.getByRole('table', { name: 'Lines that failed' }).getByRole('row');
      await failed.filter({ hasText: /^3.*there is no role Nobody/ }).waitFor();
      await failed.filter({ hasText: /^5.*passwords are imported as hashes/ }).waitFor();
      const posts = () => calls.filter((call) => call === 'POST /api/2/users/import').length;
      assert.ok(posts() >= 2, 'a call takes 500 lines');
      const headers = { authorization: `Bearer ${await stage.app.bearer('read_all')}` };
      const found = async () => (await stage.app.send('GET', `/api/2/users?email=${email('ada')}`, { headers })).body;
      assert.deepEqual(await found(), []);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('The file was imported.').waitFor();
      assert.deepEqual(await shown(), ['Created', '601', 'Changed', '0', 'Left as is', '1', 'Failed', '2']);
      const [ada] = await found();
      assert.deepEqual([ada.firstname, ada.lastname], ['Ada', 'Lovelace']);
      assert.equal((await now(grace)).firstname, 'Grace');
      const report = await downloaded(page, 'Download the outcomes of all lines');
      const outcomes = report
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        outcomes.map(({ line }) => line),
        Array.from({ length: 604 }, (_, place) => place + 2),
      );
      assert.equal(outcomes[0].user_id, ada.id);
    });
  });

  if (isWhole)
    it('goes on with an import where it was stopped by a lost network', () => {
      const { administrator, grace, stage } = walks();
      const line = (place: number) => JSON.stringify({ username: `net${grace.id}-${place}` });
      const content = Array.from({ length: 1200 }, (_, place) => line(place)).join('\n');
      return visitConsole(stage, administrator, { path: '/users/import', losesNetwork: true }, async (page) => {
        await page.getByLabel('File', { exact: true }).setInputFiles({
          ...{ name: 'people.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(content) },
        });
        await page.getByRole('button', { name: 'Preview' }).click();
        await page.getByText('Nothing was changed yet').waitFor();
        let [isAnswered, isLost] = [false, false];
        page.on('response', (answer) => {
          if (answer.ok() && answer.url().endsWith('/api/2/users/import')) isAnswered = true;
        });
        await page.route('**/api/2/users/import', (route) => {
          if (!isAnswered || isLost) return route.continue();
          isLost = true;
          return route.abort('internetdisconnected');
        });
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await page.getByText(/Stopped after (?:500|1,000) lines\./).waitFor();
        await page.getByRole('alert').getByText('did not answer').waitFor();
        await page.getByRole('button', { name: 'Go on' }).click();
        await page.getByText('The file was imported.').waitFor();
        assert.match(await page.locator('dl.facts').innerText(), /Created\s+1,200\s/);
        const headers = { authorization: `Bearer ${await stage.app.bearer('read_all')}` };
        const made = await stage.app.send('GET', `/api/2/users?username=net${grace.id}-*&limit=1`, { headers });
        assert.equal(made.headers['total-count'], '1200');
      });
    });

  it('exports all users as a file that an import takes', () => {
    const { grace, open } = walks();
    return open('/users?q=hop', async (page) => {
      await page.getByRole('button', { name: 'Export' }).click();
      const text = await downloaded(page, 'Download');
      assert.match(text, /^email,username,firstname,lastname,/);
      assert.match(text, new RegExp(`^${grace.email},grace,Grace,Hopper,`, 'm'));
      await said(page, 'users were exported.');
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByLabel('Format').selectOption('JSON lines');
      const lines = (await downloaded(page, 'Download')).trimEnd().split('\n');
      assert.ok(lines.some((line) => JSON.parse(line).email === grace.email));
      assert.equal(lines.length, text.trimEnd().split('\n').length - 1);
    });
  });

  if (isWhole)
    it('shows the columns that the address bar asks for, custom attributes too', () => {
      const { open, stage, grace } = walks();
      return open('/users?q=grace', async (page) => {
        const headers = { authorization: `Bearer ${await stage.app.bearer('manage_all')}` };
        const user_field = { name: 'Cost centre', shortname: 'cost_centre' };
        await stage.app.send('POST', '/api/2/users/custom_attributes', { headers, json: { user_field } });
        const json = { custom_attributes: { cost_centre: 'C-7' } };
        assert.equal((await stage.app.send('PUT', `/api/2${pathOf(grace)}`, { headers, json })).status, 200);
        await page.reload();
        await page.getByRole('button', { name: 'Columns' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Cost centre').check();
        await dialog.getByLabel('User name').uncheck();
        await dialog.getByLabel('Last sign-in').uncheck();
        await dialog.getByRole('button', { name: 'Show' }).click();
        await page.waitForURL(/columns=email%2Cstatus%2Ccustom_attributes\.cost_centre/);
        // The address changes before the table does.
        await page.getByRole('row', { name: /^Choose Grace Hopper Grace Hopper .* C-7$/ }).waitFor();
        const heads = () => page.getByRole('columnheader').allInnerTexts();
        assert.deepEqual(await heads(), ['Name', 'E-mail', 'Status', 'Cost centre']);
        const menu = page.getByRole('navigation', { name: 'Screens' });
        await menu.getByRole('link', { name: 'Roles', exact: true }).click();
        await title(page, 'Roles');
        await menu.getByRole('link', { name: 'Users', exact: true }).click();
        await page.waitForURL(/\/users\?columns=/);
      });
    });

  it('does to several users what was chosen, and says for whom it was refused', () => {
    const { open, stage, now } = walks();
    return open('/users', async (page) => {
      const make = (lastname: string) => makeUser(stage.app, undefined, { firstname: 'Bulk', lastname });
      const [one, two, three] = [await make('One'), await make('Two'), await make('Three')];
      await page.goto(`${stage.app.account.baseUrl}/console/users?q=bulk`);
      for (const name of ['One', 'Two', 'Three']) await page.getByLabel(`Choose Bulk ${name}`).check();
      const dialog = page.getByRole('dialog');
      const press = (name: string) => page.getByRole('region', { name: 'Chosen users' }).getByRole('button', { name });
      await press('Suspend').click();
      await dialog.getByText('Bulk Two').waitFor();
      await dialog.getByRole('button', { name: 'Suspend' }).click();
      await said(page, '3 users were suspended.');
      for (const user of [one, two, three]) assert.equal((await now(user)).status, 2);
      assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1', 'the focus is kept');
      await page.getByLabel('Choose all on this page').check();
      await press('Activate').click();
      await dialog.getByRole('button', { name: 'Activate' }).click();
      await said(page, '3 users were activated.');
      assert.equal((await now(one)).status, 1);
      for (const name of ['One', 'Two', 'Three']) await page.getByLabel(`Choose Bulk ${name}`).check();
      const headers = { authorization: `Bearer ${await stage.app.bearer('manage_all')}` };
      const gone = await stage.app.send('DELETE', `/api/2${pathOf(two)}`, { headers });
      assert.equal(gone.status, 204);
      await press('Delete').click();
      assert.ok(await dialog.getByRole('button', { name: 'Delete' }).isDisabled());
      await dialog.getByRole('textbox').fill('3 users');
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByText('Done for 2 users, refused for 1 user.').waitFor();
      await dialog.getByRole('row', { name: /Bulk Two .*could not be found/ }).waitFor();
      await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
      await page.getByText('Nobody matches.').waitFor();
    });
  });

  if (isWhole)
    it('gives and takes a role, and ends sessions of several users', () => {
      const { open, stage, now } = walks();
      return open('/users', async (page) => {
        const make = (lastname: string) => makeUser(stage.app, undefined, { firstname: 'Crew', lastname });
        const users = [await make('One'), await make('Two')];
        const headers = { authorization: `Bearer ${await stage.app.bearer('manage_all')}` };
        const name = 'Crew of <b>all</b>';
        const role = await stage.app.send('POST', '/api/2/roles', { headers, json: { name } });
        await page.goto(`${stage.app.account.baseUrl}/console/users?q=crew`);
        const dialog = page.getByRole('dialog');
        const act = async (label: string, withRole: boolean, words: string) => {
          for (const last of ['One', 'Two']) await page.getByLabel(`Choose Crew ${last}`).check();
          await page.getByRole('region', { name: 'Chosen users' }).getByRole('button', { name: label }).click();
          if (withRole) await dialog.getByLabel('Role').selectOption({ label: name });
          await dialog.getByRole('button', { name: label }).click();
          await said(page, words);
        };
        await act('Give a role', true, '2 users were given the role.');
        for (const user of users) assert.deepEqual((await now(user)).role_ids, [role.body.id]);
        await act('Take a role', true, '2 users were removed from the role.');
        for (const user of users) assert.deepEqual((await now(user)).role_ids, []);
        await act('End sessions', false, '2 users were signed out.');
      });
    });

  if (isWhole)
    it('shows as chosen who is chosen, when more are chosen than can be', () => {
      const { open, stage } = walks();
      return open('/users', async (page) => {
        const headers = { authorization: `Bearer ${await stage.app.bearer('manage_all')}` };
        const company = 'Many & Co';
        for (const part of ['a', 'b']) {
          const lines = Array.from({ length: 251 }, (_, place) => `many-${part}${place},${company}`);
          const json = { format: 'csv', content: ['username,company', ...lines].join('\n') };
          const made = await stage.app.send('POST', '/api/2/users/import', { headers, json });
          assert.equal(made.body.created, 251);
        }
        const query = new URLSearchParams({ company, limit: '1000' });
        await page.goto(`${stage.app.account.baseUrl}/console/users?${query}`);
        await page.getByLabel('Choose many-a0', { exact: true }).check();
        const all = page.getByLabel('Choose all on this page');
        await all.click();
        await said(page, 'At most 500 users can be chosen at once.');
        await page.getByText('1 user chosen').waitFor();
        assert.equal(await all.isChecked(), false);
        assert.equal(await page.getByLabel('Choose many-b0', { exact: true }).isChecked(), false);
      });
    });

  it('offers a reader neither a choice of users nor an import', async () => {
    const { open, stage } = walks();
    const reader = await makeAdministrator(stage.app, ['read_users']);
    await open(
      '/users',
      async (page) => {
        await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
        assert.equal(await page.getByRole('checkbox').count(), 0);
        for (const name of ['Import', 'Export', 'New user']) {
          assert.equal(await page.locator('main').getByText(name, { exact: true }).count(), 0, name);
        }
        await page.goto(`${stage.app.account.baseUrl}/console/users/import`);
        await page.getByText('You need the scope manage_all').waitFor();
      },
      reader,
    );
    const manager = await makeAdministrator(stage.app, ['read_users', 'manage_users']);
    await open(
      '/users',
      async (page) => {
        await page.getByLabel('Choose Grace Hopper').check();
        const buttons = page.getByRole('region', { name: 'Chosen users' }).getByRole('button');
        assert.deepEqual(await buttons.allInnerTexts(), ['Activate', 'Suspend', 'Delete', 'Choose nobody']);
      },
      manager,
    );
  });

  // The last: each of these roles is on the page of each user.
  if (isWhole)
    it('offers all roles of an account that has more than a page of them', async () => {
      const { stage, grace, open } = walks();
      const { services, account } = stage.app;
      await services.store.transaction(async (tx) => {
        for (let at = 0; at <= 1000; at += 1) {
          const role = { accountId: account.id, name: `Role ${at}`, policyId: null, createdAt: services.clock.now() };
          await tx.roles.create(role);
        }
      });
      await open(pathOf(grace), (page) => page.getByLabel('Role 1000', { exact: true }).waitFor());
    });
});

async function downloaded(page: Page, button: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ]);
  return readFile(await file.path(), 'utf8');
}
