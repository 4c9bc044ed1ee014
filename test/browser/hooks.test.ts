import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createRole } from '../../src/domain/roles/write-role.ts';
import { openPackageBuilder } from '../support/package-builder.ts';
import { openRegistry, type TestRegistry } from '../support/registry.ts';
import { codeAt, keyOf } from '../support/second-factor.ts';
import { setUser } from '../support/users.ts';
import { type Management, managing } from '../surfaces/api-2/managing.ts';
import {
  type Application,
  arrived,
  decide,
  giveCode,
  heading,
  invite,
  openStage,
  registerApplication,
  type Stage,
  signIn,
  visit,
} from './stage.ts';

const source = `const pick = require('pick-policy');
const { shout } = require('@own/shout');
exports.handler = async ({ user, app }) => {
  console.log(shout('careful with'), app.name, process.env.STRICT_POLICY);
  return pick(process.env.STRICT_POLICY);
};`;

/** A1: an author manages the hook over HTTP, and a user in a browser sees its effect. */
describe('a hook that demands a second factor', () => {
  let stage: Stage;
  let registry: TestRegistry;
  let application: Application;
  let api: Management;

  before(async () => {
    registry = await openRegistry();
    registry.add('pick-policy', '1.2.3', {
      'index.js': 'module.exports = (id) => ({ success: true, user: { policy_id: Number(id) } });',
    });
    registry.add('@own/shout', '0.1.0', { 'index.js': 'exports.shout = (text) => text.toUpperCase();' });
    stage = await openStage({}, { packageBuilder: openPackageBuilder(registry.url) });
    application = await registerApplication(stage, { client_name: 'Expense Desk' });
    api = await managing(stage.app);
  });
  after(async () => {
    await stage.dispose();
    await registry.close();
  });

  const browse = (look: (page: Page) => Promise<void>) => visit(stage, {}, look);
  /** What a person meets after the password. */
  const meets = async (user: { readonly email: string | null }) => {
    let title = '';
    await browse(async (page) => {
      await page.goto(application.start());
      await signIn(page, user);
      title = await heading(page);
    });
    return title;
  };

  it('runs for users that match its condition, for nobody once disabled, and its log shows no values (A1)', async () => {
    const { services, account } = stage.app;
    const demanding = await api.done(201, 'POST', '/policies', { name: 'Careful sign-ins', otp_required: true });
    const value = `0000${demanding.id}`;
    await api.done(201, 'POST', '/hooks/envs', { name: 'STRICT_POLICY', value });
    const role = await createRole(services, account, { name: 'Accountants' });
    const body = {
      type: 'pre-authentication',
      function: Buffer.from(source).toString('base64'),
      env_vars: ['STRICT_POLICY'],
      packages: { 'pick-policy': '1.2.3', '@own/shout': '0.1.0' },
      conditions: [{ source: 'roles', operator: '~', value: role.name }],
    };
    const ended = new Promise<void>((resolve) => services.packageBuilds.onEnd(() => resolve()));
    const { id, status } = await api.done(201, 'POST', '/hooks', body);
    assert.equal(status, 'create-queued');
    await ended;
    assert.equal((await api.done(200, 'GET', `/hooks/${id}`)).status, 'ready');
    const user = await invite(stage, application);

    assert.equal(await meets(user), 'Allow Expense Desk to use your account?', 'the condition does not hold');
    assert.deepEqual(await api.done(200, 'GET', `/hooks/${id}/logs`), []);

    await setUser(services, account, user.id, { roles: ['Accountants'] });
    await browse(async (page) => {
      await page.goto(application.start());
      await signIn(page, user);
      assert.equal(await heading(page), 'Set up a second factor');
      const key = keyOf(await page.content());
      assert.equal((await giveCode(page, codeAt(key, services.clock.now()), 'Code')).status, 200);
      await page.getByRole('link', { name: 'I have saved them, continue' }).click();
      await decide(page, 'Allow');
      assert.match((await arrived(page, application))['code'] ?? '', /./);
    });
    const [record, ...more] = await api.done(200, 'GET', `/hooks/${id}/logs`);
    assert.deepEqual([record.outcome, more], ['success', []]);
    assert.match(record.events.join('\n'), /^20\S+Z\t[\da-f-]{36}\tINFO\tCAREFUL WITH Expense Desk \*{4}$/);
    assert.ok(!JSON.stringify(record).includes(value));
    services.clock.advance(30_000);
    assert.equal(await meets(user), 'Enter your code', 'at the next sign-in too');

    const other = await invite(stage, application);
    await setUser(services, account, other.id, { roles: ['Accountants'] });
    assert.equal(await meets(other), 'Set up a second factor');
    const runs = (await api.done(200, 'GET', `/hooks/${id}/logs`)).length;
    await api.done(200, 'PUT', `/hooks/${id}`, { ...body, disabled: true });
    assert.equal(await meets(other), 'Allow Expense Desk to use your account?', 'it is disabled');
    assert.equal((await api.done(200, 'GET', `/hooks/${id}/logs`)).length, runs);
  });
});
