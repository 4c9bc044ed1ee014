import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { recordRun } from '../../support/hook-runs.ts';
import { isWhole } from '../../support/sample.ts';
import { type Management, managing } from '../../surfaces/api-2/managing.ts';
import type { Look } from './visit-console.ts';
import { describeWalks, said, title } from './walks.ts';

const encode = (code: string) => Buffer.from(code).toString('base64');
const answering = (answer: string, first = '') => `${first}exports.handler = async (context) => (${answer});\n`;
const editor = (page: Page) => page.getByRole('textbox', { name: 'Function' });
const live = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^Live$/ })
    .waitFor();
const result = (page: Page) => page.getByRole('region', { name: 'Result' });

/** Replaces what an editor holds, as somebody types. */
async function type(field: Locator, text: string): Promise<void> {
  await field.focus();
  await field.page().keyboard.press('Control+a');
  await field.page().keyboard.insertText(text);
}

describeWalks('hooks in the console', (walks) => {
  let api: Management;
  before(async () => {
    api = await managing(walks().stage.app);
  });
  const open = (path: string, look: Look) => walks().open(path, look);
  /** Disabled unless said: the administrators of other walks sign in too. */
  const bodyOf = (code: string, given: object = {}) => ({
    ...{ type: 'pre-authentication', function: encode(code), disabled: true },
    ...given,
  });
  const make = async (code = answering('null'), given: object = {}) =>
    (await api.done(201, 'POST', '/hooks', bodyOf(code, given))).id;
  const codeOf = async (id: string) =>
    Buffer.from((await api.done(200, 'GET', `/hooks/${id}`)).function, 'base64').toString();
  const record = (id: string, events: readonly string[]) => recordRun(walks().stage.app, id, { events });

  it('writes, tests, and makes a new hook live by the keyboard alone in at most 12 interactions', () =>
    open('/hooks', async (page) => {
      await page.getByText('No hook yet').waitFor();
      let interactions = 0;
      const press = async (key: string) => {
        interactions += 1;
        await page.keyboard.press(key);
      };
      const typed = async (text: string) => {
        interactions += 1;
        await page.keyboard.insertText(text);
      };
      // The focus is on the heading: the next stop is the link.
      await page.getByRole('heading', { level: 1, name: 'Hooks' }).focus();
      await press('Tab');
      await press('Enter');
      await title(page, 'New hook');
      await editor(page).waitFor();
      const focused = editor(page).and(page.locator(':focus'));
      while ((await focused.count()) === 0 && interactions < 12) await press('Tab');
      await press('Control+a');
      await typed(answering('{ user: { policy_id: context.user.policy_id } }', "console.log('loaded');\n"));
      await press('Control+Enter');
      await result(page).getByText('success').waitFor();
      await result(page).getByText('policy_id').waitFor();
      await press('Control+s');
      await page.getByRole('heading', { level: 1, name: /^pre-authentication / }).waitFor();
      await said(page, 'The hook was created.');
      assert.ok(interactions <= 12, `${interactions} interactions`);
      const [hook] = await api.done(200, 'GET', '/hooks');
      assert.deepEqual([hook.status, hook.disabled], ['ready', false]);
      assert.match(await codeOf(hook.id), /loaded/);
    }));

  it('completes what the types of hooks say, and shows a syntax error where it is', async () => {
    const id = await make();
    await open(`/hooks/${id}`, async (page) => {
      const field = editor(page);
      await type(field, 'exports.handler = async ({ user, app }) => user');
      await page.keyboard.type('.poli');
      await page.getByRole('option', { name: /^policy_id/ }).waitFor();
      await page.getByText('Of the policy in force').waitFor();
      await page.getByRole('option', { name: /^policy_id/ }).click();
      await field.getByText('user.policy_id').waitFor();
      await page.locator('.cm-lintRange-error').waitFor({ state: 'detached' });
      await field.getByText('policy_id', { exact: true }).hover();
      await page.locator('.hint').getByText('policy_id').first().waitFor();
      await page.keyboard.type(' +');
      await page.locator('.cm-lint-marker-error').waitFor();
      await type(field, 'exports.handler = async (given) => {\n  const { risk } = given;\n  return risk');
      await page.keyboard.type('.sc');
      await page.getByRole('option', { name: /^score/ }).waitFor();
    });
  });

  if (isWhole)
    it('keeps every character of somebody who types faster than the page draws', async () => {
      const id = await make();
      await open(`/hooks/${id}`, async (page) => {
        await type(editor(page), '');
        const text = `// ${'abcdefghij'.repeat(10)}`;
        await page.keyboard.type(text);
        await editor(page).getByText(text, { exact: true }).waitFor();
      });
    });

  it('shows what the service says of a function beside it, at its line, and saves nothing', async () => {
    const id = await make();
    await open(`/hooks/${id}`, async (page) => {
      // The parser takes it: a name that is declared twice.
      await type(editor(page), 'let one;\nlet one;\nexports.handler = () => null;\n');
      // Until the editor has looked for faults by itself: it would do so again soon after a change.
      await page.evaluate('new Promise((done) => setTimeout(done, 600))');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('alert').filter({ hasText: 'line 2' }).waitFor();
      await editor(page).locator('.cm-line:nth-child(2) .cm-lintRange-error').waitFor();
      assert.equal(await codeOf(id), answering('null'));
      await type(editor(page), answering('null'));
      await page.getByLabel('Timeout (seconds)').fill('soon');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator('[name=timeout][aria-invalid=true]').waitFor();
    });
  });

  it('tells two administrators at once, and loses the function of neither', async () => {
    const id = await make();
    await open(`/hooks/${id}`, async (page) => {
      await type(editor(page), answering('undefined'));
      await api.done(200, 'PUT', `/hooks/${id}`, bodyOf(answering('false'), { retries: 2 }));
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Read it again and keep what I typed' }).click();
      await page.getByText('Somebody else changed the function meanwhile').waitFor();
      assert.equal(await page.getByLabel('Retries after a failure').inputValue(), '2');
      await editor(page).getByText('(undefined)').waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await said(page, 'The hook was saved.');
      assert.equal(await codeOf(id), answering('undefined'));
    });
  });

  it('compares versions, rolls back, and disables, enables and deletes a hook', async () => {
    const id = await make(answering('null', '// first\n'), { disabled: false });
    await api.done(
      200,
      'PUT',
      `/hooks/${id}`,
      bodyOf(answering('null', '// second\n'), { disabled: false, retries: 1 }),
    );
    await open(`/hooks/${id}?view=versions`, async (page) => {
      await page.getByRole('textbox', { name: 'Version 1' }).getByText('// first').waitFor();
      await page.getByRole('textbox', { name: 'Version 2' }).getByText('// second').waitFor();
      await page.getByText('retries', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Roll back to version 1' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
      await said(page, 'Version 1 is the newest again.');
      assert.match(await codeOf(id), /first/);
      await page.getByRole('row', { name: /^3 / }).waitFor();
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
      await said(page, 'The hook is disabled.');
      assert.equal((await api.done(200, 'GET', `/hooks/${id}`)).disabled, true);
      assert.match(await codeOf(id), /first/);
      await page.getByRole('button', { name: 'Enable' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
      await said(page, 'The hook is enabled.');
      assert.equal((await api.done(200, 'GET', `/hooks/${id}`)).disabled, false);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('textbox').fill(id.slice(0, 8));
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await title(page, 'Hooks');
      assert.equal((await api.call('GET', `/hooks/${id}`)).status, 404);
    });
  });

  it('keeps a draft, shows it beside the hook, and makes it live', async () => {
    const id = await make();
    await open(`/hooks/${id}`, async (page) => {
      await type(editor(page), answering('{ success: false }'));
      await page.getByRole('button', { name: 'Save as draft' }).click();
      await said(page, 'The draft was saved.');
      assert.equal(await codeOf(id), answering('null'));
      await page.getByRole('link', { name: 'Draft', exact: true }).click();
      await page.getByRole('textbox', { name: 'Draft' }).getByText('success').waitFor();
      await page.getByText('Ended differently', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Make it live' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Make it live' }).click();
      await said(page, 'The draft is live.');
      assert.equal(await codeOf(id), answering('{ success: false }'));
    });
  });

  if (isWhole)
    it('tests with what the options of the hook include, and says that a draft has none of them', async () => {
      const id = await make();
      await open(`/hooks/${id}`, async (page) => {
        const context = page.getByRole('textbox', { name: 'Context as JSON' });
        await context.getByText('user_identifier').waitFor();
        assert.doesNotMatch(await context.innerText(), /location|risk|mfa_devices|failed_login_attempts/);
        await page.getByLabel('Include the location').check();
        await context.getByText('country_code').waitFor();
        assert.doesNotMatch(await context.innerText(), /risk|mfa_devices|failed_login_attempts/);
        await page.getByRole('button', { name: 'Save as draft' }).click();
        await said(page, 'It holds the function alone');
      });
    });

  it('shows a run as it comes, and replays it in the editor', async (t) => {
    const id = await make(answering('{ success: false }'));
    await record(id, ['before']);
    await open(`/hooks/${id}?view=log`, async (page) => {
      await live(page);
      await page.getByRole('row', { name: /before/ }).waitFor();
      const began = performance.now();
      await record(id, ['it came by itself', 'and more']);
      const row = page.getByRole('row', { name: /it came by itself/ });
      await row.waitFor();
      t.diagnostic(`a run was in the page ${Math.round(performance.now() - began)} ms after it was stored`);
      await page.getByRole('searchbox', { name: 'Search the log' }).fill('and more');
      await page.getByRole('row', { name: /before/ }).waitFor({ state: 'detached' });
      await row.getByRole('link').click();
      await page.getByRole('region', { name: 'What it wrote' }).getByText('and more').waitFor();
      await page.getByRole('link', { name: 'Replay in the editor' }).click();
      await page.getByRole('button', { name: 'Replay' }).click();
      await result(page).getByText('It ends differently now.').waitFor();
      await result(page).getByText('refused', { exact: true }).waitFor();
      await page.getByRole('textbox', { name: 'Context as JSON' }).getByText('ada@example.com').waitFor();
    });
  });

  if (isWhole)
    it('goes on with the log from where a stream ended', async () => {
      const id = await make();
      await record(id, ['meanwhile']);
      await open('', async (page) => {
        const { headers } = await api.call('GET', `/hooks/logs/stream?hook_id=${id}&seconds=1`);
        const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
        const body = 'id: 1\nevent: end\ndata: {"reason":"time"}\n\n';
        await page.route('**/logs/stream?*', (route) => route.fulfill({ headers: given, body }), { times: 1 });
        const [again] = await Promise.all([
          page.waitForRequest((request) => request.headers()['last-event-id'] === '1'),
          page.goto(`${walks().stage.app.account.baseUrl}/console/hooks/${id}?view=log`),
        ]);
        assert.match(again.url(), new RegExp(id));
        await live(page);
        await page.getByRole('row', { name: /meanwhile/ }).waitFor();
      });
    });

  it('runs nothing that a function, a log or a context says', async () => {
    const evil = '<img src=x onerror="window.hurt=1"></script><b>bold</b>';
    const id = await make(
      `${answering(JSON.stringify({ success: false }))}// ${evil}\nconsole.log(${JSON.stringify(evil)});`,
    );
    await record(id, [`2026-11-29T10:00:00.000Z\tx\tINFO\t${evil}`]);
    await open(`/hooks/${id}`, async (page) => {
      await editor(page).getByText('onerror').first().waitFor();
      const context = page.getByRole('textbox', { name: 'Context as JSON' });
      await type(context, JSON.stringify({ user: { user_identifier: evil, policy_id: 1 } }));
      await page.getByRole('button', { name: 'Test' }).click();
      await result(page).getByText('refused', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Log', exact: true }).click();
      const row = page.getByRole('row', { name: /onerror/ });
      await row.getByRole('link').click();
      await page.getByRole('region', { name: 'What it wrote' }).getByText(evil).waitFor();
      assert.equal(await page.evaluate('window.hurt'), undefined);
      assert.equal(await page.locator('main b').count(), 0);
    });
  });

  if (isWhole)
    it('is told to a context that is not JSON', async () => {
      const id = await make();
      await open(`/hooks/${id}`, async (page) => {
        await type(page.getByRole('textbox', { name: 'Context as JSON' }), '{ "user": ');
        await page.getByRole('button', { name: 'Test' }).click();
        await result(page).getByText('The context is not JSON').waitFor();
      });
    });

  it('adds a variable, sets it again, and never shows its value', () =>
    open('/hooks', async (page) => {
      await page.getByRole('button', { name: 'New variable' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('API_KEY');
      await dialog.getByLabel('Value').fill('first-secret');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('row', { name: /API_KEY/ }).waitFor();
      await page.getByRole('button', { name: 'Set the value of API_KEY' }).click();
      await dialog.getByLabel('Value').fill('second-secret');
      await dialog.getByRole('button', { name: 'Set', exact: true }).click();
      await said(page, 'API_KEY was set.');
      assert.doesNotMatch(await page.content(), /-secret/);
    }));
});
