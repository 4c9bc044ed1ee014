import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { beginVerification, noteVerification } from '../../../src/domain/audit/verified.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { violationsOf } from '../../support/axe.ts';
import { waitUntil } from '../../support/browser.ts';
import { makeAdministrator } from '../../support/console.ts';
import { isWhole, sampledDatabases } from '../../support/sample.ts';
import { runningClock } from '../../support/services.ts';
import { authorizePath, makeUser, registerClient } from '../../support/sign-in.ts';
import { openStage, type Stage } from '../stage.ts';
import { type Look, stayAtConsole, visitConsole } from './visit-console.ts';
import { said, settled, title } from './walks.ts';

const rows = (page: Page) => page.locator('main tbody tr');

/** What the browser was given to keep. */
async function downloaded(page: Page, press: () => Promise<void>): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), press()]);
  return readFile(await file.path(), 'utf8');
}

for (const kind of sampledDatabases)
  describe(`the events of the console on ${kind}`, () => {
    let stage: Stage;
    let grace: UserRecord;
    let stay: ReturnType<typeof stayAtConsole>;
    before(async () => {
      stage = await openStage({}, { clock: runningClock() }, kind);
      const administrator = await makeAdministrator(stage.app, ['manage_all'], {
        firstname: 'Root',
        lastname: 'Admin',
      });
      stay = stayAtConsole(stage, administrator);
      grace = await makeUser(stage.app, undefined, { firstname: 'Grace', lastname: '<img src=x onerror=alert(1)>' });
      const headers = { authorization: `Bearer ${await stage.app.bearer('manage_all')}` };
      const script = `<script>document.title='run'</script>`;
      for (let count = 0; count < 30; count += 1) {
        const json = { department: `${script}${count}` };
        const { status } = await stage.app.send('PUT', `/api/2/users/${grace.id}`, { headers, json });
        assert.equal(status, 200);
      }
    });
    after(() => stage.dispose());
    const open = (path: string, look: Look, who?: UserRecord) =>
      who ? visitConsole(stage, who, { path }, look) : stay(path, look);

    it('narrows the trail by chips that the address bar keeps, and shows one event whole', () =>
      open('/events', async (page) => {
        await title(page, 'Events');
        await rows(page).first().waitFor();
        await page.getByLabel('Add a filter').selectOption('What');
        await page.getByLabel('What', { exact: true }).selectOption('user.changed');
        await page.waitForURL(/action=user\.changed/);
        await page.getByLabel('Add a filter').selectOption('User');
        await page.getByLabel('Name or e-mail address').fill('Grace');
        await page.getByRole('button', { name: /^Grace/ }).click();
        await page.waitForURL(new RegExp(`user_id=${grace.id}`));
        await page
          .getByRole('button', { name: 'Remove the filter User: Grace <img src=x onerror=alert(1)>' })
          .waitFor();
        await settled(page);
        assert.equal(await rows(page).count(), 25);
        await page.getByRole('button', { name: 'Next page' }).click();
        await page.waitForURL(/cursor=/);
        await waitUntil(page, "document.querySelectorAll('main tbody tr').length === 5");
        await rows(page).first().getByRole('link').first().click();
        await page.getByRole('dialog').getByText('fields').first().waitFor();
        const address = page.url();
        await page.getByRole('dialog').getByText('As the API answers it').click();
        assert.match(await page.getByRole('dialog').locator('pre').innerText(), /"action": "user\.changed"/);
        assert.deepEqual(await violationsOf(page), []);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        assert.match(page.url(), /cursor=/, 'the list stays at its page');
        await page.goto(address);
        await page.getByRole('dialog').waitFor();
        assert.notEqual(await page.title(), 'run');
      }));

    it('leads to one event by a link that can be shared', () =>
      open('/events?action=user.changed', async (page) => {
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await rows(page).nth(3).getByRole('link').first().click();
        const name = await page.getByRole('dialog').getByRole('heading').innerText();
        await page.getByRole('button', { name: 'Copy a link' }).click();
        await said(page, 'The link copied.');
        await page.goto(String(await page.evaluate('navigator.clipboard.readText()')));
        await page.getByRole('dialog', { name }).waitFor();
        await page.getByRole('button', { name: 'Copy as JSON' }).click();
        await said(page, 'The event copied.');
        const copied = JSON.parse(String(await page.evaluate('navigator.clipboard.readText()')));
        assert.equal(`Event ${copied.id}`, name);
      }));

    if (isWhole)
      it('opens an event that the page of the list does not have, and says where there is none', () =>
        open('/events?event=1', async (page) => {
          await page.getByRole('dialog', { name: 'Event 1', exact: true }).getByText('Outcome').first().waitFor();
          await page.keyboard.press('Escape');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          assert.doesNotMatch(page.url(), /event=/);
          await page.goto(page.url().replace(/\/events.*/, '/events?event=1000000&action=user.changed'));
          await page.getByRole('dialog', { name: 'Event 1000000' }).getByText('no such event').waitFor();
        }));

    if (isWhole)
      it('narrows by time in the reader’s own, and says what to do where nothing is', () =>
        open('/events', async (page) => {
          await page.getByLabel('Add a filter').selectOption('Until');
          await page.getByLabel('Until', { exact: true }).fill('2001-02-03T04:05');
          await page.getByRole('button', { name: 'Add', exact: true }).click();
          await page.waitForURL(/created_until=2001-02-0/);
          await page.getByText('No event matches.').waitFor();
          await page.getByRole('link', { name: 'show all events' }).click();
          await rows(page).first().waitFor();
        }));

    it('exports what the filters leave, over all pages, as JSON lines', () =>
      open(`/events?user_id=${grace.id}&action=user.changed`, async (page, calls) => {
        await settled(page);
        await page.getByRole('button', { name: 'Export', exact: true }).click();
        const press = () => page.getByRole('button', { name: 'Download' }).click();
        const text = await downloaded(page, press);
        const events = text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line));
        assert.equal(events.length, 30);
        assert.ok(events.every(({ action }) => action === 'user.changed'));
        await said(page, '30 events were exported.');
        assert.ok(calls.some((call) => /limit=1000/.test(call)));
        await page.getByText(/^Calls of this page/).click();
        await page.getByText(/GET \/api\/2\/events\?limit=1000/).waitFor();
      }));

    it('says how far the chain was verified, verifies it, and names an event that was changed', () =>
      open('/events', async (page, calls) => {
        const chain = page.getByRole('region', { name: 'Chain of the trail' });
        const verify = () => chain.getByRole('button', { name: 'Verify' }).click();
        await chain.getByText(/never verified/).waitFor();
        await verify();
        await said(page, 'All events are what was written.');
        await chain.getByText(/^Verified .+, up to event \d+\. \d+ events? since\.$/).waitFor();
        const { services, account } = stage.app;
        const begun = await beginVerification(services, account);
        await noteVerification(services, account, begun, { events: 1, verified: false, firstBad: 2 });
        await page.reload();
        await chain
          .getByRole('alert')
          .getByText(/^Event 2 is not what was written/)
          .waitFor();
        await settled(page);
        if (isWhole) assert.deepEqual(await violationsOf(page), []);
        await verify();
        await chain.getByRole('alert').waitFor({ state: 'detached' });
        assert.equal(calls.filter((call) => call === 'POST /api/2/events/chain/verify').length, 2);
      }));

    describe('of a reference', () => {
      const box = (page: Page) => page.getByRole('region', { name: 'Why it was refused' });
      /** What somebody sees whose request is refused, and passes on. */
      const refused = async (client: { client_id: string }, address: string) => {
        const { status, headers } = await stage.app.send('GET', authorizePath(client, { redirect_uri: address }));
        assert.equal(status, 400);
        await stage.app.services.refusals.flush();
        return String(headers['x-request-id']);
      };
      const markup = 'https://app.example.com/<img src=x onerror=alert(1)>';

      it('says why it was refused, what to do and what was sent, where no event matches; readers see it', async () => {
        const reference = await refused({ client_id: 'nobody' }, markup);
        const reader = await makeAdministrator(stage.app, ['read_all']);
        const look: Look = async (page, calls) => {
          await page.getByLabel('Add a filter').selectOption('Reference (request id)');
          // As it comes out of a message.
          await page.getByLabel('Reference (request id)', { exact: true }).fill(` ${reference.toUpperCase()} `);
          await page.getByRole('button', { name: 'Add', exact: true }).click();
          await box(page).getByText('has the client_id nobody.').waitFor();
          await box(page)
            .getByText(/^Correct the client_id in the application.*gatehouse app list --account/)
            .waitFor();
          for (const text of ['127.0.0.1', 'client_unknown', 'nobody', markup]) {
            await box(page).locator('dd').getByText(text, { exact: true }).waitFor();
          }
          await page.getByText('No event matches.').waitFor();
          await settled(page);
          assert.deepEqual(await violationsOf(page), []);
          const call = `GET /api/2/refusals/${reference}`;
          assert.equal(calls.filter((one) => one === call).length, 1);
          await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
          await page.getByText(/^Calls of this page/).click();
          const listed = page.getByRole('listitem').filter({ hasText: call });
          await listed.getByRole('button', { name: 'Copy as curl' }).click();
          await said(page, 'The command copied.');
          const copied = String(await page.evaluate('navigator.clipboard.readText()'));
          assert.ok(copied.startsWith(`curl '${stage.app.account.baseUrl}/api/2/refusals/${reference}'`), copied);
          await page.getByRole('button', { name: /^Remove the filter Reference/ }).click();
          await box(page).waitFor({ state: 'detached' });
        };
        await open('/events', look, reader);
      });

      it('says it above the events of the request, with links to whom it concerns', async () => {
        const client = await registerClient(stage.app, { client_name: 'Desk' });
        const reference = await refused(client, 'https://app.example.com/back');
        await open(`/events?request_id=${reference}`, async (page, calls) => {
          await box(page)
            .getByText(/^Desk \(app \d+\) sent the redirect URI https:\/\/app\.example\.com\/back, which is not/)
            .waitFor();
          await rows(page).getByText('authorization.refused').waitFor();
          const link = box(page).getByRole('link', { name: `app ${client.app_id}` });
          assert.match((await link.getAttribute('href')) ?? '', new RegExp(`/apps/${client.app_id}$`));
          // Another one, which the trail does not have.
          const other = await refused({ client_id: 'somebody' }, markup);
          await page.goto(page.url().replace(reference, other));
          await box(page).getByText('has the client_id somebody.').waitFor();
          assert.equal(await box(page).getByRole('link').count(), 0);
          await page.goto(page.url().replace(other, '9f2c1f0a-5a52-4b8e-9f0e-5b1a5c0f6c11'));
          await box(page).getByText('Nothing is known of a refusal with this reference.').waitFor();
          const before = calls.length;
          await page.goto(page.url().replace(/request_id=.*/, 'request_id=nonsense'));
          await page.getByText('No event matches.').waitFor();
          await settled(page);
          assert.equal(await box(page).count(), 0);
          assert.ok(calls.slice(before).every((one) => !one.includes('/refusals/')));
        });
      });

      it('says nothing of a request that was done', async () => {
        const headers = { authorization: `Bearer ${await stage.app.bearer('manage_all')}` };
        const json = { department: 'Done' };
        const done = await stage.app.send('PUT', `/api/2/users/${grace.id}`, { headers, json });
        await open(`/events?request_id=${done.headers['x-request-id']}`, async (page) => {
          await rows(page).getByText('user.changed').waitFor();
          await settled(page);
          assert.equal(await box(page).count(), 0);
        });
      });
    });

    it('is open to those who may read all, and to nobody less', async () => {
      const reader = await makeAdministrator(stage.app, ['read_all']);
      await open('/events', (page) => rows(page).first().waitFor(), reader);
      const ofUsers = await makeAdministrator(stage.app, ['read_users']);
      await open('/events', (page) => page.getByText('You need the scope read_all').waitFor(), ofUsers);
    });

    it('has no screen at an address that stands for nothing', () =>
      open('/users/%zz', async (page) => {
        await title(page, 'There is nothing here');
        await page.getByRole('link', { name: 'Users', exact: true }).click();
        await title(page, 'Users');
      }));
  });
